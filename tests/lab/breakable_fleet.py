"""Machines and a hub in this process that can be killed and cut off at any moment."""

from __future__ import annotations

import threading
from dataclasses import replace

from fake_terminal import FakeTerminal, Toy, make_adapter
from redis_link import RedisLink
from toy_fleet import ToyMachine

from clawtap_core import LaunchRequest
from clawtap_core.config import Settings
from clawtap_core.errors import Unavailable
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.key_file import read_key, write_key
from clawtap_core.fleet.service import Fleet
from clawtap_core.fleet.timings import FleetTimings
from clawtap_core.fleet.view import FleetView
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor
from clawtap_core.prompts.screen_timings import ScreenTimings
from clawtap_core.runtime import Runtime, open_hub
from clawtap_core.runtime.timings import Timings

QUICK = Timings(
    screens=ScreenTimings(unclear_leaves=0.01),
    prompt_away=0.001,
    keys_show=0.05,
    calm=0.02,
    turn_begins=0.05,
    queue_retry=0.1,
    closing_grace=0.5,
)
FLEET_QUICK = FleetTimings(
    renewal=0.3,
    away=2.0,
    command=0.6,
    new_entries=0.1,
    connection=0.02,
    local_events=0.1,
    call_begins=2.0,
    call_ends=6.0,
    read_ends=1.0,
)


class OneProcess:
    """A journal as one process writes it: nothing more, once that was killed."""

    def __init__(self, journal: MemoryJournal) -> None:
        self._journal = journal
        self.killed = False

    def append(self, events, change=None):
        if self.killed:
            raise Unavailable("this process was killed", code="journal_failed")
        return self._journal.append(events, change)

    def close(self):
        """Keep it for the next process."""

    def __getattr__(self, name):
        return getattr(self._journal, name)


class BreakableMachine(ToyMachine):
    """A machine with one session, whose CLI and journal outlive its processes.

    It reaches Redis through a `link`. Processes are counted by `life`.
    """

    def __init__(self, folder, key, name, redis):
        folder.mkdir()
        self.link = RedisLink(folder / "redis.sock", redis.socket)
        super().__init__(folder / "data", replace(key, redis_url=self.link.url), name)
        self.host = Host()
        self.host.add(make_adapter(), "toy")
        self.journal, self.program = MemoryJournal(), Toy()
        self._panes = FakeTerminal(program=self.program)
        self.life, self.alive = 0, False

    def start(self):
        self.life, self.alive = self.life + 1, True
        self._process = OneProcess(self.journal)
        panes = self._panes
        self.terminal = FakeTerminal(panes.programs, owners=panes.owners, program=self.program)
        env = {"PATH": "/usr/bin:/bin"}
        self.runtime = Runtime(self.host, self.terminal, self._process, env=env, timings=QUICK)
        key = read_key(self.settings)
        self.fleet = Fleet(self.settings, key, self.runtime, timings=FLEET_QUICK)
        self.fleet.start()
        return self

    def launch(self, folder):
        """Start the session."""
        self.session_id = self.tap.start(LaunchRequest("toy", str(folder))).id
        return self.session_id

    def show(self):
        """Let the CLI's screen be seen, if somebody looks at it."""
        for pane in self.terminal.watched.values() if self.alive else ():
            pane.look()

    def kill(self):
        """End it like kill -9: nothing of it is written, typed or sent any more."""
        self.alive = False
        self._process.killed = True
        self.link.cut()
        for pane in self.terminal.watched.values():
            pane.program = Toy()
        self.runtime.close()
        self.fleet.close()

    def revive(self):
        """Start it after `kill`."""
        self.link.restore()
        self.start()

    def stop(self):
        if self.alive:
            self.alive = False
            self.runtime.close()
            self.fleet.close()
        self.link.close()

    def truth(self):
        """What this machine itself says of its sessions, prompts and queues."""
        here = self.runtime.transport(Actor())
        queued = [message for one in here.sessions() for message in here.queue(one.id)]
        return here.sessions(), here.pending(), queued


class BreakableHub:
    """A hub, with a client that keeps the events that come."""

    name, life, alive = "hub", 0, True

    def __init__(self, folder, key, redis):
        folder.mkdir()
        self.link = RedisLink(folder / "redis.sock", redis.socket)
        settings = Settings(data_dir=folder / "data", machine_name="hub")
        write_key(settings.fleet_key, replace(key, redis_url=self.link.url))
        self.runtime = open_hub(settings)
        self.fleet = FleetView(settings, read_key(settings), self.runtime, timings=FLEET_QUICK)
        self.fleet.start()
        self.client = Follower(self)

    def for_actor(self, actor):
        return FleetTransport(self.fleet, self.runtime.transport(actor), actor)

    def stop(self):
        self.client.stop()
        self.runtime.close()
        self.fleet.close()
        self.link.close()


class Follower:
    """A client that knows what the events say, and nothing else; `faults` are what they cannot."""

    def __init__(self, instance):
        self.prompts, self.states, self.queues = {}, {}, {}
        self.faults: list[str] = []
        self._instance, self._stopped = instance, False
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def stop(self):
        self._stopped = True
        self._thread.join(60)

    def _follow(self):
        for event in self._instance.for_actor(Actor("user", "client")).events(idle=0.1):
            if self._stopped:
                return
            if event:
                self._take(event.type, event.session_id, event.data)

    def _take(self, kind, session_id, data):
        if kind == "snapshot":
            self.prompts = {each["requestId"]: each["state"] for each in data["prompts"]}
            self.states = {each["id"]: each["state"] for each in data["sessions"]}
            self.queues = {}
            for each in data["queue"]:
                self.queues.setdefault(each["sessionId"], []).append(each["id"])
        elif kind == "approval_required":
            if data["requestId"] in self.prompts:
                self.faults.append(f"{data['requestId']} was opened twice")
            self.prompts[data["requestId"]] = data["state"]
        elif kind == "prompt_updated":
            self.prompts[data["requestId"]] = data["state"]
        elif kind == "prompt_resolved":
            if self.prompts.pop(data["requestId"], None) is None:
                self.faults.append(f"{data['requestId']} ended, and was not open")
        elif kind == "session_status":
            self.states[session_id] = data["state"]
        elif kind == "queue_update":
            self.queues[session_id] = [each["id"] for each in data["queue"]]
