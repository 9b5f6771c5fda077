"""When an answer is over: its prompt left, or another came after it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from clawtap_core import Kind, PromptForm, Screen, SeenState, SessionState
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.timings import DEFAULT_TIMINGS

TAKEN_AFTER, REPAINT_WINDOW = DEFAULT_TIMINGS.prompt_away, DEFAULT_TIMINGS.prompt_repainted
HEAD = PromptForm(Kind.PERMISSION, "Run?", "touch a\ntouch b", truncated=True)
TAIL = replace(HEAD, description="…\ntouch y\ntouch z")
SHOWN = Screen(("something",))


class Room:
    """A CLI that shows what a test wants, and a clock that a test moves."""

    def __init__(self, form: PromptForm) -> None:
        self.now = 0.0
        self.form: PromptForm | None = form
        self.draft: str | None = None
        cli: Any = SimpleNamespace(
            detect_prompt=lambda _: self.form,
            detect_state=lambda *_: SeenState(SessionState.BUSY, self.draft),
        )
        self.guard = PromptGuard(cli, form, clock=lambda: self.now)

    def over(self, form: PromptForm | None, after: float = 0.0) -> bool:
        """Whether the answer is over when this is shown, so many seconds later."""
        self.form, self.now = form, self.now + after
        return self.guard.over(SHOWN)


def test_a_prompt_that_stays_away_was_answered():
    room = Room(HEAD)
    assert not room.over(HEAD)
    assert not room.over(None)
    assert room.over(None, TAKEN_AFTER)


def test_a_composer_in_its_place_while_the_cli_works_says_so_at_once():
    room = Room(HEAD)
    assert not room.over(HEAD)
    room.draft = ""
    assert room.over(None)


def test_a_prompt_that_comes_back_was_not():
    room = Room(HEAD)
    room.over(None)
    assert not room.over(HEAD, TAKEN_AFTER)
    assert not room.over(None, TAKEN_AFTER)


@pytest.mark.parametrize("other", [replace(HEAD, title="Write?"), replace(TAIL, truncated=False)])
def test_another_prompt_in_its_place_says_that_it_was_answered(other):
    assert Room(HEAD).over(other)


def test_other_rows_of_a_cut_prompt_say_so_only_when_they_stay():
    room = Room(HEAD)
    assert not room.over(TAIL)
    assert not room.over(TAIL, REPAINT_WINDOW / 2)
    assert room.over(TAIL, REPAINT_WINDOW)


def test_other_rows_of_a_cut_prompt_are_not_typed_into():
    room = Room(HEAD)
    room.form = TAIL
    assert not room.guard.allows(SHOWN)
