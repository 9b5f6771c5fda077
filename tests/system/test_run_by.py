"""What a program in front of others runs."""

from __future__ import annotations

import pytest

from clawtap_core.system import processes


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
