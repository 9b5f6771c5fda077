"""What a program in front of others runs."""

from __future__ import annotations

import os
import subprocess

import pytest

from clawtap_core.system import processes
from clawtap_core.system.processes import has_executed


@pytest.mark.parametrize("listed", [True, False], ids=["with lists of children", "without"])
def test_what_a_program_runs_is_its_only_child_and_that_ones(tmp_path, monkeypatch, listed):
    def runs(pid, parent, group, state="S", children=()):
        task = tmp_path / str(pid) / "task" / str(pid)
        task.mkdir(parents=True)
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a) b) {state} {parent} {group} 1")
        if listed:
            (task / "children").write_text(" ".join(map(str, children)))

    monkeypatch.setattr(processes, "_PROC", tmp_path)
    runs("self", 0, 0)
    runs(10, 1, 10, children=(11, 12, 13, 99))
    runs(11, 10, 10, children=(14,))
    runs(12, 10, 12)  # in the background
    runs(13, 10, 10, state="Z")
    runs(14, 11, 10, children=(15, 16))
    runs(15, 14, 10)
    runs(16, 14, 10)
    assert processes.run_by(10) == [11, 14]
    assert processes.run_by(16) == []


def test_a_process_that_was_just_forked_runs_nothing_of_its_own():
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    try:
        assert not has_executed(child)
    finally:
        os.close(read)
        os.close(write)
        os.waitpid(child, 0)
    with subprocess.Popen(("cat",), stdin=subprocess.PIPE) as own:
        assert has_executed(own.pid)
