"""What transcripts of both versions say, and what broken ones do not break."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_claude import describe_transcript, parse_transcript, transcript_sources

from clawtap_core.transcripts.conversation import Conversation

FOLDER = Path(__file__).with_name("transcripts")
VERSIONS = ("2.1.330", "2.1.85")
NAME = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"


@pytest.fixture(params=VERSIONS)
def data(request):
    return (FOLDER / request.param / f"{NAME}.jsonl").read_bytes()


def calls(parsed, tool):
    return [
        block.status
        for message in parsed.messages
        for block in message.content
        if block.type == "tool_use" and block.tool_name == tool
    ]


def test_every_record_of_a_real_transcript_is_known(data):
    parsed = parse_transcript(data, None)
    assert (parsed.consumed, parsed.skipped) == (len(data), 0)


def test_blocks_of_one_message_are_put_together_and_results_stand_by_their_calls(data):
    first, second, *_ = parse_transcript(data, None).messages
    assert (first.role, first.content[0].text) == ("user", "bash allowed")
    kinds = [block.type for block in second.content]
    assert kinds == ["thinking", "text", "tool_use", "tool_result"]
    assert second.content[2].input["command"] == "touch made.txt && echo done"
    assert (second.content[3].text, second.content[3].status) == ("done", "success")


def test_calls_succeed_fail_or_are_refused(data):
    statuses = calls(parse_transcript(data, None), "Bash")
    assert statuses[:4] == ["success", "cancelled", "cancelled", "error"]
    assert statuses[-2:] == ["success", "success"]


def test_an_open_call_is_pending_until_its_result_is_written(data):
    lines = data.splitlines(keepends=True)
    at = next(index for index, line in enumerate(lines) if b'"tool_use","id"' in line)
    before = parse_transcript(b"".join(lines[: at + 1]), None)
    assert calls(before, "Bash") == ["pending"]
    after = parse_transcript(b"".join(lines[at + 1 :]), before.state)
    assert after.messages[0].id == before.messages[-1].id
    assert calls(after, "Bash")[0] == "success"


def test_what_a_conversation_cost_is_known_where_the_cli_writes_it():
    new, old = (
        parse_transcript((FOLDER / version / f"{NAME}.jsonl").read_bytes(), None).events
        for version in VERSIONS
    )
    assert [event.data["cost"] for event in new if "cost" in event.data][-1] == 0.28018
    assert not [event for event in old if "cost" in event.data]


def test_an_edit_brings_its_diff(data):
    parsed = parse_transcript(data, None)
    diffs = [block.diff for message in parsed.messages for block in message.content if block.diff]
    assert '-    print("hello " + name)\n+    print("bye " + name)\n' in diffs[0]


def test_model_and_context_are_reported_once_a_reading(data):
    (status,) = [
        event for event in parse_transcript(data, None).events if event.type == "status_update"
    ]
    assert status.data["model"].startswith("claude-")
    assert status.data["contextTokens"] > 5000


def test_an_error_of_the_service_is_one_of_the_session():
    parsed = parse_transcript((FOLDER / "2.1.85" / f"{NAME}.jsonl").read_bytes(), None)
    (error,) = [event for event in parsed.events if event.type == "session_error"]
    assert (error.data["code"], "fake error 400" in error.data["error"]) == ("api_error", True)


def test_an_interruption_is_a_notice_and_what_the_cli_put_in_is_not_the_users(data):
    parsed = parse_transcript(data, None)
    assert [m.notice for m in parsed.messages].count("interrupted") == 3
    said = [m.content[0].text for m in parsed.messages if m.role == "user"]
    assert not [text for text in said if text.startswith(("<", "["))]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_subagent_is_named_and_found_beside_its_session(version):
    (path,) = (FOLDER / version / NAME / "subagents").glob("*.jsonl")
    data = path.read_bytes()
    info = describe_transcript(str(path), data)
    assert (info.cli_session_id, info.origin) == (NAME, path.stem.removeprefix("agent-"))
    assert {message.origin for message in parse_transcript(data, None).messages} == {info.origin}
    meta = path.parent / info.origin_file
    assert describe_transcript(str(meta), meta.read_bytes()).origin == "Look around"
    main = FOLDER / version / f"{NAME}.jsonl"
    assert list(main.parent.glob(describe_transcript(str(main), main.read_bytes()).companions))


@pytest.mark.parametrize(
    ("meta", "name"),
    [
        (b'{"agentType": "Explore"}', "Explore"),
        (b'{"agentType": "Explore", "description": " Find\\n tests "}', "Find tests"),
        (b"{}", None),
    ],
)
def test_a_subagent_is_named_by_its_task_or_else_its_type(meta, name):
    assert describe_transcript("/x/agent-1.meta.json", meta).origin == name
    assert describe_transcript("/x/agent-1.meta.json", b"not JSON") is None


def test_the_beginning_shows_whose_conversation_it_is(data):
    info = describe_transcript(f"/x/{NAME}.jsonl", data[:8000])
    assert (info.cli_session_id, info.title) == (NAME, "bash allowed")
    assert info.cwd.endswith("/proj")
    assert info.started_at.year == 2026


@pytest.mark.parametrize("size", [1, 777, 4096])
def test_in_pieces_it_says_the_same_as_whole(data, size):
    whole = {message.id: message for message in parse_transcript(data, None).messages}
    found, state, rest = {}, None, b""
    for at in range(0, len(data), size if size > 1 else 100_000):
        rest += data[at : at + (size if size > 1 else 100_000)]
        parsed = parse_transcript(rest, state)
        state, rest = parsed.state, rest[parsed.consumed :]
        found.update({message.id: message for message in parsed.messages})
    assert found == whole


def test_broken_lines_are_skipped_and_counted(data):
    lines = data.splitlines(keepends=True)
    broken = [b'{"type":"user","mess\n', b"\xff\xfe\n", b'{"type":"from-tomorrow"}\n', b"[]\n"]
    parsed = parse_transcript(b"".join([lines[0], *broken, *lines[1:]]), None)
    assert parsed.skipped == 4
    assert parsed.why == {
        "a line that is no record": 3,
        "a record of type 'from-tomorrow' is not known": 1,
    }
    assert parsed.messages == parse_transcript(data, None).messages


def test_a_record_of_a_kind_that_is_not_read_may_have_any_form():
    lines = b'{"type":"from-tomorrow","message":"hm"}\n{"uuid":"x","type":"progress","message":3}\n'
    parsed = parse_transcript(lines, None)
    assert parsed.why == {"a record of type 'from-tomorrow' is not known": 1}


def test_sources_are_those_of_the_folder_or_of_all():
    env = {"HOME": "/home/me"}
    (one,) = transcript_sources(env, "/home/me/a.b c")
    assert (one.root, one.pattern) == ("/home/me/.claude/projects", "-home-me-a-b-c/*.jsonl")
    (wide,) = transcript_sources(env, "/日本 \U0001f468")
    assert wide.pattern == "------/*.jsonl"
    (every,) = transcript_sources({"CLAUDE_CONFIG_DIR": "/etc/c"}, "")
    assert (every.root, every.pattern) == ("/etc/c/projects", "*/*.jsonl")


def test_a_compaction_and_its_summary_are_notices_and_not_the_users_words():
    said = b'"message":{"role":"user","content":"so far we did this"}'
    lines = (
        b'{"type":"system","subtype":"compact_boundary","uuid":"b","content":"Compacted"}\n',
        b'{"type":"user","uuid":"s","isCompactSummary":true,' + said + b"}\n",
    )
    parsed = parse_transcript(b"".join(lines), None)
    assert [m.notice for m in parsed.messages] == ["compaction", "compaction"]
    assert "user" not in [m.role for m in parsed.messages]
    assert parsed.skipped == 0


def test_a_notice_holds_no_escape_sequences():
    words = "<local-command-stdout>\\u001b[2mCompacted (ctrl+o)\\u001b[22m</local-command-stdout>"
    line = f'{{"type":"user","uuid":"u","message":{{"role":"user","content":"{words}"}}}}\n'
    (message,) = parse_transcript(line.encode(), None).messages
    assert (message.notice, message.content[0].text) == ("info", "Compacted (ctrl+o)")


def test_a_shell_command_of_the_desk_is_its_words_and_what_it_printed_a_notice():
    lines = (FOLDER / "shell_at_the_desk-2.1.332.jsonl").read_bytes()
    said = [(m.role, m.notice, m.content[0].text) for m in parse_transcript(lines, None).messages]
    # The second one printed nothing.
    assert said == [
        ("user", None, "!sleep 4; echo done-with-it"),
        ("system", "info", "done-with-it"),
        ("user", None, "!read -p 'your name? ' x"),
    ]


@pytest.mark.parametrize(
    ("version", "ends_at"),
    [("2.1.330", "2026-11-23T06:34:26Z"), ("2.1.85", "2026-11-23T06:34:59Z")],
)
def test_a_usage_limit_says_when_it_ends(version, ends_at):
    line = (FOLDER / f"usage_limit-{version}.jsonl").read_bytes()
    (event,) = parse_transcript(line, None).events
    assert event.type == "session_error"
    assert (event.data["code"], event.data["endsAt"]) == ("usage_limit", ends_at)
    assert event.data["error"].startswith("You've hit your ")


def test_the_open_call_of_a_cli_that_was_killed_is_cancelled_once_it_is_resumed():
    lines = (FOLDER / "killed_and_resumed-2.1.85.jsonl").read_bytes().splitlines(keepends=True)
    assert calls(parse_transcript(b"".join(lines[:2]), None), "Bash") == ["pending"]
    parsed = parse_transcript(b"".join(lines), None)
    assert calls(parsed, "Bash") == ["cancelled", "success"]
    texts = [block.text for each in parsed.messages for block in each.content]
    assert "No response requested." not in texts


@pytest.mark.parametrize("version", ["2.1.332", "2.1.85"])
@pytest.mark.parametrize("size", [1_000_000, 700])
def test_what_the_user_went_back_to_before_is_removed(version, size):
    """`/rewind` to the third question, and Escape before an answer to the fifth."""
    data = (FOLDER / f"rewound-{version}.jsonl").read_bytes()
    conversation, state, read = Conversation(), None, 0
    for end in [*range(size, len(data), size), len(data)]:
        parsed = parse_transcript(data[read:end], state)
        read, state = read + parsed.consumed, parsed.state
        conversation.remove_from(parsed.removed_from)
        conversation.apply(parsed.messages)
    asked = [each.content[0].text for each in conversation.messages() if each.role == "user"]
    assert asked == [f"question {number}" for number in (0, 1, 4, 6)]
