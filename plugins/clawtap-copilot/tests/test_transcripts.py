"""The conversation as the CLI's events have it, from files of the real one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clawtap_copilot.transcript.parse import parse_transcript
from clawtap_copilot.transcript.sources import describe_transcript, transcript_sources

from clawtap_core import Message, Parsed

FOLDER = Path(__file__).with_name("transcripts")
BOTH = pytest.mark.parametrize("version", ["1.0.102", "1.0.64"])


def whole(version: str) -> bytes:
    return (FOLDER / f"{version}.jsonl").read_bytes()


def read(data: bytes, state: Any = None) -> Parsed:
    return parse_transcript(data, state)


def texts(messages: tuple[Message, ...], role: str) -> list[str]:
    return [
        block.text
        for message in messages
        for block in message.content
        if message.role == role and block.type == "text"
    ]


def event(kind: str, agent: str = "", **data: Any) -> bytes:
    line = {"type": kind, "id": f"id-{kind}", "data": data, **({"agentId": agent} if agent else {})}
    return json.dumps(line).encode() + b"\n"


@BOTH
def test_the_users_words_the_answers_and_every_call_with_its_result(version: str) -> None:
    parsed = read(whole(version))
    assert texts(parsed.messages, "user")[:2] == ["make a file please", "something long"]
    assert "All done." in texts(parsed.messages, "assistant")
    blocks = [block for message in parsed.messages for block in message.content]
    calls = {(block.tool_name, block.status) for block in blocks if block.type == "tool_use"}
    assert {("bash", "success"), ("bash", "cancelled"), ("edit", "success")} <= calls
    edit = next(b for b in blocks if b.type == "tool_result" and b.tool_name == "edit")
    assert edit.diff is not None
    assert "+TWO" in edit.diff
    assert any("made.txt" in block.text for block in blocks if block.type == "tool_result")
    assert parsed.skipped == 0


@BOTH
def test_an_interruption_is_a_notice_and_no_error(version: str) -> None:
    parsed = read(whole(version))
    assert any(message.notice == "interrupted" for message in parsed.messages)
    assert not any(event.type == "session_error" for event in parsed.events)


@BOTH
def test_a_subagents_messages_name_it(version: str) -> None:
    messages = read(whole(version)).messages
    assert {message.origin for message in messages if message.origin} == {"look around"}


@BOTH
def test_it_reads_alike_in_pieces(version: str) -> None:
    data = whole(version)
    at = len(data) // 2
    first = read(data[:at])
    second = read(data[first.consumed :], first.state)
    found = {message.id: message for message in (*first.messages, *second.messages)}
    assert tuple(found.values()) == read(data).messages


def test_the_model_its_tokens_and_the_mode_are_known() -> None:
    status = [event.data for event in read(whole("1.0.102")).events]
    assert status == [{"model": "fake-1", "contextTokens": 1290}]
    (changed,) = read(event("session.mode_changed", newMode="plan")).events
    assert changed.data == {"mode": "plan"}


def test_what_a_subagent_was_asked_is_not_the_users_word() -> None:
    asked = event("user.message", agent="a1", content="SUBTASK: look")
    own = event("user.message", source="autopilot", content="Go on")
    assert read(asked + own).messages == ()


def test_an_error_is_reported() -> None:
    parsed = read(event("session.error", errorType="query", message="401 wrong key"))
    assert [(each.type, each.data["code"]) for each in parsed.events] == [
        ("session_error", "not_authorized")
    ]
    assert parsed.messages[0].notice == "error"


def test_thoughts_come_before_the_answer() -> None:
    said = event("assistant.message", content="Well.", reasoningText="Hm.", toolRequests=[])
    (message,) = read(said).messages
    assert [(block.type, block.text) for block in message.content] == [
        ("thinking", "Hm."),
        ("text", "Well."),
    ]


def test_lines_that_are_no_events_are_counted() -> None:
    broken = b"{\n" + b'{"type": 5}\n' + event("hologram") + event("user.message", content=5)
    parsed = read(broken)
    assert parsed.messages == ()
    assert parsed.skipped == 4


def test_sessions_are_in_the_clis_folder() -> None:
    (source,) = transcript_sources({"HOME": "/home/me"}) or ()
    assert (source.root, source.pattern) == (
        "/home/me/.copilot/session-state",
        "*/events.jsonl",
    )
    (moved,) = transcript_sources({"HOME": "/home/me", "COPILOT_HOME": "/data"}) or ()
    assert moved.root == "/data/session-state"


@BOTH
def test_the_first_events_say_whose_conversation_it_is(version: str) -> None:
    info = describe_transcript(whole(version)[:65536])
    assert info is not None
    assert (info.cwd, info.title, info.version) == ("/home/me/proj", "make a file please", version)
    assert info.cli_session_id
    assert info.started_at is not None
    assert describe_transcript(b'{"type": "user.message"}\n') is None


@BOTH
def test_a_call_of_a_cli_that_was_killed_is_cancelled_once_it_is_resumed(version: str) -> None:
    lines = whole(version).splitlines(keepends=True)
    asks = next(
        at
        for at, line in enumerate(lines)
        if b'"toolCallId"' in line and b'"assistant.message"' in line
    )
    users = (at for at, line in enumerate(lines) if at > asks and b'"user.message"' in line)
    killed = read(b"".join(lines[: asks + 1]))
    assert [block.status for block in killed.messages[-1].content][-1] == "pending"
    resumed = read(event("session.resume"), killed.state)
    assert not resumed.messages  # 1.0.64 asks again
    later = read(b"".join(lines[next(users) :]), resumed.state)
    assert later.messages[0].id == killed.messages[-1].id
    assert later.messages[0].content[-1].status == "cancelled"


def test_calls_of_an_agent_that_was_stopped_are_cancelled_and_no_others() -> None:
    def asks(agent: str) -> bytes:
        request = {"toolCallId": f"call-{agent}", "name": "bash", "arguments": {"command": "ls"}}
        line = event("assistant.message", agent, toolRequests=[request])
        return line.replace(b"id-assistant.message", f"asks-{agent}".encode())

    begun = read(asks("one") + asks("two"))
    ended = read(event("subagent.completed", "one", cancelled=True), begun.state)
    changed = {block.tool_call_id: block.status for m in ended.messages for block in m.content}
    assert changed == {"call-one": "cancelled"}
    later = read(event("subagent.failed", "two"), ended.state)
    assert [block.status for m in later.messages for block in m.content] == ["cancelled"]
