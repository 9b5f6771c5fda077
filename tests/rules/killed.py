"""A ClawTap that kills itself at a moment of its answer: run as a program by test_restart."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from demo_testbed import open_runtime, until

from clawtap_core.model import Actor, LaunchRequest, Response
from clawtap_core.runtime import DirectTransport
from clawtap_core.runtime.delivery.executor import Delivery


def die(*_):
    """As kill -9 does it: nothing is put in order."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(moment, agent):
    """Arrange the end: around the journal's line, or around the key that decides."""
    send, commit = Delivery._send, agent.store.commit

    def before_key(self, step):
        if getattr(step, "deciding", False):
            die()
        send(self, step)

    def after_key(self, step):
        send(self, step)
        if getattr(step, "deciding", False):
            die()

    def before_steps(new_events, **more):
        if any("steps" in event.data for event in new_events):
            die()
        commit(new_events, **more)

    def before_outcome(new_events, **more):
        if any(event.type in ("prompt_resolved", "message_sent") for event in new_events):
            die()
        commit(new_events, **more)

    if moment in ("before-key", "after-key"):
        Delivery._send = {"before-key": before_key, "after-key": after_key}[moment]
    elif moment != "never":
        agent.store.commit = {"before-steps": before_steps, "before-outcome": before_outcome}[
            moment
        ]


def main():
    socket, folder, moment, *flags = sys.argv[1:]
    agent = open_runtime(socket, Path(folder))
    transport = DirectTransport(agent, Actor("ann", "phone"))
    chat = "--chat" in flags
    request = LaunchRequest("demo", folder, args=tuple(flags), cols=80, rows=24)
    session = transport.start(request).id
    prompt = None
    if chat:
        until(lambda: transport.session(session).state.value == "idle")
    else:
        prompt = until(lambda: next(iter(transport.pending(session)), None)).request_id
    print(json.dumps({"session": session, "prompt": prompt}), flush=True)
    sys.stdin.readline()
    die_at(moment, agent)
    if chat:
        transport.message(session, "say it once")
    else:
        transport.respond(session, Response(prompt, "yes-and-don-t-ask-again-for-touch"))
    print("done", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
