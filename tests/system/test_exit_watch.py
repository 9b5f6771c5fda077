"""Knowing at once that a process ended."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest
from patience import until

from clawtap_core.system.exit_watch import ExitWatch

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd")


@pytest.fixture
def exits():
    exits = ExitWatch()
    yield exits
    exits.close()
    exits.close()


@pytest.fixture
def children():
    started = [subprocess.Popen(["sleep", "100"]) for _ in range(2)]
    yield started
    for child in started:
        child.kill()
        child.wait()


def test_each_end_is_reported_once(exits, children):
    ended = [threading.Event() for _ in children]
    for child, event in zip(children, ended, strict=True):
        exits.add(child, child.pid, event.set)
    children[0].kill()
    assert ended[0].wait(60)
    assert not ended[1].is_set()
    children[1].kill()
    assert ended[1].wait(60)


def test_a_report_that_fails_keeps_back_no_other(exits, children, caplog):
    ended = threading.Event()
    exits.add(children[0], children[0].pid, lambda: 1 / 0)
    exits.add(children[1], children[1].pid, ended.set)
    children[0].kill()
    children[0].wait()
    until(lambda: "ZeroDivisionError" in caplog.text)
    children[1].kill()
    assert ended.wait(60)


def test_what_is_removed_is_not_reported(exits, children):
    reported, other = threading.Event(), threading.Event()
    exits.add("one", children[0].pid, reported.set)
    exits.remove("one")
    exits.remove("never")
    exits.add("two", children[1].pid, other.set)
    for child in children:
        child.kill()
    assert other.wait(60)
    assert not reported.is_set()


def test_a_process_that_is_not_there_is_left_out(exits):
    before = threading.active_count()
    exits.add("none", 2**22 + 1, lambda: None)
    assert threading.active_count() == before


def test_no_descriptor_stays_open(children):
    before = len(list(Path("/proc/self/fd").iterdir()))
    exits = ExitWatch()
    for key in range(5):
        exits.add(key, children[0].pid, lambda: None)
    exits.remove(3)
    exits.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_after_its_end_a_watch_takes_nothing_more(children):
    exits = ExitWatch()
    exits.close()
    before = threading.active_count()
    exits.add("late", children[0].pid, lambda: None)
    exits.remove("late")
    assert threading.active_count() == before
