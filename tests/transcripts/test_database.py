"""Conversations in an SQLite database: read by the adapter's queries, never in the writer's way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.model import (
    Block,
    Message,
    Parsed,
    TranscriptInfo,
    TranscriptQueries,
    TranscriptSource,
)
from clawtap_core.transcripts import database as database_module
from clawtap_core.transcripts.database import DatabaseConversation, conversation_rows
from clawtap_core.transcripts.library import Library
from clawtap_core.transcripts.pages import Pages

QUERIES = TranscriptQueries(
    "SELECT id, changed_at, cwd FROM session ORDER BY changed_at DESC",
    "SELECT name, text FROM said WHERE session = :id ORDER BY name DESC",
)


class Chat:
    """A CLI that keeps its conversations in a database, and has it open."""

    def __init__(self, folder: Path, mode: str = "WAL") -> None:
        self.path = folder / "chats.db"
        self.connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        self.connection.execute(f"PRAGMA journal_mode = {mode}")
        self.connection.execute("CREATE TABLE session (id, changed_at, cwd)")
        self.connection.execute("CREATE TABLE said (session, name, text)")

    def begin(self, name: str, changed_at: Any = 1_700_000_000_000) -> None:
        self.connection.execute("INSERT INTO session VALUES (?, ?, '/proj')", (name, changed_at))

    def say(self, session: str, name: str, text: Any) -> None:
        self.connection.execute("INSERT INTO said VALUES (?, ?, ?)", (session, name, text))


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    chat = Chat(tmp_path)
    yield chat
    chat.connection.close()


class Adapter:
    """What the library asks of an adapter."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def transcript_sources(self, *_: object) -> list[TranscriptSource]:
        return [TranscriptSource(str(self.root), "chats.db", queries=QUERIES)]

    def describe_transcript(self, path: str, head: bytes) -> TranscriptInfo:
        row = json.loads(head)
        return TranscriptInfo(row["id"], row["cwd"])

    def parse_transcript(self, data: bytes, state: Any) -> Parsed:
        rows = [json.loads(line) for line in data.splitlines()]
        said = [Message(r["name"], "user", (Block("text", str(r["text"])),)) for r in rows]
        return Parsed(len(data), messages=tuple(said))


def library(chat: Chat) -> Library:
    return Library(Adapter(chat.path.parent), {})  # type: ignore[arg-type]


def names(parsed: Parsed) -> list[str]:
    return [message.id for message in parsed.messages]


def test_each_conversation_is_a_transcript_the_latest_first(chat: Chat) -> None:
    chat.begin("old", 1_600_000_000_000)
    chat.begin("new", 1_700_000_000_000)
    found = library(chat).find("/proj")
    assert [each.info.cli_session_id for each in found] == ["new", "old"]
    assert library(chat).find("/proj", since=1_650_000_000.0) == found[:1]
    assert library(chat).at(found[1].path) == found[1]
    assert library(chat).at(chat.path / "nobody") is None
    assert found[0].folder == chat.path.parent


def test_its_messages_are_read_in_order_and_again_when_they_changed(chat: Chat) -> None:
    chat.begin("one")
    chat.say("one", "m1", "hello")
    chat.say("one", "m2", "there")
    chat.say("two", "m3", "somebody else")
    (transcript,) = library(chat).find()
    parse = Adapter(chat.path.parent).parse_transcript
    file = transcript.open(parse)
    assert [names(parsed) for parsed in file.read()] == [["m1", "m2"]]
    assert list(file.read()) == []
    chat.say("one", "m4", "more")
    assert [names(parsed) for parsed in file.read()] == [["m1", "m2", "m4"]]
    messages, more = Pages(transcript, parse).last(2)
    assert ([message.id for message in messages], more) == (["m2", "m4"], True)
    assert [message.id for message in library(chat).tail(transcript)] == ["m1", "m2", "m4"]


def test_the_cli_writes_while_it_is_read_and_nothing_is_left_behind(chat: Chat) -> None:
    for number in range(200):
        chat.begin(f"s{number}")
    rows = conversation_rows(chat.path, QUERIES.conversations)
    next(rows)
    # A writer that had to wait would fail at once.
    chat.begin("meanwhile")
    assert len(list(rows)) == 199
    chat.connection.close()
    before = sorted(chat.path.parent.iterdir())
    assert len(list(conversation_rows(chat.path, QUERIES.conversations))) == 201
    assert sorted(chat.path.parent.iterdir()) == before


def test_a_database_where_a_reader_would_hold_up_the_writer_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chat = Chat(tmp_path, "DELETE")
    chat.begin("one")
    found = library(chat)
    assert found.find() == []
    assert found.find() == []
    chat.connection.close()
    assert [record.getMessage() for record in caplog.records] == [
        f"transcript {str(chat.path)!r} cannot be read: it is no SQLite database in WAL mode"
    ]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM session",
        "ATTACH ':memory:' AS other",
        "PRAGMA journal_mode = DELETE",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "SELECT nothing FROM nowhere",
    ],
)
def test_a_query_only_selects(chat: Chat, query: str) -> None:
    chat.begin("one")
    with pytest.raises(OSError, match="SQLite"):
        list(conversation_rows(chat.path, query))
    assert len(list(conversation_rows(chat.path, QUERIES.conversations))) == 1


def test_a_query_that_takes_too_long_is_ended(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        chat.begin(f"s{number}")
    monkeypatch.setattr(database_module, "_SECONDS", 0.0)
    query = "SELECT a.id FROM session a, session b, session c, session d WHERE a.cwd = 'nowhere'"
    with pytest.raises(OSError, match="interrupted"):
        list(conversation_rows(chat.path, query))


def test_of_a_long_conversation_the_latest_rows_are_read(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        chat.say("one", f"m{number:03}", "x" * 100)
    monkeypatch.setattr(database_module, "LONGEST_CONVERSATION", 1000)
    lines = DatabaseConversation(chat.path, QUERIES.records, "one").read().splitlines()
    assert len(lines) < 12
    assert json.loads(lines[-1])["name"] == "m099"


def test_what_a_database_holds_cannot_name_another_path_or_break_a_line(chat: Chat) -> None:
    chat.begin("../../etc")
    chat.begin("a/b")
    chat.begin("no-time", "soon")
    chat.begin("far", 10**18)
    chat.begin("fine")
    chat.say("fine", "m1", b"\xff\x00")
    chat.say("fine", "m2", "two\nlines\0")
    chat.connection.execute("INSERT INTO said VALUES ('fine', 'm3', CAST(x'ff41' AS TEXT))")
    chat.say("fine", "m4", 1e999)
    (transcript,) = library(chat).find()
    assert transcript.info.cli_session_id == "fine"
    assert transcript.rows is not None
    rows = [json.loads(line) for line in transcript.rows.read().splitlines()]
    assert [row["text"] for row in rows] == [None, "two\nlines\0", "\ufffdA", None]


def test_a_file_that_is_no_database_is_no_transcript(tmp_path: Path) -> None:
    (tmp_path / "chats.db").write_bytes(b"SQLite format 3\0" + b"\x10\x00\x02\x02" + b"x" * 5000)
    found = Library(Adapter(tmp_path), {})  # type: ignore[arg-type]
    assert found.find() == []
    (tmp_path / "chats.db").write_bytes(b"")
    assert found.find() == []
