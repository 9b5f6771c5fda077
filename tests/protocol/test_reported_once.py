"""A call that both the CLI and its transcript report is reported once."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest
from toy_protocol import SpokenAdapter
from toy_transcripts import append, write

from clawtap_core import (
    SUCCESS,
    Block,
    Message,
    Parsed,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)

pytestmark = pytest.mark.process

ONCE = {"tool_call_start": 1, "tool_call_end": 1, "tool_result": 1}


class TextProgress(SpokenAdapter):
    """The spoken CLI, with transcripts: a line for each call that came to its end."""

    @hookimpl
    def transcript_sources(self, env, cwd):
        return [TranscriptSource(env["HOME"] + "/calls", "*.jsonl")]

    @hookimpl
    def describe_transcript(self, path, head):
        return TranscriptInfo(path.rsplit("/", 1)[-1].removesuffix(".jsonl"))

    @hookimpl
    def parse_transcript(self, data, state):
        end = data.rfind(b"\n") + 1
        calls = [json.loads(line) for line in data[:end].splitlines()]
        return Parsed(end, state, tuple(_message(call) for call in calls))


def _message(call):
    blocks = (
        Block("tool_use", "", call, "run", {}, SUCCESS),
        Block("tool_result", "it ran", call, "run", None, SUCCESS),
    )
    return Message(f"said:{call}", "assistant", blocks)


@pytest.fixture
def room(open_room, tmp_path):
    return open_room(adapter=TextProgress(tmp_path / "log"))


def written(room, session, call):
    """The CLI writes down a call."""
    line = json.dumps(call).encode() + b"\n"
    path = room.folder / "calls" / f"{room.transport.session(session).cli_session_id}.jsonl"
    (append if path.exists() else write)(path, line)


def heard(room):
    """The events from now on, None when there are no more: what is kept was replayed by then."""
    events = room.transport.events(idle=0.1)
    assert list(iter(lambda: next(events), None))
    return events


def calls(events, until, call):
    """How often each event of a call came, until an event of this type came."""
    reported = Counter()
    patience = time.monotonic() + 60
    while (event := next(events)) is None or event.type != until:
        assert time.monotonic() < patience, f"no {until} came after {reported}"
        if event and event.data.get("toolCallId") == call:
            reported[event.type] += 1
    return reported


def test_what_the_cli_reported_is_not_repeated_by_its_transcript(room):
    session = room.idle(room.start())
    events = heard(room)
    room.transport.message(session, "begin:c1 end:c1")
    reported = calls(events, "done", "c1")
    written(room, session, "c1")
    assert reported + calls(events, "message", "c1") == ONCE


def test_what_the_transcript_reported_is_not_repeated_by_the_cli(room):
    session = room.idle(room.start())
    events = heard(room)
    written(room, session, "c1")
    reported = calls(events, "message", "c1")
    room.transport.message(session, "begin:c1 end:c1")
    assert reported + calls(events, "done", "c1") == ONCE


def test_what_only_one_of_them_reports_is_reported(room):
    session = room.idle(room.start())
    events = heard(room)
    room.transport.message(session, "begin:c1 end:c1")
    assert calls(events, "done", "c1") == ONCE
    written(room, session, "c2")
    assert calls(events, "message", "c2") == ONCE
