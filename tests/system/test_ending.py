"""What is on its way out reads no more keys."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from clawtap_core.system import processes
from clawtap_core.system.processes import is_ending


@pytest.mark.process
@pytest.mark.skipif(not processes.has_proc(), reason="needs /proc")
def test_a_program_that_ended_and_was_not_collected_is_ending():
    assert not is_ending(os.getpid())
    with subprocess.Popen((sys.executable, "-S", "-c", ""), stdin=subprocess.DEVNULL) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        assert is_ending(ended.pid)
    assert not is_ending(ended.pid)


@pytest.mark.parametrize(
    ("state", "flags", "pending", "ending"),
    [
        ("S", 0x400000, 0, False),
        ("R", 0x400000, 1 << 14, False),
        ("R", 0x400004, 0, True),
        ("S", 0x400000, 1 << 8, True),
    ],
    ids=["sleeps", "is asked to end", "gives its memory back", "was killed"],
)
def test_a_process_says_itself_that_it_is_ending(
    tmp_path, monkeypatch, state, flags, pending, ending
):
    (tmp_path / "7").mkdir()
    fields = (state, *"12345", flags, *"0" * 21, pending)
    (tmp_path / "7" / "stat").write_text(f"7 (a) b) {' '.join(map(str, fields))} 0 0")
    monkeypatch.setattr(processes, "_PROC", tmp_path)
    assert is_ending(7) is ending
