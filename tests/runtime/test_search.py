"""Search finds what was said, soon after it was said, and nothing that is gone."""

from __future__ import annotations

import json
import os
from datetime import datetime, timezone
from pathlib import Path

import pytest
from fake_terminal import Desk, FakeTerminal, Toy, make_adapter, until
from toy_transcripts import Notes, append, note, write

from clawtap_core import (
    Block,
    Kind,
    LaunchRequest,
    Message,
    Parsed,
    PromptForm,
    Question,
    Response,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)
from clawtap_core.errors import BadRequest
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.search import indexer
from clawtap_core.runtime.timings import Timings
from clawtap_core.search.api import IndexedMessage
from clawtap_core.search.sqlite import SqliteIndex

SECRET = "opensesame"
QUICK = Timings(search_scan=0.05, search_settle=0.01, search_rest=0.0)


@hookimpl
def transcript_sources(env, cwd):
    root = env["HOME"] + "/notes"
    return [
        TranscriptSource(root, "*.jsonl"),
        TranscriptSource(root, "*.json", rewritten=True),
    ]


@hookimpl
def describe_transcript(path, head):
    name = Path(path).name.partition(".")[0]
    return TranscriptInfo(name, cwd="/srv/shop", title=f"About {name}")


@hookimpl
def parse_transcript(data, state):
    if data.startswith(b"["):
        try:
            lines = json.loads(data)
        except ValueError:
            return None
        messages = tuple(Message(id_, "user", (Block("text", text),)) for id_, text in lines)
        return Parsed(len(data), messages=messages, replaces_all=True)
    parsed = Notes()(data, state)
    rewound = [json.loads(line).get("rewindTo") for line in data.splitlines()]
    return Parsed(
        parsed.consumed,
        messages=parsed.messages,
        removed_from=tuple(filter(None, rewound)),
    )


class Office:
    """Desks over one folder of transcripts, with a search index that outlives them."""

    def __init__(self, folder):
        self.notes, self.file = folder / "notes", folder / "data" / "search.db"
        self.file.parent.mkdir(mode=0o700)
        self.notes.mkdir()
        self.journal, self.terminal = MemoryJournal(), FakeTerminal()
        self.opened = []
        self.parse = parse_transcript

    def open(self):
        adapter = make_adapter()
        for hook in (transcript_sources, describe_transcript):
            setattr(adapter, hook.__name__, hook)
        adapter.parse_transcript = self.parse
        host = Host()
        host.add(adapter, "toy")
        runtime = Runtime(
            host,
            self.terminal,
            self.journal,
            env={"HOME": str(self.notes.parent)},
            search=SqliteIndex(self.file),
            timings=QUICK,
        )
        self.opened.append(runtime)
        return Desk(self.terminal, self.journal, runtime)

    def close(self):
        while self.opened:
            self.opened.pop().close()

    def write(self, name, *lines):
        return write(self.notes / name, *lines)


@pytest.fixture
def office(tmp_path):
    office = Office(tmp_path)
    yield office
    office.close()


def found(desk, text, **page):
    return [one.message_id for one in desk.transport().search(text, **page).messages]


def until_found(desk, text, names):
    until(lambda: found(desk, text) == names)


def test_stored_conversations_are_found(office):
    office.write("north.jsonl", note("n1", "go north", at=100), note("n2", "it is cold", at=200))
    desk = office.open()
    until_found(desk, "cold", ["n2"])
    page = until(lambda: (p := desk.transport().search("north")).complete and p)
    (match,) = page.messages
    assert (match.adapter, match.cli_session_id, match.role) == ("toy", "north", "user")
    assert (match.title, match.cwd, match.session_id) == ("About north", "/srv/shop", None)
    assert [(part.text, part.match) for part in match.snippet] == [("go ", False), ("north", True)]
    assert [each.cli_session_id for each in page.sessions] == ["north"]


def test_pages_follow_each_other(office):
    office.write("north.jsonl", *(note(f"n{n}", "again", at=100 + n) for n in range(5)))
    desk = office.open()
    until_found(desk, "again", ["n4", "n3", "n2", "n1", "n0"])
    first = desk.transport().search("again", limit=3)
    second = desk.transport().search("again", limit=3, cursor=first.cursor)
    assert [one.message_id for one in (*first.messages, *second.messages)] == [
        *("n4", "n3", "n2", "n1", "n0")
    ]
    assert second.cursor is None
    assert second.sessions == ()


@pytest.mark.parametrize("cursor", ["x", "-1", "²", "1" * 40])
def test_a_foreign_cursor_is_refused(office, cursor):
    with pytest.raises(BadRequest):
        office.open().transport().search("again", cursor=cursor)


def test_what_is_added_is_found(office):
    path = office.write("north.jsonl", note("n1", "go north"))
    desk = office.open()
    until_found(desk, "north", ["n1"])
    append(path, note("n2", "further north"))
    until_found(desk, "further", ["n2"])


def test_a_rewound_conversation_loses_what_was_said_after(office):
    path = office.write("north.jsonl", note("n1", "one way"), note("n2", "two ways", at=100))
    desk = office.open()
    until_found(desk, "two", ["n2"])
    append(path, json.dumps({"rewindTo": "n2"}).encode() + b"\n", note("n3", "three ways"))
    until_found(desk, "three", ["n3"])
    assert found(desk, "two") == []
    assert found(desk, "one") == ["n1"]


def test_a_rewritten_conversation_is_found_as_it_is_now(office):
    path = office.write("south.json", json.dumps([["s1", "first try"], ["s2", "warm"]]).encode())
    desk = office.open()
    until_found(desk, "warm", ["s2"])
    path.write_text(json.dumps([["s1", "second try"]]))
    until_found(desk, "second", ["s1"])
    until_found(desk, "warm", [])
    assert found(desk, "first") == []


def test_a_transcript_that_was_replaced_is_read_from_its_start(office):
    path = office.write("north.jsonl", note("n1", "go north"), note("n2", "and further north"))
    desk = office.open()
    until_found(desk, "further", ["n2"])
    new = office.write("new", note("n3", "start over"))
    new.replace(path)
    until_found(desk, "over", ["n3"])
    until_found(desk, "north", [])


def test_a_transcript_that_was_removed_is_not_found(office):
    path = office.write("north.jsonl", note("n1", "go north"))
    desk = office.open()
    until_found(desk, "north", ["n1"])
    path.unlink()
    until_found(desk, "north", [])
    assert desk.transport().search("north").sessions == ()


def test_after_a_restart_only_what_changed_is_read(office):
    north = office.write("north.jsonl", note("n1", "go north"), note("n2", "far north", at=100))
    office.write("south.jsonl", note("s1", "go south"))
    desk = office.open()
    until_found(desk, "south", ["s1"])
    until_found(desk, "far", ["n2"])
    office.close()
    # A shorter file under the same name, while nobody looked.
    write(north, note("n1", "go north"), note("n4", "x"))
    os.utime(north, (1, 1))
    notes = Notes()
    office.parse = hookimpl(lambda data, state: notes(data, state))
    desk = office.open()
    until_found(desk, "far", [])
    assert found(desk, "south") == ["s1"]
    assert found(desk, "go north") == ["n1"]
    assert not any(b"south" in data for data in notes.given)


def test_a_followed_conversation_is_found_as_its_session(office):
    office.terminal.program = Toy()
    desk = office.open()
    path = office.write("north.jsonl", note("n1", "go north"))
    session = desk.transport().start(LaunchRequest("toy", str(office.notes.parent)))
    desk.agent.conversations.follow(session.id, "north", str(path))
    until(lambda: desk.transport().messages(session.id).messages)
    append(path, note("n2", "the lighthouse"))
    until_found(desk, "lighthouse", ["n2"])
    (match,) = desk.transport().search("lighthouse").messages
    assert match.session_id == session.id
    desk.transport().rename(session.id, "Expedition")
    (named,) = desk.transport().search("expedition").sessions
    assert (named.session_id, named.archived) == (session.id, False)


def test_an_archived_session_is_still_found(office):
    office.terminal.program = Toy()
    desk = office.open()
    session = desk.transport().start(LaunchRequest("toy", str(office.notes.parent)))
    desk.transport().rename(session.id, "Expedition")
    assert desk.transport().archive(session.id).archived
    (match,) = desk.transport().search("expedition").sessions
    assert match.archived
    assert not desk.transport().archive(session.id, False).archived


def test_the_output_of_tools_and_thoughts_are_not_searched(office):
    def parse(data, state):
        blocks = (
            Block("thinking", "pondering"),
            Block(
                "tool_use", "", "c1", "Bash", {"command": "make deploy", "password": "opensesame"}
            ),
            Block("tool_result", "hunter2 deployed", "c1", "Bash"),
            Block(
                "tool_use", "", "c2", "Ask", {"question": "Which?", "answers": {"0": "bluebell"}}
            ),
        )
        return Parsed(len(data), messages=(Message("a1", "assistant", blocks),))

    office.parse = hookimpl(parse)
    office.write("north.jsonl", note("n1"))
    desk = office.open()
    until_found(desk, "make deploy", ["a1"])
    assert found(desk, "ask which run") == ["a1"]
    for text in ("pondering", "hunter2", "deployed", SECRET, "bluebell"):
        assert found(desk, text) == [], text


def test_a_password_is_not_in_the_index(office):
    office.write("north.jsonl", note("n1", "log in with password: opensesame and wait"))
    desk = office.open()
    until_found(desk, "wait", ["n1"])
    assert found(desk, "opensesame") == []
    office.close()
    assert b"opensesame" not in b"".join(each.read_bytes() for each in office.file.parent.iterdir())


def test_a_secret_answer_is_not_in_the_index_wherever_a_cli_writes_it(office):
    desk = office.open()
    form = PromptForm(Kind.QUESTION, "Sign in", questions=(Question("Word?", secret=True),))
    asked = desk.transport().ask(form)
    answer = Response(asked.request_id, answers={"0": "moonlit harbour"})
    desk.transport().respond(asked.session_id, answer)
    office.write("north.jsonl", note("n1", "so it is moonlit harbour, thanks"))
    until_found(desk, "thanks", ["n1"])
    assert found(desk, "moonlit") == found(desk, "harbour") == []


def test_a_large_rewritten_transcript_is_left_alone(office, monkeypatch):
    monkeypatch.setattr(indexer, "LARGEST_REWRITTEN", 10)
    office.write("south.json", json.dumps([["s1", "far too large"]]).encode())
    office.write("north.jsonl", note("n1", "not too large"))
    desk = office.open()
    until_found(desk, "large", ["n1"])
    until(lambda: desk.transport().search("large").complete)
    assert found(desk, "large") == ["n1"]


def test_a_transcript_that_cannot_be_read_hides_no_other(office, caplog):
    office.write("bad.jsonl", b'{"id": "b1", "text": 7}\n', b"\xff\xfe\n")
    (office.notes / "pipe.jsonl").symlink_to("/dev/zero")
    office.write("north.jsonl", note("n1", "go north"))
    until_found(office.open(), "north", ["n1"])


def test_without_an_index_sessions_are_found(open_desk, tmp_path):
    desk = open_desk(Toy())
    desk.transport().rename(desk.session_id, "Expedition")
    page = desk.transport().search("expedition")
    assert [each.session_id for each in page.sessions] == [desk.session_id]
    assert page.messages == ()
    assert page.complete


def test_any_text_can_be_searched(office):
    desk = office.open()
    for text in ('"', '""', "*", "a AND", "NOT", "(", "NEAR(a b", "text:x", "-", "\0", "'", "🚀*"):
        assert desk.transport().search(text).messages == ()


def test_a_secret_that_is_answered_while_messages_are_read_is_hidden_too(office):
    desk = office.open()
    reading = desk.agent.search._indexer

    class Text(str):
        def replace(self, *_):
            reading.hide(f"{SECRET} again")
            return str(self)

    reading.hide(SECRET)
    message = IndexedMessage("n1", "user", datetime.now(timezone.utc), Text("hello"), 1)
    assert reading._without_hidden(message).text == "hello"
