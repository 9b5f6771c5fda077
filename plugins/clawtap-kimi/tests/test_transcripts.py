"""The conversation as the CLI's files have it, from files of the real one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clawtap_kimi.transcript.parse import parse_transcript
from clawtap_kimi.transcript.sources import describe_transcript, transcript_sources

from clawtap_core import Block, Message, Parsed

FOLDER = Path(__file__).with_name("transcripts")
NEW, OLD = "2.1.0", "0.30.0"
BOTH = pytest.mark.parametrize("version", [NEW, OLD])
SESSION = "/home/me/.kimi-code/sessions/wd_proj_4c3b4937ddaa/session_8e8732f7"


def whole(version: str, agent: str = "main") -> bytes:
    return (FOLDER / f"{version}-{agent}.jsonl").read_bytes()


def read(data: bytes, state: Any = None) -> Parsed:
    return parse_transcript(data, state)


def texts(messages: tuple[Message, ...], role: str) -> list[str]:
    return [
        block.text
        for message in messages
        for block in message.content
        if message.role == role and block.type == "text"
    ]


def blocks(parsed: Parsed, kind: str) -> list[Block]:
    return [b for message in parsed.messages for b in message.content if b.type == kind]


def record(kind: str, **fields: Any) -> bytes:
    return json.dumps({"type": kind, "time": 1795458643519, **fields}).encode() + b"\n"


def said(text: str, name: str) -> bytes:
    content = [{"type": "text", "text": text}]
    message = {"role": "user", "content": content, "id": name, "origin": {"kind": "user"}}
    return record("context.append_message", message=message)


@BOTH
def test_the_users_words_the_answers_and_every_call_with_its_result(version: str) -> None:
    parsed = read(whole(version))
    assert texts(parsed.messages, "user")[:2] == ["make a file please", "refuse"]
    assert texts(parsed.messages, "assistant")[:2] == ["I make a file.", "all done X"]
    statuses = [(call.tool_name, call.status) for call in blocks(parsed, "tool_use")]
    assert statuses[:3] == [
        ("Bash", "success"),
        ("Bash", "cancelled"),
        ("mcp__lab__add", "success"),
    ]
    assert ("Edit", "success") in statuses
    assert ("AskUserQuestion", "success") in statuses
    assert any("made.txt" in result.text for result in blocks(parsed, "tool_result"))
    assert parsed.skipped == 0


@BOTH
def test_thoughts_come_before_the_answer(version: str) -> None:
    (thinking,) = (
        message
        for message in read(whole(version)).messages
        if any(block.type == "thinking" for block in message.content)
    )
    kinds = [(block.type, block.text) for block in thinking.content]
    assert kinds == [("thinking", "Let me think."), ("text", "So be it.")]


@BOTH
def test_an_interruption_is_a_notice_and_ends_its_calls(version: str) -> None:
    parsed = read(whole(version))
    assert sum(message.notice == "interrupted" for message in parsed.messages) == 2
    calls = [call for call in blocks(parsed, "tool_use") if "sleep" in str(call.input)]
    assert [call.status for call in calls] == ["cancelled"]


@BOTH
def test_it_reads_alike_in_pieces(version: str) -> None:
    data = whole(version)
    for at in range(0, len(data), len(data) // 7):
        first = read(data[:at])
        second = read(data[first.consumed :], first.state)
        found = {message.id: message for message in (*first.messages, *second.messages)}
        assert tuple(found.values()) == read(data).messages


def test_a_call_is_known_while_it_asks() -> None:
    lines = whole(NEW).splitlines(keepends=True)
    asked = next(at for at, line in enumerate(lines) if b'"interaction.request"' in line)
    (call,) = blocks(read(b"".join(lines[: asked + 1])), "tool_use")
    assert (call.tool_name, call.status) == ("Bash", "pending")
    assert call.input is not None
    assert call.input["command"] == "touch made.txt && ls"


def test_the_arguments_of_an_mcp_tool_and_of_an_edit_are_known_while_they_ask() -> None:
    request = {"toolCallId": "c1", "toolName": "mcp__lab__add"}
    display: dict[str, Any] = {"kind": "generic", "detail": {"a": 1}}
    begun = record("context.append_loop_event", event={"type": "step.begin", "uuid": "s1"})
    (call,) = blocks(
        read(begun + record("interaction.request", request={**request, "display": display})),
        "tool_use",
    )
    assert call.input == {"a": 1}
    display = {"kind": "file_io", "operation": "edit", "path": "/x", "before": "1", "after": "2"}
    request = {"toolCallId": "c2", "toolName": "Edit", "display": display}
    (call,) = blocks(read(begun + record("interaction.request", request=request)), "tool_use")
    assert call.input == {"path": "/x", "old_string": "1", "new_string": "2"}


def test_an_error_is_reported_once() -> None:
    parsed = read(whole(NEW))
    errors = [each.data for each in parsed.events if each.type == "session_error"]
    assert errors == [{"error": "401 wrong key", "code": "not_authorized"}]
    assert [m.content[0].text for m in parsed.messages if m.notice == "error"] == ["401 wrong key"]


def test_what_the_user_undid_is_removed() -> None:
    first, second = said("one", "m1"), said("two", "m2")
    undone = record("context.undo", count=1)
    assert texts(read(first + second + undone).messages, "user") == ["one"]
    later = parse_transcript(undone, read(first + second).state)
    assert (later.messages, later.removed_from) == ((), ("m2",))


def test_the_model_and_its_tokens_are_known() -> None:
    (status,) = (each.data for each in read(whole(NEW)).events if each.type == "status_update")
    assert status["model"] == "fake-1"
    assert status["contextTokens"] == 1290
    assert status["tokens"] == {"input": 1200, "output": 90, "cacheRead": 0}


def test_lines_that_are_no_records_are_counted() -> None:
    parsed = read(b"{\n" + b'{"type": 5}\n' + record("hologram") + record("turn.steer"))
    assert parsed.messages == ()
    assert parsed.skipped == 3


def test_sessions_are_in_the_clis_folder() -> None:
    (source,) = transcript_sources({"HOME": "/home/me"}) or ()
    assert source.root == "/home/me/.kimi-code/sessions"
    assert source.pattern == "*/*/agents/main/wire.jsonl"
    (moved,) = transcript_sources({"HOME": "/home/me", "KIMI_CODE_HOME": "/data"}) or ()
    assert moved.root == "/data/sessions"


@BOTH
def test_the_head_says_whose_conversation_it_is(version: str) -> None:
    info = describe_transcript(f"{SESSION}/agents/main/wire.jsonl", whole(version)[:65536])
    assert info is not None
    assert (info.cli_session_id, info.cwd) == ("session_8e8732f7", "/home/me/proj")
    assert (info.title, info.origin) == ("make a file please", None)
    assert info.companions is not None
    assert info.started_at is not None
    assert describe_transcript("/x/wire.jsonl", b"{}") is None


@BOTH
def test_a_subagents_file_names_it_and_its_task_is_not_the_users_word(version: str) -> None:
    data = whole(version, "agent-0")
    info = describe_transcript(f"{SESSION}/agents/agent-0/wire.jsonl", data[:65536])
    assert info is not None
    assert (info.origin, info.companions) == ("SUBTASK: look", None)
    taskless = b"".join(line for line in data.splitlines(True) if b'"subagent"' not in line)
    nameless = describe_transcript(f"{SESSION}/agents/agent-0/wire.jsonl", taskless)
    assert nameless is not None
    assert nameless.origin == "coder"
    parsed = read(data)
    assert texts(parsed.messages, "user") == []
    assert "I looked" in texts(parsed.messages, "assistant")
    assert {message.origin for message in parsed.messages} == {"coder"}
    assert {message.origin for message in read(whole(version)).messages} == {None}


@BOTH
def test_a_call_of_a_cli_that_was_killed_is_cancelled_once_it_is_resumed(version: str) -> None:
    lines = whole(version).splitlines(keepends=True)
    calls = next(at for at, line in enumerate(lines) if b'"tool.call"' in line)
    (step, *_) = (at for at, line in enumerate(lines) if at > calls and b'"step.begin"' in line)
    killed = read(b"".join(lines[: calls + 1]))
    assert [call.status for call in blocks(killed, "tool_use")] == ["pending"]
    resumed = read(b"".join(lines[step:]), killed.state)
    assert resumed.messages[0].id == killed.messages[-1].id
    assert resumed.messages[0].content[-1].status == "cancelled"
