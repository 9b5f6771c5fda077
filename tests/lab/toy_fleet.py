"""Machines in this process, whose CLIs are toys, on a real Redis."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from fake_terminal import Desk, FakeTerminal, Toy, make_adapter
from patience import until
from toy_conversations import talking_adapter

from clawtap_core import LaunchRequest
from clawtap_core.config import Settings
from clawtap_core.errors import NotFound
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.key_file import FleetKey, key_at_start, read_key, write_key
from clawtap_core.fleet.service import Fleet
from clawtap_core.fleet.timings import FleetTimings
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor, SessionState
from clawtap_core.runtime import Runtime
from clawtap_core.search.sqlite import open_index

# Who waits for Redis looks around once in each of these: for new machines, and at its end.
QUICK = FleetTimings(renewal=0.3, new_entries=0.1)


class ToyMachine:
    """One machine of a fleet: a runtime with toys, and its part in the fleet.

    `rules` is its file of rules, if it may have any; `home` where its CLI writes transcripts,
    `searches` whether they are read into an index, `adapter` another one than the toy's.
    """

    rules = home = adapter = None
    searches = False
    timings = QUICK

    def __init__(self, folder, key, name):
        self.settings = Settings(data_dir=folder, machine_name=name)
        folder.mkdir(exist_ok=True)
        write_key(self.settings.fleet_key, key)
        self.runtime = self.fleet = None
        self.program = Toy()

    def start(self):
        host = Host()
        adapter = self.adapter or (talking_adapter() if self.home else make_adapter())
        host.add(adapter, "toy")
        self.journal = MemoryJournal()
        self.terminal = FakeTerminal(program=self.program)
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.home or "/nonexistent")}
        self.runtime = Runtime(
            host,
            self.terminal,
            self.journal,
            env=env,
            rules=self.rules,
            search=open_index(self.settings.data_dir / "search.db") if self.searches else None,
        )
        self.desk = Desk(self.terminal, self.journal, self.runtime)
        key = key_at_start(self.settings)
        self.fleet = Fleet(self.settings, key, self.runtime, timings=self.timings)
        self.fleet.start()
        return self

    def stop(self):
        if self.runtime:
            self.runtime.close()
            self.fleet.close()
            self.runtime = None

    def sleep(self):
        """Go away, as a computer does that sleeps: its CLIs stay."""
        self.fleet.close()

    def wake(self):
        """Come back after `sleep`."""
        key = read_key(self.settings)
        self.fleet = Fleet(self.settings, key, self.runtime, timings=self.timings)
        self.fleet.start()

    def rejoin(self, **waits):
        """Leave the fleet and come back with these waits."""
        self.sleep()
        self.timings = replace(self.timings, **waits)
        self.wake()

    @property
    def tap(self):
        """What a client of this machine has."""
        return self.for_actor(Actor("user", "phone"))

    def for_actor(self, actor):
        return FleetTransport(self.fleet, self.runtime.transport(actor), actor)

    @property
    def name(self):
        return self.fleet.machine.name

    def sees(self, name):
        """The status of a machine as this one sees it, once it is known."""
        return next((each for each in self.tap.machines() if each.machine.name == name), None)


@pytest.fixture
def fleet_key(redis_server):
    return FleetKey.new(redis_server.url)


@pytest.fixture
def machine(tmp_path, fleet_key):
    """Makes machines of one fleet: machine("desk")."""
    made = []

    def make(folder, *, start=True, key=None, name=None):
        one = ToyMachine(tmp_path / folder, key or fleet_key, name or folder)
        made.append(one)
        return one.start() if start else one

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def pair(machine):
    """Two machines that know each other: "desk" and "laptop"."""
    desk, laptop = machine("desk"), machine("laptop")
    meet(desk, laptop)
    return desk, laptop


def meet(*machines):
    """Wait until all machines know the state of all others."""

    def acquainted(one):
        loaded = one.fleet.mirror.positions()
        others = [each.fleet.machine.id for each in machines if each is not one]
        # At "0-0" a machine has not published its state: clients will get it as a snapshot.
        return all(
            loaded.get(other, "0-0") != "0-0" and one.fleet.online(other) for other in others
        )

    until(lambda: all(acquainted(one) for one in machines))


def start(machine, tmp_path, *asks):
    """A session on a machine, whose CLI asks these."""
    machine.program = machine.terminal.program = Toy(*asks)
    machine.desk.session_id = machine.tap.start(LaunchRequest("toy", str(tmp_path))).id
    return machine.desk.session_id


def prompt_seen(machine, session_id=None):
    """The prompt of a session, or the first of all, once the machine knows it."""
    return until(
        lambda: next((p for p in machine.tap.pending() if session_id in (None, p.session_id)), None)
    )


def keeper(tap, prompt):
    """The name of the machine that keeps a prompt; None while it is not known there."""
    with suppress(NotFound):
        return tap.session(prompt.session_id).machine.name


def session_seen(machine, session_id):
    """A session, once the machine knows it and it has started."""

    def seen():
        try:
            session = machine.tap.session(session_id)
        except NotFound:
            return None
        return None if session.state is SessionState.STARTING else session

    return until(seen)
