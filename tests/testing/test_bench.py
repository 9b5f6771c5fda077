"""The benchmarks themselves take too long for a test; their runner does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

CHECKOUT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, *arguments)
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=60)


def test_an_unknown_figure_is_named() -> None:
    done = run("-m", "bench", "speed")
    assert done.returncode == 2
    assert "no such figure: speed" in done.stderr


def test_a_figure_knows_whether_it_is_met() -> None:
    program = """
from bench.figure import Figure, table
print(table([Figure("a", "A", 1, 40, "ms", 30), Figure("b", "B", 2, 40, "ms", 30)]))
"""
    good, bad = run("-c", program).stdout.splitlines()[2:]
    assert "| 1/40 | 1/30 | met |" in good
    assert "| 1/20 | 1/30 | MISSED |" in bad


def test_the_adapter_reads_what_the_painter_paints() -> None:
    program = """
from bench import adapter
from clawtap_core import Screen
asked = Screen(("Question 3?", "1. Yes", "2. No", ""))
print(adapter.detect_prompt(asked).title, adapter.detect_prompt(Screen(("Ready",))))
"""
    assert run("-c", program).stdout.split() == ["Question", "3?", "None"]


def test_a_figure_that_breaks_costs_the_others_nothing() -> None:
    program = """
import sys
from bench import __main__ as runner
from bench.figure import Figure
def breaks():
    raise RuntimeError("no tmux here")
runner.FIGURES = {
    "breaks": (breaks, breaks), "holds": (lambda: Figure("holds", "H", 1, 40, "ms", 30),) * 2
}
sys.argv[1:] = []
sys.exit(runner.main())
"""
    done = run("-c", program)
    assert done.returncode == 1
    assert "| H | 1 ms | 40 ms |" in done.stdout
    assert "no tmux here" in done.stderr
