"""The CLI above a hook's bridge is found, whatever shells stand between."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from clawtap_core.cli_hooks.calling_process import caller
from clawtap_core.system import processes
from clawtap_core.system.processes import KnownProcess

pytestmark = pytest.mark.process


@pytest.fixture(params=["proc", "ps"])
def system(request, monkeypatch, tmp_path):
    """With /proc, and as on a system without it."""
    if request.param == "ps":
        if not shutil.which("ps"):
            pytest.skip("no ps here")
        monkeypatch.setattr(processes, "_PROC", tmp_path)


@pytest.fixture
def shell():
    """A shell that waits in a shell; the number of the inner one."""
    words = ["sh", "-c", "sh -c 'echo $$; read x; :'; :"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, start_new_session=True) as started:
        yield int(started.stdout.readline())
        started.stdin.close()


def test_shells_are_passed_over(system, shell):
    assert caller(shell) == caller(os.getpid())
    assert caller(shell).pid == os.getpid()


def test_a_process_that_is_not_there_has_no_caller(system):
    assert caller(2**22 + 1) is None
    assert caller(1) is None


def test_one_with_the_same_number_is_not_the_same(system):
    found = caller(os.getpid())
    assert found.lives()
    assert KnownProcess.noted(found.note) == found
    assert not KnownProcess(found.pid, "another time").lives()
    assert KnownProcess.noted("no number") is None


def test_one_that_was_killed_does_not_live_though_nobody_took_note(system):
    child = subprocess.Popen(["sleep", "100"])
    found = caller(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not found.lives()
    child.wait()
