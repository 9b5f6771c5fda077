"""When a pane shows another program than the CLI that it was watched for."""

from __future__ import annotations

import pytest

from clawtap_core.model import Screen
from clawtap_core.runtime.panes.lent_terminal import LentTerminal


class Pane:
    """A pane whose CLI runs a program on its terminal."""

    def shows_cli(self):
        pass

    def is_lent(self):
        return True


def screen(revision):
    return Screen(("some text",), 80, 24, revision=revision)


@pytest.mark.parametrize("composes", [True, False], ids=["a-cli", "a-script"])
def test_only_a_cli_with_a_composer_lends_its_terminal(composes):
    lent, pane = LentTerminal(), Pane()
    assert not lent.observe(pane, screen(1), 0.0, composes=composes, asks=not composes)
    assert not lent.observe(pane, screen(2), 10.0, composes=False, asks=False)
    assert lent.observe(pane, screen(2), 12.0, composes=False, asks=False) is composes


def test_a_cli_that_draws_on_has_its_terminal():
    lent, pane = LentTerminal(), Pane()
    lent.observe(pane, screen(1), 0.0, composes=True, asks=False)
    for now in range(1, 5):
        assert not lent.observe(pane, screen(1 + now), now, composes=False, asks=False)


def test_a_terminal_is_back_with_the_composer():
    lent, pane = LentTerminal(), Pane()
    lent.observe(pane, screen(1), 0.0, composes=True, asks=False)
    lent.observe(pane, screen(2), 1.0, composes=False, asks=False)
    assert lent.observe(pane, screen(2), 5.0, composes=False, asks=False)
    assert not lent.observe(pane, screen(3), 6.0, composes=True, asks=False)
