"""What rollouts of both versions say, and what broken ones do not break."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from clawtap_codex import describe_transcript, parse_transcript, transcript_sources
from clawtap_codex.transcript.parse import unified_diff

from clawtap_core import EarlierTranscript
from clawtap_core.transcripts.conversation import Conversation

FOLDER = Path(__file__).with_name("transcripts")
VERSIONS = ("0.169.0", "0.116.0")


@pytest.fixture(params=VERSIONS)
def path(request):
    (found,) = (FOLDER / request.param).glob("rollout-*.jsonl")
    return found


@pytest.fixture
def data(path):
    return path.read_bytes()


def blocks(parsed, kind):
    return [block for message in parsed.messages for block in message.content if block.type == kind]


def test_every_record_of_a_real_rollout_is_known(data):
    parsed = parse_transcript(data, None)
    assert (parsed.consumed, parsed.skipped) == (len(data), 0)


def test_each_thing_is_said_once_though_the_file_has_it_in_several_forms(data):
    messages = parse_transcript(data, None).messages
    said = [m.content[0].text for m in messages if m.role == "user"]
    assert said == [
        "Please tidy up the project",
        "now publish",
        "no, do not publish it",
        "go on",
        "sleep please",
        "thanks",
    ]
    texts = [block.text for block in blocks(parse_transcript(data, None), "text")]
    assert texts.count("I will look at the project first.") == 1
    assert len(blocks(parse_transcript(data, None), "thinking")) == 1


def test_calls_succeed_fail_or_are_interrupted(data):
    found = [(b.tool_name, b.status) for b in blocks(parse_transcript(data, None), "tool_use")]
    assert found[:4] == [
        ("exec_command", "success"),
        ("apply_patch", "success"),
        ("exec_command", "error"),
        ("exec_command", "cancelled"),
    ]
    assert ("mcp__demo__read_note", "success") in found
    assert found[-1] == ("exec_command", "cancelled")


def test_nobody_hears_that_neither_of_two_interrupted_calls_ran():
    """0.169.0: the second command was allowed and ran, then the first was refused."""
    records = (FOLDER / "two_calls_aborted.jsonl").read_bytes().splitlines(keepends=True)
    conversation, state = {}, None
    for record in records:
        parsed = parse_transcript(record, state)
        state = parsed.state
        conversation.update({message.id: message for message in parsed.messages})
    whole = parse_transcript(b"".join(records), None)
    assert list(conversation.values()) == list(whole.messages)
    assert [b.status for b in blocks(whole, "tool_use")] == ["cancelled", "cancelled"]
    notice = "The turn was interrupted; Codex does not say which of its cancelled calls had run"
    assert whole.messages[-1].content[0].text == notice


def test_one_call_that_was_cut_off_leaves_no_doubt(data):
    said = [m.content[0].text for m in parse_transcript(data, None).messages]
    assert [text for text in said if "interrupted" in text] == ["The turn was interrupted"] * 2


def test_a_patch_is_a_diff_from_its_call_on(data):
    parsed = parse_transcript(data, None)
    use = next(b for b in blocks(parsed, "tool_use") if b.tool_name == "apply_patch")
    result = next(b for b in blocks(parsed, "tool_result") if b.tool_name == "apply_patch")
    assert "--- app.py\n+++ app.py\n@@\n def main():\n-    print('hello')\n" in use.diff
    assert "--- /dev/null\n+++ notes/todo.md\n@@\n+# TODO\n" in use.diff
    assert result.diff == use.diff


def test_the_diff_of_a_patch_names_where_a_file_goes_and_keeps_its_lines_whole():
    patch = (
        "*** Begin Patch",
        *("*** Update File: old.py", "*** Move to: new.py", "@@", "-a\u2028b", "+a\x0cb"),
        "*** Delete File: gone.py",
        "*** End Patch",
    )
    assert unified_diff("\n".join(patch)) == (
        "--- old.py\n+++ new.py\n@@\n-a\u2028b\n+a\x0cb\n--- gone.py\n+++ /dev/null\n"
    )


def test_a_call_is_pending_until_its_output_is_written(data):
    lines = data.splitlines(keepends=True)
    at = next(index for index, line in enumerate(lines) if b'"function_call"' in line)
    before = parse_transcript(b"".join(lines[: at + 1]), None)
    assert blocks(before, "tool_use")[0].status == "pending"
    after = parse_transcript(b"".join(lines[at + 1 :]), before.state)
    assert blocks(after, "tool_use")[0].status == "success"


def test_model_and_context_are_reported(data):
    (status,) = parse_transcript(data, None).events
    assert status.data["model"].startswith("gpt-5")
    assert status.data["contextWindow"] == 258400


def test_ids_do_not_depend_on_where_the_reading_began(data):
    whole = [message.id for message in parse_transcript(data, None).messages]
    lines = data.splitlines(keepends=True)
    later = [m.id for m in parse_transcript(b"".join(lines[len(lines) // 2 :]), None).messages]
    assert len(set(whole)) == len(whole)
    assert whole[-len(later) :] == later


def test_the_beginning_shows_whose_conversation_it_is(path, data):
    info = describe_transcript(str(path), data[:65536])
    assert path.stem.endswith(info.cli_session_id)
    assert (info.cwd.rsplit("/", 1)[1], info.title) == ("demo", "Please tidy up the project")
    assert describe_transcript("t", b"{}\n") is None


def test_a_first_record_that_is_longer_than_the_head_is_still_read(data):
    info = describe_transcript("t", data.split(b"\n")[0][:600])
    assert info.cwd.endswith("/demo")
    assert len(info.cli_session_id) == 36


def test_a_file_names_the_one_that_it_continues():
    base = '{"thread_id":"01a2234f-1e82-74f0","end_ordinal_exclusive":33,"end_byte_offset":38874}'
    meta = f'{{"id":"01a2234f-0dbd-7671","cwd":"/demo","history_base":{base}}}'
    head = f'{{"type":"session_meta","payload":{meta}}}\n'.encode()
    info = describe_transcript(
        "rollout-2026-11-28-01a2234f-0dbd-7671_01a2234f-5059-7150.jsonl", head
    )
    assert info.continues == EarlierTranscript("rollout-*01a2234f-1e82-74f0.jsonl", 38874)
    assert info.revision == "01a2234f-5059-7150"
    forked = describe_transcript("rollout-2026-11-28-01a2234f-0dbd-7671.jsonl", head)
    assert (forked.continues, forked.revision) == (info.continues, "")
    elsewhere = head.replace(b"01a2234f-1e82-74f0", b"/../*")
    assert describe_transcript("t", elsewhere).continues is None


def say(text):
    return (
        f'{{"type":"event_msg","payload":{{"type":"user_message","message":"{text}"}}}}\n'.encode()
    )


def roll_back(turns):
    event = f'{{"type":"thread_rolled_back","num_turns":{turns}}}'
    return f'{{"type":"event_msg","payload":{event}}}\n'.encode()


@pytest.mark.parametrize(("turns", "left"), [(1, "ab"), (2, "a"), (3, ""), (9, "")])
def test_what_the_user_goes_back_before_leaves_the_conversation(turns, left):
    pieces = (b"".join(map(say, "ab")), say("c"), roll_back(turns), say("d"))
    for cut in range(1, len(pieces) + 1):
        conversation, state = Conversation(), None
        for data in (b"".join(pieces[:cut]), *pieces[cut:]):
            parsed = parse_transcript(data, state)
            conversation.remove_from(parsed.removed_from)
            conversation.apply(parsed.messages)
            state = parsed.state
        assert "".join(m.content[0].text for m in conversation.messages()) == f"{left}d"


def test_in_pieces_it_says_the_same_as_whole(data):
    whole = {message.id: message for message in parse_transcript(data, None).messages}
    found, state, rest = {}, None, b""
    for at in range(0, len(data), 999):
        rest += data[at : at + 999]
        parsed = parse_transcript(rest, state)
        state, rest = parsed.state, rest[parsed.consumed :]
        found.update({message.id: message for message in parsed.messages})
    assert found == whole


def test_a_call_of_a_cli_that_was_killed_is_cancelled_once_it_is_resumed(data):
    lines = data.splitlines(keepends=True)
    asks = next(at for at, line in enumerate(lines) if b'"function_call"' in line)
    (turn, *_) = (at for at, line in enumerate(lines) if at > asks and b'"task_started"' in line)
    killed = parse_transcript(b"".join(lines[: asks + 1]), None)
    assert killed.messages[-1].content[0].status == "pending"
    resumed = parse_transcript(b"".join(lines[turn:]), killed.state)
    assert resumed.messages[0].id == killed.messages[-1].id
    assert resumed.messages[0].content[0].status == "cancelled"


def test_broken_lines_are_skipped_and_counted(data):
    broken = b'{"type":"response_item","payl\n[1]\n{"type":"from_tomorrow"}\n\xff\n'
    parsed = parse_transcript(broken + data, None)
    assert parsed.skipped == 4
    assert parsed.why == {
        "a line that is no record": 3,
        "a record of type 'from_tomorrow' is not known": 1,
    }
    assert parsed.messages == parse_transcript(data, None).messages


def status(output):
    """The status of a call that printed this."""
    call = {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c", "output": output}
    lines = [{"type": "response_item", "payload": each} for each in (call, result)]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return parse_transcript(data, None).messages[0].content[0].status


@pytest.mark.parametrize(
    "output",
    [
        "exec_command failed for `/bin/bash -lc 'touch gone.txt'`: CreateProcess { message: "
        '"Rejected(\\"Failed to create unified exec process: No such file or directory (os error 2)'
        '\\")" }',
        'exec_command failed: CreateProcess { message: "Rejected(\\"blocked by exit 2\\")" }',
    ],
    ids=["0.116.0, without its folder", "0.169.0, refused by a hook"],
)
def test_a_command_that_could_not_be_started_has_failed(output):
    assert status(output) == "error"


def test_what_a_tool_printed_is_not_taken_for_the_end_of_its_call():
    header = "Wall time: 1 s\nProcess exited with code {}\nOutput:\n"
    printed = "x\n" * 2000 + "Process exited with code 3\naborted by user\n"
    assert status(header.format(0) + printed) == "success"
    assert status(header.format(1) + printed) == "error"
    assert status(printed) == "success"


@pytest.mark.parametrize(
    ("message", "info", "text", "code"),
    [
        ('{"error": {"message": "too long"}}', '"other"', "too long", "api_error"),
        (
            "unexpected status 401 Unauthorized: no, url: http://127.0.0.1:42900/v1",
            '{"http_connection_failed": {"http_status_code": 401}}',
            "unexpected status 401 Unauthorized: no, url: http://127.0.0.1:42900/v1",
            "not_authorized",
        ),
        (
            "exceeded retry limit, last status: 429 Too Many Requests",
            '{"response_too_many_failed_attempts": {"http_status_code": 429}}',
            "exceeded retry limit, last status: 429 Too Many Requests",
            "rate_limited",
        ),
        ("high demand", '"internal_server_error"', "high demand", "api_error"),
        (
            "unexpected status 529: no, url: http://127.0.0.1:40142/v1",
            '{"http_connection_failed": {"http_status_code": 529}}',
            "unexpected status 529: no, url: http://127.0.0.1:40142/v1",
            "api_error",
        ),
    ],
    ids=["400", "401", "429", "500", "529"],
)
def test_a_turn_that_failed_is_an_error_of_the_session(message, info, text, code):
    """0.169 writes the error into the record of the turn's end."""
    error = f'{{"message": {json.dumps(message)}, "codex_error_info": {info}}}'
    payload = f'{{"type": "task_complete", "last_agent_message": null, "error": {error}}}'
    line = f'{{"type": "event_msg", "payload": {payload}}}\n'.encode()
    parsed = parse_transcript(line, None)
    (event,) = parsed.events
    assert (event.type, event.data) == ("session_error", {"error": text, "code": code})
    assert [message.notice for message in parsed.messages] == ["error"]


def test_a_turn_without_an_answer_is_an_error_of_the_session():
    """0.116 writes down no error."""
    said = b'{"type":"event_msg","payload":{"type":"user_message","message":"hello"}}\n'
    over = b'{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null}}\n'
    first = parse_transcript(said, None)
    (error,) = parse_transcript(over, first.state).events
    assert (error.type, error.data["code"]) == ("session_error", "api_error")
    assert parse_transcript(over, None).events == ()


CALL = b"""
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}",\
"call_id":"c"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"done"}}
""".lstrip()
PLAN = b"""
{"type":"response_item","payload":{"type":"message","role":"assistant","content":\
[{"type":"output_text","text":"<proposed_plan>..."}]}}
""".lstrip()


@pytest.mark.parametrize(("records", "errors"), [(CALL, 1), (CALL + PLAN, 0)])
def test_a_turn_that_ends_after_a_call_is_an_error_but_a_plan_is_none(records, errors):
    over = b'{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":null}}\n'
    parsed = parse_transcript(records + over, None)
    assert [event.type for event in parsed.events] == ["session_error"] * errors


def test_the_words_around_a_plan_are_left_out():
    plan = PLAN.replace(
        b"<proposed_plan>...", b"Look:\\n<proposed_plan>\\n# Plan\\n</proposed_plan>\\n"
    )
    (message,) = parse_transcript(plan, None).messages
    assert message.content[0].text == "Look:\n# Plan"


def test_an_error_of_the_service_is_one_of_the_session():
    line = b'{"type":"event_msg","payload":{"type":"error","message":"usage limit reached"}}\n'
    (error,) = parse_transcript(line, None).events
    assert (error.type, error.data["code"]) == ("session_error", "rate_limited")


def test_sources_lie_in_the_codex_home():
    (source,) = transcript_sources({"HOME": "/home/me"})
    assert source.root == "/home/me/.codex/sessions"
    assert transcript_sources({"CODEX_HOME": "/c"})[0].root == "/c/sessions"


@pytest.mark.parametrize(
    "event", [b"", b'{"type":"event_msg","payload":{"type":"context_compacted"}}\n']
)
def test_a_compaction_is_one_notice(event):
    """0.116 writes a record and an event of it, 0.171 the record alone."""
    record = b'{"type":"compacted","payload":{"message":"so far we did this"}}\n'
    parsed = parse_transcript(record + event, None)
    assert [(m.role, m.notice) for m in parsed.messages] == [("system", "compaction")]
    assert parsed.skipped == 0


def test_the_summary_of_a_compaction_is_no_answer_of_the_agent():
    """0.171.0: the model was asked for it, so that it stands there as its answer."""
    data = (FOLDER / "compacted-0.171.0.jsonl").read_bytes()
    *said, notice = parse_transcript(data, None).messages
    assert (notice.role, notice.notice) == ("system", "compaction")
    assert [block.text for block in notice.content] == ["The conversation was compacted"]
    assert not any("SUMMARY" in str(message) for message in said)
    found, state = {}, None
    for line in data.splitlines(keepends=True):
        parsed = parse_transcript(line, state)
        state = parsed.state
        found.update({message.id: message for message in parsed.messages})
    assert list(found.values()) == [*said, notice]


def test_a_usage_limit_says_when_it_ends():
    folder = Path(__file__).with_name("transcripts")
    line = (folder / "usage_limit-0.169.0.jsonl").read_bytes()
    (event,) = parse_transcript(line, None).events
    assert event.data["code"] == "usage_limit"
    ends_at = datetime.fromisoformat(event.data["endsAt"].replace("Z", "+00:00")).astimezone()
    assert (ends_at.hour, ends_at.minute) == (6, 34)
