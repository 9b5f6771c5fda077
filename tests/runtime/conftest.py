"""A desk with one session, on a terminal without tmux."""

from __future__ import annotations

import pytest
from fake_terminal import Desk, FakeTerminal, make_adapter
from timed_pane import Room
from toy_cli_hooks import make_hooked
from toy_conversations import Office

from clawtap_core import LaunchRequest
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.timings import Timings


@pytest.fixture
def open_desk(tmp_path):
    """Opens a desk with one session whose program is given; closed at the end."""
    host = Host()
    host.add(make_adapter(), "toy")
    opened = []

    def open_one(program=None, *, journal=None, terminal=None, adopt=False, **settings):
        terminal = terminal or FakeTerminal(program=program)
        journal = journal or MemoryJournal()
        agent = Runtime(host, terminal, journal, env={"PATH": "/usr/bin:/bin"}, **settings)
        desk = Desk(terminal, journal, agent)
        opened.append(agent)
        if adopt:
            terminal.programs["%9"] = program
            desk.session_id = desk.transport().adopt("%9", "toy").id
        elif program is not None:
            desk.session_id = desk.transport().start(LaunchRequest("toy", str(tmp_path))).id
        return desk

    yield open_one
    for agent in opened:
        agent.close()


@pytest.fixture
def open_hooked(tmp_path):
    """Opens a desk whose CLI has hooks."""
    opened = []

    def open_one(program=None, *, outside=True, journal=None, terminal=None, **settings):
        host = Host()
        host.add(make_hooked(outside=outside), "toy")
        terminal = terminal or FakeTerminal(program=program)
        journal = journal or MemoryJournal()
        agent = Runtime(host, terminal, journal, env={"PATH": "/usr/bin:/bin"}, **settings)
        opened.append(agent)
        desk = Desk(terminal, journal, agent)
        if program is not None:
            desk.session_id = desk.transport().start(LaunchRequest("toy", str(tmp_path))).id
        return desk

    yield open_one
    for agent in opened:
        agent.close()


@pytest.fixture
def office(tmp_path):
    """Opens desks whose CLI writes transcripts."""
    office = Office(tmp_path)
    yield office
    for agent in office.opened:
        agent.close()


@pytest.fixture
def quick(office):
    """What is looked at from time to time is looked at often."""
    office.timings = Timings(
        transcript_check=0.05, transcript_check_idle=0.05, file_clock_slack=0.1
    )


@pytest.fixture(scope="session")
def toy_adapter():
    """The adapter of the toy CLI, whose hooks are not limited: a thread for each takes its time."""
    host = Host(limit=lambda seconds, function, *, computing=None: function())
    host.add(make_adapter(), "toy")
    return host.adapter("toy")


@pytest.fixture
def room(toy_adapter):
    """A prompt of the toy CLI in a pane, and deliveries into it without waiting."""
    return Room(toy_adapter)
