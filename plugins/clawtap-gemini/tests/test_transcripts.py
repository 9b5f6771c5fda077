"""What session files of both versions say, and what broken ones do not break."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clawtap_gemini import describe_transcript, parse_transcript, transcript_sources

from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transcripts.reader import AppendedFile

FOLDER = Path(__file__).with_name("transcripts")
NEW = FOLDER / "0.61.0" / "after-resume-session-2026-11-21T20-40-c4059cdd.jsonl"
OLD = FOLDER / "0.34.0" / "after-resume-session-2026-11-21T20-40-4b21b844.json"
SAID = [
    "do the things",
    "continue please",
    "what did I say",
    "hello again",
]


@pytest.fixture(params=[NEW, OLD], ids=["0.61.0", "0.34.0"])
def data(request):
    return request.param.read_bytes()


def blocks(parsed, kind):
    return [block for message in parsed.messages for block in message.content if block.type == kind]


def test_every_record_of_a_real_file_is_known(data):
    parsed = parse_transcript(data, None)
    assert (parsed.consumed, parsed.skipped) == (len(data), 0)


def test_everything_is_said_once_though_the_history_is_written_again(data):
    parsed = parse_transcript(data, None)
    assert [m.content[0].text for m in parsed.messages if m.role == "user"] == SAID
    tools = [(block.tool_name, block.status) for block in blocks(parsed, "tool_use")]
    assert tools == [
        ("read_file", "success"),
        ("run_shell_command", "success"),
        ("run_shell_command", "success"),
        ("read_file", "error"),
        ("replace", "success"),
        ("run_shell_command", "cancelled"),
        ("ask_user", "success"),
    ]
    assert [block.text for block in blocks(parsed, "text")].count("I will read the file.") == 1


def test_thoughts_results_and_diffs_stand_in_their_message(data):
    parsed = parse_transcript(data, None)
    kinds = [block.type for block in parsed.messages[1].content]
    assert kinds == ["thinking", "thinking", "text", "tool_use", "tool_result"]
    assert parsed.messages[1].content[0].text == "**Reading the file**\n\nI look into a.txt."
    (diff,) = [block.diff for block in blocks(parsed, "tool_result") if block.diff]
    assert "-alpha\n" in diff
    assert "+beta" in diff


def test_a_refusal_is_a_notice(data):
    parsed = parse_transcript(data, None)
    assert [m.notice for m in parsed.messages if m.notice] == ["interrupted"]


def test_model_and_tokens_are_reported(data):
    (status,) = parse_transcript(data, None).events
    assert status.data["model"] == "gemini-2.5-pro"
    assert status.data["contextTokens"] == 1230


def test_the_beginning_shows_whose_conversation_it_is(data):
    info = describe_transcript("/x", data[:65536])
    assert (info.title, info.cwd_file) == ("do the things", "../.project_root")
    assert info.started_at.year == 2026


def test_a_stub_that_a_resumed_session_leaves_says_nothing():
    stub = FOLDER / "0.61.0" / "after-resume-session-2026-11-21T20-41-c4059cdd.jsonl"
    parsed = parse_transcript(stub.read_bytes(), None)
    assert (parsed.messages, parsed.skipped) == ((), 0)
    assert describe_transcript(str(stub), stub.read_bytes()).title is None


def test_a_record_with_a_known_id_replaces_it():
    lines = NEW.read_bytes().splitlines(keepends=True)
    before = parse_transcript(b"".join(lines[:6]), None)
    assert [block.type for block in before.messages[-1].content][-1] == "text"
    after = parse_transcript(lines[6], before.state)
    assert after.messages[0].id == before.messages[-1].id
    assert after.messages[0].content[-1].text == "alpha\n"


def test_reading_may_begin_at_any_line():
    """A window over the end of a file has the messages of the whole file, and no others."""
    lines = NEW.read_bytes().splitlines(keepends=True)
    whole = {message.id: message for message in messages_of(lines)}
    for at in range(1, len(lines)):
        window = messages_of(lines[at:])[1:]  # the first may be cut
        assert [message for message in window if whole.get(message.id) != message] == [], at


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_followed_keeps_its_order_wherever_it_grew(tmp_path, replaced):
    """Also where it comes back as another file, as one that a starting CLI deleted does."""
    lines = NEW.read_bytes().splitlines(keepends=True)
    whole = [message.id for message in messages_of(lines)]
    path = tmp_path / "session.jsonl"
    for at in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:at]))
        conversation, file = Conversation(), AppendedFile(path, parse_transcript)
        take(conversation, file)
        if replaced:
            path.rename(tmp_path / "before.jsonl")
            path.write_bytes(b"".join(lines[: at - 1]))
            take(conversation, file)
        for line in lines[at - replaced :]:
            with path.open("ab") as growing:
                growing.write(line)
            take(conversation, file)
        assert [message.id for message in conversation.messages()] == whole, at


def take(conversation, file):
    for parsed in file.read():
        if file.replaced:
            file.replaced = False
            conversation.replace_all(parsed.messages)
        else:
            conversation.remove_from(parsed.removed_from)
            conversation.apply(parsed.messages)


def messages_of(lines: list[bytes]):
    parsed, conversation = parse_transcript(b"".join(lines), None), Conversation()
    conversation.remove_from(parsed.removed_from)
    conversation.apply(parsed.messages)
    return conversation.messages()


def test_the_history_of_another_file_is_taken_over_where_a_file_begins_with_it():
    old = [line for line in NEW.read_bytes().splitlines() if b'"$set":{"messages"' in line]
    header = NEW.read_bytes().splitlines(keepends=True)[0]
    parsed = parse_transcript(header + old[-1] + b"\n", None)
    assert [m.content[0].text for m in parsed.messages if m.role == "user"] == SAID[1:3]


@pytest.mark.parametrize("size", [400, 5000])
def test_lines_in_pieces_say_the_same_as_whole(size):
    data = NEW.read_bytes()
    whole = {message.id: message for message in parse_transcript(data, None).messages}
    found, state, rest = {}, None, b""
    for at in range(0, len(data), size):
        rest += data[at : at + size]
        if b"\n" in rest:
            parsed = parse_transcript(rest, state)
            state, rest = parsed.state, rest[parsed.consumed :]
            found.update({message.id: message for message in parsed.messages})
    assert found == whole


@pytest.mark.parametrize("pieces", [1, 3])
def test_a_reading_that_begins_in_a_repeated_history_finds_nothing_that_was_not_said(pieces):
    """As pages of a long conversation are read, and a session that is found again."""
    lines = NEW.read_bytes().splitlines(keepends=True)
    known = [message.id for message in parse_transcript(b"".join(lines), None).messages]
    headers = [at for at, line in enumerate(lines) if b'"startTime"' in line]
    for begin in set(range(len(lines))) - set(headers):
        conversation, state = Conversation(), None
        size = -(-(len(lines) - begin) // pieces)
        for at in range(begin, len(lines), size):
            parsed = parse_transcript(b"".join(lines[at : at + size]), state)
            conversation.remove_from(parsed.removed_from)
            conversation.apply(parsed.messages)
            state = parsed.state
        found = [message.id for message in conversation.messages()]
        assert found == known[len(known) - len(found) :], f"from line {begin} on"


@pytest.mark.parametrize("cut", [0, 1, 100, 9000])
def test_an_object_that_is_half_written_is_not_read(cut):
    assert parse_transcript(OLD.read_bytes()[:cut], None).consumed == 0


class Whole:
    """The one object of an older file, as it grows; `messages` is all that was read of it."""

    def __init__(self, count=30):
        self.count = 0
        self.records, self.state, self.messages = [], None, {}
        for _ in range(count):
            self.add()
        self.parse()

    def add(self, **more):
        self.count += 1
        record = {"id": f"m{self.count}", "type": "user", "content": f"text {self.count}"}
        self.records.append({**record, **more})

    def parse(self):
        data = json.dumps({"messages": self.records}, indent=1).encode()
        parsed = parse_transcript(data, self.state)
        assert parsed.consumed == len(data)
        self.state = parsed.state
        self.messages = {} if parsed.replaces_all else self.messages
        self.messages.update({message.id: message for message in parsed.messages})
        return parsed

    def whole(self):
        return {message.id: message for message in Whole.reading(self.records).messages}

    @staticmethod
    def reading(records):
        return parse_transcript(json.dumps({"messages": records}, indent=1).encode(), None)


def test_of_an_object_that_grew_only_the_last_records_are_reported_again():
    file = Whole(300)
    file.add()
    parsed = file.parse()
    assert len(parsed.messages) < 20
    assert not parsed.replaces_all
    assert list(file.messages) == [f"m{number}" for number in range(1, 302)]


def test_a_call_that_comes_into_the_last_record_is_reported():
    file = Whole()
    file.add(type="gemini")
    file.parse()
    file.records[-1]["toolCalls"] = [{"id": "c", "name": "ls", "status": "success"}]
    file.parse()
    assert [block.type for block in file.messages["m31"].content] == [
        "text",
        "tool_use",
        "tool_result",
    ]
    assert file.messages == file.whole()


@pytest.mark.parametrize("at", [3, 25, 29])
def test_what_is_gone_from_the_object_counts_no_more(at):
    file = Whole()
    del file.records[at:]
    file.add(content="another way")
    for _ in range(30 - at):
        file.add()
    assert file.parse().replaces_all
    assert file.messages == file.whole()


def test_an_error_in_the_object_is_reported_once_and_unknown_records_are_counted():
    file = Whole(count=0)
    file.add(type="error", content="429 too many")
    file.add(type="riddle")
    reported = []
    for _ in range(40):
        file.add()
        parsed = file.parse()
        reported += [
            event.data["error"] for event in parsed.events if event.type == "session_error"
        ]
        assert parsed.skipped == 1
    assert reported == ["429 too many"]
    file.add(type="error", content="429 too many")
    assert [event.type for event in file.parse().events] == ["session_error"]


def test_a_broken_record_of_the_object_costs_that_record():
    file = Whole(count=2)
    file.records[0]["timestamp"] = "yesterday"
    parsed = Whole.reading(file.records)
    assert [message.id for message in parsed.messages] == ["m2"]
    assert parsed.skipped == 1


def test_broken_lines_are_skipped_and_counted():
    data = NEW.read_bytes()
    lines = data.splitlines(keepends=True)
    broken = [b'{"id":"x","type":"gem\n', b'{"$unknown":"y"}\n', b"3\n", b"\xff\n"]
    parsed = parse_transcript(b"".join([*lines[:3], *broken, *lines[3:]]), None)
    assert parsed.skipped == 4
    assert parsed.why == {
        "a line that is no record": 3,
        "a record without 'type' is not known": 1,
    }
    assert parsed.messages == parse_transcript(data, None).messages


def test_sources_are_lines_and_whole_files():
    lines, whole = transcript_sources({"HOME": "/home/me"})
    assert (lines.root, lines.rewritten) == ("/home/me/.gemini/tmp", False)
    assert (whole.pattern, whole.rewritten) == ("*/chats/session-*.json", True)


def test_a_file_that_another_start_cleared_away_is_named_by_its_path():
    path = FOLDER / "0.61.0" / "session-2026-11-22T03-23-d48877ca.jsonl"
    info = describe_transcript(str(path), path.read_bytes())
    assert (info.cli_session_id, info.title) == ("d48877ca", "north first")
    assert info.started_at.year == 2026
    assert len(parse_transcript(path.read_bytes(), None).messages) == 2
    assert describe_transcript("/x/other.jsonl", path.read_bytes()) is None


def as_lines(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def said(name, text):
    at = "2026-11-22T10:00:00.000Z"
    return {"id": name, "timestamp": at, "type": "user", "content": [{"text": text}]}


def answered(name, text):
    return {**said(name, ""), "type": "gemini", "content": text}


def test_messages_that_the_user_went_back_to_before_are_removed():
    parsed = parse_transcript(
        as_lines(
            said("u1", "first"),
            answered("a1", "one"),
            said("u2", "second"),
            answered("a2", "two"),
            {"$rewindTo": "u2"},
            said("u3", "third"),
        ),
        None,
    )
    assert [message.id for message in parsed.messages] == ["u1", "a1", "u3"]
    assert (parsed.skipped, parsed.removed_from) == (0, ())
    later = parse_transcript(as_lines({"$rewindTo": "u1"}, said("u4", "fourth")), parsed.state)
    assert [message.id for message in later.messages] == ["u4"]
    assert later.removed_from == ("u1",)


def test_what_the_cli_writes_in_the_users_name_is_a_notice():
    own = "User has manually exited Plan Mode. Switching to Default mode."
    parsed = parse_transcript(as_lines(said("u1", own), said("u2", "hello")), None)
    assert [(message.role, message.notice) for message in parsed.messages] == [
        ("system", "info"),
        ("user", None),
    ]
    header = {"sessionId": "1-2", "startTime": "2026-11-22T10:00:00.000Z", "kind": "main"}
    head = as_lines(header, said("u1", own), said("u2", "hello"))
    assert describe_transcript("/x/session-1.jsonl", head).title == "hello"


def test_files_that_a_message_mentions_are_no_words_of_the_user():
    written = {"text": "look at @/f1/shot.png"}
    read = [
        {"text": "\n--- Content from referenced files ---"},
        {"inlineData": {"data": "iVBO", "mimeType": "image/png"}},
        {"text": "\n--- End of content ---"},
    ]
    record = {**said("u1", ""), "content": [written, *read], "displayContent": [written]}
    (message,) = parse_transcript(as_lines(record), None).messages
    assert [block.text for block in message.content] == ["look at @/f1/shot.png"]


def test_the_summary_that_the_cli_wrote_is_reported_with_the_latest_model(data):
    status = {}
    for event in parse_transcript(data, None).events:
        status.update(event.data)
    assert status["summary"] == "aux answer"
    assert status["model"].startswith("gemini-")


@pytest.mark.parametrize("kind", ["info", "error", "warning"])
def test_a_notice_holds_no_escape_sequences(kind):
    shown = "Request cancelled \x1b[31mred\x1b[0m\x07."
    record = {**said("n1", shown), "type": kind}
    (message,) = parse_transcript(as_lines(record), None).messages
    assert message.content[0].text == "Request cancelled red."


@pytest.mark.parametrize(
    "text",
    [
        "[API Error: You exceeded your current quota, please check your plan and billing details.]",
        "[API Error: You have exhausted your daily quota on this model.]",
    ],
)
def test_a_used_up_quota_is_a_usage_limit_without_an_end(text):
    file = Whole(count=0)
    file.add(type="error", content=text)
    (event,) = file.parse().events
    assert event.data == {"error": text, "code": "usage_limit"}
