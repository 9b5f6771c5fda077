"""A small child that speaks JSON lines, and a peer that knows it."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from toy_protocol_testbed import ProtocolTestbed

from clawtap_core.model import (
    Ack,
    Interrupt,
    Kind,
    Option,
    PromptForm,
    PromptRequested,
    RequestCancelled,
    SessionFacts,
    SessionState,
    Write,
)
from clawtap_core.protocol import Child, Link
from clawtap_core.protocol_io.json_lines import JsonLines, json_line
from clawtap_core.runtime.timings import DEFAULT_TIMINGS

ECHO = """
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said.get("exit") is not None:
        print("last words", file=sys.stderr)
        sys.exit(said["exit"])
    print(json.dumps(said), flush=True)
"""


class ToyPeer:
    """Reports what the lines themselves ask for."""

    def __init__(self):
        self.lines = JsonLines()

    def open(self):
        return json_line({"state": "idle"})

    def receive(self, data):
        for line in self.lines.feed(data):
            if "state" in line:
                yield SessionFacts(SessionState(line["state"]))
            elif "ask" in line:
                yield PromptRequested(
                    line["ask"], PromptForm(Kind.PERMISSION, "Run?", options=(Option("y", "Yes"),))
                )
            elif "withdraw" in line:
                yield RequestCancelled(line["withdraw"])
            elif "message" in line:
                yield Ack(line["message"], line.get("error"))
            elif "ping" in line:
                yield Write(json_line({"withdraw": "pinged"}))

    def message(self, text):
        return Write(json_line({"message": text}), text) if text != "impossible" else None

    def answer(self, call, response):
        return Write(json_line({"withdraw": call}))

    def control(self, action):
        error = "not now" if isinstance(action, Interrupt) else None
        return Write(json_line({"message": "act", "error": error}), "act")


class Ear:
    """What a link heard, and how its child ended."""

    def __init__(self):
        self.heard = []
        self.changed = threading.Condition()
        self.exit = None

    def hear(self, item):
        with self.changed:
            self.heard.append(item)
            self.changed.notify_all()

    def ended(self, exit_):
        with self.changed:
            self.exit = exit_
            self.changed.notify_all()

    def wait(self, condition, seconds=60):
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self), seconds), self.heard
        return self


@pytest.fixture
def child(tmp_path):
    running = []

    def start(script=ECHO, received=lambda data: None, ended=lambda exit_: None):
        process = Child([sys.executable, "-c", script], cwd=str(tmp_path), env=dict(os.environ))
        running.append(process)
        process.start(received, ended)
        return process

    yield start
    for process in running:
        process.close()


@pytest.fixture
def ear():
    return Ear()


@pytest.fixture
def linked(tmp_path, ear):
    running = []

    def start(script=ECHO, peer=None, **settings):
        process = Child([sys.executable, "-c", script], cwd=str(tmp_path), env=dict(os.environ))
        running.append(process)
        link = Link(peer or ToyPeer(), process, ear.hear, **settings)
        process.start(link.received, ear.ended)
        link.open()
        return link

    yield start
    for process in running:
        process.close()


@pytest.fixture
def open_room(tmp_path):
    rooms = []

    def open_one(journal=None, adapter=None, **settings):
        rooms.append(ProtocolTestbed(tmp_path, journal, adapter, **settings))
        return rooms[-1]

    yield open_one
    for room in rooms:
        room.agent.close()


@pytest.fixture
def timings():
    return DEFAULT_TIMINGS


@pytest.fixture
def room(open_room, timings):
    return open_room(timings=timings)
