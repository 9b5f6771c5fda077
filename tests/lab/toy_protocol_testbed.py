"""An agent side on which CLIs are spoken to, and no pane."""

from __future__ import annotations

import json
import os

from fake_terminal import FakeTerminal, until
from toy_protocol import SpokenAdapter

from clawtap_core import LaunchRequest
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Response
from clawtap_core.runtime import Runtime


class ProtocolTestbed:
    """An agent side with the spoken CLI, and what happened there."""

    def __init__(self, folder, journal=None, adapter=None, **settings):
        self.folder, self.log = folder, folder / "log"
        self.adapter = adapter or SpokenAdapter(self.log)
        host = Host()
        host.add(self.adapter, "spoken")
        self.journal = journal or MemoryJournal()
        env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        self.agent = Runtime(host, FakeTerminal(), self.journal, env=env, **settings)
        self.transport = self.agent.transport()

    def start(self, message=None, **more):
        request = LaunchRequest("spoken", str(self.folder), message, channel="protocol", **more)
        return self.transport.start(request).id

    def state(self, session):
        return self.transport.session(session).state.value

    def idle(self, session):
        until(lambda: self.state(session) == "idle")
        return session

    def asked(self, session, count=1):
        until(lambda: len(self.transport.pending(session)) == count)
        return self.transport.pending(session)

    def answer(self, prompt, option="yes", **more):
        response = Response(prompt.request_id, option, **more)
        return self.transport.respond(prompt.session_id, response)

    def read(self):
        """What the children read."""
        if not self.log.exists():
            return []
        return [json.loads(json.loads(line)["line"]) for line in self.log.read_text().splitlines()]

    def happened(self, kind):
        return [event.data for event in self.journal.read(0, 10_000) if event.type == kind]
