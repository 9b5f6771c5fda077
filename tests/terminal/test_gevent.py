"""The same under gevent, patched as `clawtap serve` does it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.tmux

SCRIPT = """
import os, sys
from gevent import monkey
monkey.patch_all(queue=False)
import gevent, threading, time
from clawtap_core.terminal.tmux import TmuxTerminal

class Seen:
    def __init__(self): self.screens, self.ended = [], None
    def screen_changed(self, screen): self.screens.append(screen)
    def gone(self, end, last): self.ended = end.reason

def soon(met):
    with gevent.Timeout(20):
        while not met(): gevent.sleep(0.005)

ticks = []
def tick():
    while True:
        ticks.append(time.monotonic()); gevent.sleep(0.01)
ticker = gevent.spawn(tick)
terminal = TmuxTerminal(sys.argv[1])
def start(*argv):
    return terminal.launch(argv, owner="s", name="g", cwd="/", env=dict(os.environ),
                           cols=80, rows=24).id
seen, other = Seen(), Seen()
pane = terminal.watch(start("sh"), seen)
second = terminal.watch(start("cat"), other)
pane.type("echo one; sleep 0.2; echo two"); pane.press("Enter")
soon(lambda: seen.screens and "\\ntwo" in seen.screens[-1].text)
second.paste("x" * 100_000)
screen = second.wait(second.look().revision, 1)
assert pane.runs_cli() and len(terminal.panes()) == 2
pane.type("exit 4"); pane.press("Enter")
soon(lambda: seen.ended == "ended with status 4")
terminal.kill(second.id)
soon(lambda: other.ended == "closed")
begun = time.monotonic()
terminal.close()
ticker.kill()
assert time.monotonic() - begun < 9  # a thread that does not end is waited for that long
stalls = max(b - a for a, b in zip(ticks, ticks[1:]))
assert stalls < 4, stalls  # a call that waits for tmux without letting others run takes five
assert [thread.name for thread in threading.enumerate()] == ["MainThread"], threading.enumerate()
print("well")
"""


def test_everything_works_under_gevent(desk, environment):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, desk.socket],
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
        check=False,
    )
    assert done.stdout == "well\n", done.stderr
    assert "Traceback" not in done.stderr
