"""What the first event of a prompt says of a text that a low pane cuts."""

from __future__ import annotations

import pytest
from clawtap_gemini.live import turns
from clilab.gemini_plan import enter

ROUNDS = 4
PLAN = "# The plan\n\n" + "".join(f"{at}. Step number {at} of the work\n" for at in range(1, 31))
COMMAND = "\n".join(f"echo line {at}" for at in range(1, 41))
UNREADABLE = "issue 13: 0.34.0 at 60x15 paints only the end of the list: unknown, or stuck after"
LOW = pytest.mark.parametrize(("cols", "rows"), [(80, 24), (60, 15)])


def open_low(own, testbed, cols, rows, *, whole_list=True):
    """An idle session in a low pane."""
    if (testbed.version, rows) == ("0.34.0", 15) and not whole_list:
        pytest.xfail(UNREADABLE)
    talk = own(cols=cols, rows=rows)
    talk.idle(60)
    return talk


def says_that_it_is_cut(talk, turn):
    """Ask several times; the plan is painted before the CLI has measured it, for 20 ms."""
    for _ in range(ROUNDS):
        prompt = talk.do(turn)
        assert prompt.get("truncated"), (prompt, talk.seat.text())
        assert talk.deny(prompt).status == 200
        talk.idle()


@LOW
def test_a_long_plan(own, testbed, cols, rows):
    talk = open_low(own, testbed, cols, rows, whole_list=False)
    says_that_it_is_cut(talk, enter(talk, PLAN))


@LOW
def test_a_long_command(own, testbed, cols, rows):
    talk = open_low(own, testbed, cols, rows)
    says_that_it_is_cut(talk, turns.shell(COMMAND))


@LOW
def test_a_long_file(own, testbed, cols, rows):
    talk = open_low(own, testbed, cols, rows, whole_list=False)
    says_that_it_is_cut(talk, turns.write(talk.cwd / "long.txt", COMMAND))
