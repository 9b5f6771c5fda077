"""The conversation as the session file has it, from the files of real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clawtap_qwen.transcript.parse import parse_transcript
from clawtap_qwen.transcript.sources import describe_transcript, transcript_sources

from clawtap_core import Message, Parsed

FOLDER = Path(__file__).with_name("transcripts")
BOTH = pytest.mark.parametrize("version", ["0.24.4", "0.15.10"])


def whole(version: str) -> bytes:
    return (FOLDER / f"{version}.jsonl").read_bytes()


def read(data: bytes, state: Any = None) -> Parsed:
    parsed = parse_transcript(data, state)
    assert parsed.consumed == len(data)
    return parsed


def texts(messages: tuple[Message, ...], role: str) -> list[str]:
    return [
        block.text
        for message in messages
        for block in message.content
        if message.role == role and block.type == "text"
    ]


def record(uuid: str, parent: str | None, kind: str, text: str = "", **more: Any) -> bytes:
    parts = [{"text": text}] if text else []
    line = {"uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": kind}
    return json.dumps({**line, "message": {"parts": parts}, **more}).encode() + b"\n"


@BOTH
def test_the_users_words_the_answers_and_every_call_with_its_result(version: str) -> None:
    parsed = read(whole(version))
    assert texts(parsed.messages, "user")
    assert any(text.startswith("all done") for text in texts(parsed.messages, "assistant"))
    blocks = [block for message in parsed.messages for block in message.content]
    calls = {block.tool_call_id: block for block in blocks if block.type == "tool_use"}
    results = {block.tool_call_id for block in blocks if block.type == "tool_result"}
    assert calls
    assert calls.keys() == results
    statuses = {(call.tool_name, call.status) for call in calls.values()}
    assert {("ask_user_question", "success"), ("run_shell_command", "cancelled")} <= statuses
    assert parsed.skipped == 0


def test_an_edit_has_its_diff() -> None:
    blocks = [block for message in read(whole("0.15.10")).messages for block in message.content]
    (edit,) = [b for b in blocks if b.type == "tool_result" and b.tool_name == "edit"]
    assert edit.diff is not None
    assert "+TWO" in edit.diff


@BOTH
def test_read_in_two_pieces_it_is_the_same_conversation(version: str) -> None:
    data = whole(version)
    middle = data.index(b"\n", len(data) // 2) + 1
    first = read(data[:middle])
    second = read(data[middle:], first.state)
    messages = {message.id: message for message in (*first.messages, *second.messages)}
    assert messages == {message.id: message for message in read(data).messages}


@BOTH
def test_a_session_is_described_by_its_first_records(version: str) -> None:
    info = describe_transcript("/home/me/.qwen/projects/p/chats/x.jsonl", whole(version)[:65536])
    assert info is not None
    assert (info.cwd, info.version) == ("/home/me/proj", version)
    assert info.title
    assert describe_transcript("/x.jsonl", b"{}\nno json\n") is None


@BOTH
def test_the_model_and_its_tokens_are_known(version: str) -> None:
    events = [event for event in read(whole(version)).events if event.type == "status_update"]
    assert events[-1].data["model"] == "fake-1"
    assert events[-1].data["contextTokens"] == 1290


def test_what_the_user_rewound_is_taken_back() -> None:
    said = record("u1", None, "user", "one") + record("a1", "u1", "assistant", "first")
    more = record("u2", "a1", "user", "two") + record("a2", "u2", "assistant", "second")
    back = record("r", "a1", "system", subtype="rewind")
    parsed = read(said + more + back + record("u3", "r", "user", "three"))
    assert texts(parsed.messages, "user") == ["one", "three"]
    later = read(back, read(said + more).state)
    assert later.removed_from == ("u2",)


def test_what_the_cli_adds_in_the_users_name_is_left_out() -> None:
    parts = [{"text": "<system-reminder>\nskills\n</system-reminder>"}, {"text": "hello"}]
    parsed = read(record("u1", None, "user", message={"parts": parts}))
    assert texts(parsed.messages, "user") == ["hello"]


def test_the_contents_of_files_that_a_message_mentions_are_left_out() -> None:
    said = "look at @notes.txt please"
    added = ("--- Content from referenced files ---", "Content from notes.txt:\n", "a secret")
    parts = [{"text": said}, *({"text": f"\n{text}"} for text in added)]
    data = record("u1", None, "user", message={"parts": parts})
    assert texts(read(data).messages, "user") == [said]
    assert describe_transcript("s.jsonl", data).title == said


def test_files_are_below_the_folder_of_the_cli() -> None:
    (source,) = transcript_sources({"HOME": "/home/me"})
    assert (source.root, source.pattern) == ("/home/me/.qwen/projects", "*/chats/*.jsonl")


@BOTH
def test_a_call_of_a_cli_that_was_killed_is_cancelled_once_the_next_answer_begins(
    version: str,
) -> None:
    lines = whole(version).splitlines(keepends=True)
    asks = next(at for at, line in enumerate(lines) if b'"functionCall"' in line)
    answers = (at for at, line in enumerate(lines) if at > asks and b'"type":"assistant"' in line)
    killed = read(b"".join(lines[: asks + 1]))
    assert killed.messages[-1].content[-1].status == "pending"
    resumed = read(b"".join(lines[next(answers) :]), killed.state)
    assert resumed.messages[0].id == killed.messages[-1].id
    assert resumed.messages[0].content[-1].status == "cancelled"


def test_a_compression_is_a_notice() -> None:
    (notice,) = read(record("c", "a1", "system", subtype="chat_compression")).messages
    assert (notice.role, notice.notice) == ("system", "compaction")
