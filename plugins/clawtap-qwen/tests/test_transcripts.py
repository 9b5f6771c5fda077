"""The conversation as the session file has it, from the files of real ones."""

from __future__ import annotations

import json
from typing import Any

from clawtap_qwen.transcript.parse import parse_transcript
from clawtap_qwen.transcript.sources import transcript_sources

from clawtap_core import Message, Parsed


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


def test_files_are_below_the_folder_of_the_cli() -> None:
    (source,) = transcript_sources({"HOME": "/home/me"})
    assert (source.root, source.pattern) == ("/home/me/.qwen/projects", "*/chats/*.jsonl")
