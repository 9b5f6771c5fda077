from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

PREPARE = """
from gevent import monkey; monkey.patch_all(queue=False)
import time, re, gevent
from clawtap_core.server.hook_timeout import GreenletLimit
from clawtap_core.host import HookTimeout
limit = GreenletLimit()
def ended(function, seconds=0.2):
    began = time.monotonic()
    try:
        limit(seconds, function)
    except HookTimeout:
        return time.monotonic() - began < 6  # where it may wait for 9 seconds, or for ever
    return False
"""


def run(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PREPARE + code], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "hook",
    [
        "def hook():\n    time.sleep(9)",
        "def hook():\n    while True: pass",
        "def hook():\n    while True:\n        try: 1 / 0\n        except Exception: pass",
        "def hook():\n    while True:\n        try: time.sleep(.01)\n        except Exception: 0",
        "def hook():\n    re.match('(a+)+$', 'a' * 60 + 'b')",
    ],
    ids=["waits", "computes", "swallows", "swallows-waiting", "regex"],
)
def test_a_hook_that_hangs_is_ended(hook: str) -> None:
    run(f"{hook}\nassert ended(hook)\nassert limit(1, lambda: 5) == 5")


def test_what_a_hook_returns_or_raises_comes_through() -> None:
    run(
        "assert limit(1, lambda: 5) == 5\n"
        "try: limit(1, lambda: 1 / 0)\n"
        "except ZeroDivisionError: pass\n"
        "else: assert False"
    )


def test_a_hook_that_wants_to_end_the_process_does_not_end_the_server() -> None:
    run("""
import sys
from clawtap_core.host.limits import HookExited
def session():
    try: limit(1, lambda: sys.exit(3))
    except HookExited as error: return str(error)
assert gevent.spawn(session).get() == "it called sys.exit(3)"
""")


def test_a_busy_neighbour_is_not_hit_by_anothers_alarm() -> None:
    run("""
hits = []
def waits():
    try:
        limit(0.2, lambda: time.sleep(9))
    except HookTimeout:
        hits.append("waits")
def busy():
    gevent.sleep(0.05)
    until = time.monotonic() + 0.5
    try:
        while time.monotonic() < until: pass
        hits.append("busy done")
    except BaseException as error:
        hits.append(error)
gevent.joinall([gevent.spawn(waits), gevent.spawn(busy)])
assert sorted(hits) == ["busy done", "waits"], hits
""")


def test_each_of_several_hooks_has_its_own_limit() -> None:
    run("""
def slow(seconds):
    began = time.monotonic()
    try:
        limit(seconds, lambda: time.sleep(9))
    except HookTimeout:
        return time.monotonic() - began
limits = (0.1, 0.3, 0.6)
jobs = [gevent.spawn(slow, seconds) for seconds in limits]
gevent.joinall(jobs)
took = [job.value for job in jobs]
assert took == sorted(took), took
assert all(least <= seconds < 6 for least, seconds in zip(limits, took)), took
assert limit(0.1, lambda: 1) == 1
gevent.sleep(0.4)
""")


def test_a_hook_that_may_wait_may_not_compute_for_as_long() -> None:
    run("""
from clawtap_core.host.limits import HookStalled
def computes():
    while True: pass
began = time.monotonic()
try: limit(60, computes, computing=0.3)
except HookStalled: pass
else: assert False
assert time.monotonic() - began < 20
assert limit(60, lambda: gevent.sleep(0.8) or "waited", computing=0.3) == "waited"
""")
