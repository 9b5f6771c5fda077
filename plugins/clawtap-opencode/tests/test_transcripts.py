"""The conversation as the database has it, from the rows of a real one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clawtap_opencode.transcript.parse import parse_transcript
from clawtap_opencode.transcript.sources import describe_transcript, transcript_sources

from clawtap_core import Message, Parsed
from clawtap_core.model import PENDING

ROWS = Path(__file__).with_name("transcripts") / "1.18.33.jsonl"
WHOLE = ROWS.read_bytes()


def read(data: bytes, state: Any = None) -> Parsed:
    parsed = parse_transcript(data, state)
    assert parsed.consumed == len(data)
    return parsed


def texts(messages: tuple[Message, ...], role: str) -> list[str]:
    return [
        block.text
        for message in messages
        for block in message.content
        if message.role == role and block.type == "text" and not message.origin
    ]


def line(row: str, part: str, data: Any, sub: int = 0) -> bytes:
    values = {"id": row, "part": part, "sub": sub, "data": json.dumps(data)}
    return json.dumps(values).encode() + b"\n"


def test_the_users_words_the_answers_and_every_call_with_its_result() -> None:
    parsed = read(WHOLE)
    assert texts(parsed.messages, "user")[:3] == ["make a file please", "something long", "edit it"]
    assert "All done." in texts(parsed.messages, "assistant")
    blocks = [block for message in parsed.messages for block in message.content]
    calls = {block.tool_call_id: block for block in blocks if block.type == "tool_use"}
    results = {block.tool_call_id: block for block in blocks if block.type == "tool_result"}
    assert calls.keys() == results.keys()
    statuses = {(call.tool_name, call.status) for call in calls.values()}
    assert {("bash", "success"), ("bash", "cancelled"), ("edit", "success")} <= statuses
    edit = next(call for call in calls.values() if call.tool_name == "edit")
    assert edit.diff is not None
    assert "+TWO" in edit.diff
    assert parsed.skipped == 0


def test_a_subagents_messages_name_it_and_what_it_was_asked_is_not_the_users_word() -> None:
    messages = read(WHOLE).messages
    origins = {message.origin for message in messages if message.origin}
    assert origins == {"general"}
    assert not any(message.origin and message.role == "user" for message in messages)


def test_a_subagent_is_named_by_its_task_where_the_session_has_it() -> None:
    for title, name in (
        ("look around (@general subagent)", "look around"),
        ("New session", "New session"),
        ("(@general subagent)", "general"),
        ("", "general"),
    ):
        said = line("m", "", {"role": "assistant", "agent": "general"}, 1)
        rows = (json.dumps({**json.loads(said), "task": title}) + "\n").encode()
        (message,) = read(rows + line("m", "p", {"type": "text", "text": "hi"}, 1)).messages
        assert message.origin == name


def test_the_model_and_its_tokens_are_known_and_an_interruption_is_no_error() -> None:
    parsed = read(WHOLE)
    status = {key: value for event in parsed.events for key, value in event.data.items()}
    assert (status["model"], status["contextTokens"]) == ("fake/fake-1", 1290)
    assert any(message.notice == "interrupted" for message in parsed.messages)
    assert not any(event.type == "session_error" for event in parsed.events)


def test_an_error_is_reported_once() -> None:
    failed = {"role": "assistant", "error": {"name": "APIError", "data": {"message": "429 slow"}}}
    parsed = read(line("m1", "", failed))
    assert [(event.type, event.data["code"]) for event in parsed.events] == [
        ("session_error", "rate_limited")
    ]
    assert parsed.messages[0].notice == "error"
    again = read(line("m1", "", failed) + line("m2", "", {"role": "user"}), parsed.state)
    assert again.events == ()
    assert again.messages == ()


def test_a_call_is_reported_once_the_model_has_written_it() -> None:
    def tool(status: str, given: dict[str, str]) -> bytes:
        state = {"status": status, "input": given}
        part = {"type": "tool", "callID": "call_1", "tool": "bash", "state": state}
        return line("m1", "p1", part)

    answer = line("m1", "", {"role": "assistant"})
    started = read(answer + tool("pending", {}))
    assert started.messages == ()
    running = read(answer + tool("running", {"command": "date"}), started.state)
    ((call,),) = (message.content for message in running.messages)
    assert (call.tool_call_id, call.input, call.status) == ("call_1", {"command": "date"}, PENDING)


def test_only_what_changed_is_reported_and_all_of_it_after_an_undo() -> None:
    rows = WHOLE.splitlines(keepends=True)
    half = read(b"".join(rows[:40]))
    assert read(b"".join(rows[:40]), half.state).messages == ()
    rest = read(WHOLE, half.state)
    assert not rest.replaces_all
    assert len(rest.messages) < len(read(WHOLE).messages)
    undone = read(b"".join(rows[:20]), half.state)
    assert undone.replaces_all
    assert undone.messages == read(b"".join(rows[:20])).messages


def test_the_oldest_messages_may_fall_out_of_a_long_conversation() -> None:
    before = read(
        line("m1", "", {"role": "user"})
        + line("m1", "p1", {"type": "text", "text": "a"})
        + line("m2", "", {"role": "user"})
        + line("m2", "p2", {"type": "text", "text": "b"})
    )
    later = read(
        line("m2", "", {"role": "user"}) + line("m2", "p2", {"type": "text", "text": "b"}),
        before.state,
    )
    assert (later.replaces_all, later.messages) == (False, ())


def test_rows_that_are_no_records_are_counted() -> None:
    broken = b'{"id": 1}\n' + line("m1", "", {"role": "user"})
    broken += line("m1", "p1", {"type": "hologram"}) + line("m2", "p2", {"type": "text"})
    broken += json.dumps({"id": "m3", "part": "", "data": "{"}).encode() + b"\n"
    parsed = read(broken)
    assert parsed.messages == ()
    assert parsed.skipped == 3


def test_the_database_is_in_the_users_data_folder() -> None:
    (source,) = transcript_sources({"HOME": "/home/me"}) or ()
    assert (source.root, source.pattern) == ("/home/me/.local/share/opencode", "opencode.db")
    (moved,) = transcript_sources({"HOME": "/home/me", "XDG_DATA_HOME": "/data"}) or ()
    assert moved.root == "/data/opencode"


def test_a_row_says_whose_conversation_it_is() -> None:
    row = {"id": "ses_1", "created": 1_700_000_000_000, "directory": "/p", "title": "T"}
    info = describe_transcript(json.dumps({**row, "version": "1.18.33"}).encode())
    assert info is not None
    assert (info.cli_session_id, info.cwd, info.title, info.version) == (
        "ses_1",
        "/p",
        "T",
        "1.18.33",
    )
    assert info.started_at is not None
    assert describe_transcript(b'{"id": 5}') is None
    absurd = describe_transcript(json.dumps({**row, "created": 1e30}).encode())
    assert absurd is not None
    assert absurd.started_at is None


def test_a_call_of_a_cli_that_was_killed_is_cancelled_once_the_next_answer_begins() -> None:
    call = {"type": "tool", "tool": "bash", "callID": "c", "state": {"status": "running"}}
    call["state"]["input"] = {"command": "ls"}
    rows = line("m1", "", {"role": "assistant"}) + line("m1", "p1", call)
    rows += line("m2", "", {"role": "user"}) + line("m2", "p2", {"type": "text", "text": "go on"})
    killed = read(rows)
    assert killed.messages[0].content[0].status == PENDING
    resumed = read(rows + line("m3", "", {"role": "assistant"}), killed.state)
    assert [message.id for message in resumed.messages] == ["m1"]
    assert resumed.messages[0].content[0].status == "cancelled"


@pytest.mark.parametrize("name", ["shell", "bash"])
@pytest.mark.parametrize(("code", "status"), [(None, "cancelled"), (0, "success")])
def test_a_command_that_was_interrupted_is_cancelled(
    name: str, code: int | None, status: str
) -> None:
    output = f"(no output)\n\n<{name}_metadata>\nUser aborted the command\n</{name}_metadata>"
    metadata = {"output": output, "exit": code}
    state = {"status": "completed", "input": {}, "output": output, "metadata": metadata}
    call = {"type": "tool", "tool": "bash", "callID": "c", "state": state}
    rows = line("m1", "", {"role": "assistant"}) + line("m1", "p1", call)
    assert [block.status for block in read(rows).messages[0].content] == [status] * 2


def test_the_summary_of_a_compaction_is_a_notice() -> None:
    # As 1.18.33 wrote it, without the folder and the tokens.
    asked = {"role": "user", "agent": "build", "summary": {"diffs": []}}
    summary = {"role": "assistant", "mode": "compaction", "agent": "compaction", "summary": True}
    rows = line("m1", "", asked) + line("m2", "", summary)
    (notice,) = read(rows + line("m2", "p", {"type": "text", "text": "So far"})).messages
    assert (notice.role, notice.notice) == ("system", "compaction")
    assert "So far" not in str(notice)
