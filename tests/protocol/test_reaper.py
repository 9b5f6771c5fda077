"""Children of a ClawTap that was killed end; those of one that ended in order are let be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fake_terminal import until

from clawtap_core.protocol import Child, Reaper

pytestmark = pytest.mark.process

HERE = Path(__file__).parent


def runs(pid):
    """Whether a process runs: one that has ended may wait to be buried, where nobody does that."""
    found = subprocess.run(("ps", "-o", "stat=", "-p", str(pid)), capture_output=True, text=True)
    return found.stdout.strip() not in ("", "Z")


@pytest.fixture
def sleeper():
    """A process group of its own."""
    process = subprocess.Popen(("sleep", "600"), start_new_session=True)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def reaper():
    reaper = Reaper()
    yield reaper
    reaper.close()


def test_children_end_after_a_kill_even_those_that_do_not_listen(tmp_path):
    program = (sys.executable, str(HERE / "dying.py"), str(tmp_path))
    env = {**os.environ, "PYTHONPATH": str(HERE.parent / "lab")}
    died = subprocess.run(program, capture_output=True, text=True, timeout=30, env=env)
    assert died.returncode == -signal.SIGKILL, died.stderr
    stubborn, plain, shell = map(int, died.stdout.split())
    until(lambda: not runs(plain))
    until(lambda: not runs(stubborn), 10)
    until(lambda: not runs(shell), 10)


def test_what_is_held_ends_with_the_pipe(reaper, sleeper):
    reaper.hold(sleeper.pid)
    reaper.close()
    assert sleeper.wait(60) == -signal.SIGTERM


def test_what_was_freed_is_let_be(reaper, sleeper):
    reaper.hold(sleeper.pid)
    reaper.free(sleeper.pid)
    reaper.close()
    assert sleeper.poll() is None


def test_it_runs_only_once_there_is_a_child_and_sees_nothing_of_our_environment(reaper, sleeper):
    reaper.free(sleeper.pid)
    assert reaper._process is None
    reaper.hold(sleeper.pid)
    process = reaper._process
    reaper.hold(sleeper.pid)
    assert reaper._process is process
    reaper.free(sleeper.pid)


def test_a_reaper_that_was_killed_costs_nothing_but_itself(reaper, sleeper, caplog):
    reaper.hold(sleeper.pid)
    reaper._process.kill()
    reaper._process.wait()
    reaper.free(sleeper.pid)
    assert "outlive" in caplog.text


def test_what_a_child_that_ended_left_running_is_let_be(reaper, tmp_path):
    script = "sleep 600 </dev/null >/dev/null 2>&1 & echo $!"
    said, over = [], threading.Event()
    child = Child(("sh", "-c", script), cwd=str(tmp_path), env=dict(os.environ), reaper=reaper)
    child.start(said.append, lambda exit_: over.set())
    assert over.wait(60)
    reaper.close()
    left = int(b"".join(said))
    assert runs(left)
    os.kill(left, signal.SIGKILL)
