"""A CLI that Ctrl+Z suspends where no shell could continue it: its prompt was not answered."""

from __future__ import annotations

import time

import pytest
from fake_terminal import Toy, until

from clawtap_core import Kind, PromptState, SessionState
from clawtap_core.errors import ClawTapError, ErrorCode
from clawtap_core.prompts.screen_timings import ScreenTimings
from clawtap_core.runtime.timings import Timings

QUICK = Timings(
    shell_returns=0.05,
    look_away=0.02,
    suspended=0.5,
    screens=ScreenTimings(painting=0.02, unclear_leaves=0.02, unknown_appears=0.1),
)


class Suspended(Toy):
    """A CLI that gives its terminal back and waits for the signal to continue."""

    suspended = resumes = 0
    comes_back = True

    def suspend(self, leaves: str) -> None:
        """Somebody at the desk presses Ctrl+Z."""
        self.keys_of_others += 1
        self.suspended = True
        self.text = lambda: leaves

    def resume(self) -> None:
        """Continue."""
        self.resumes += 1
        if self.comes_back:
            self.suspended = False
            del self.text


def resolved(desk) -> list[str]:
    return [event.type for event in desk.journal.read(0, 1000) if event.type == "prompt_resolved"]


@pytest.mark.parametrize("leaves", ["This CLI is suspended. Run `fg`.", ""])
@pytest.mark.parametrize("adopt", [False, True])
def test_it_is_continued_and_its_prompt_stays(open_desk, leaves, adopt):
    toy = Suspended("touch a")
    desk = open_desk(toy, timings=QUICK, adopt=adopt)
    prompt = desk.prompt()
    toy.suspend(leaves)
    desk.show()
    until(lambda: toy.resumes)
    desk.show()
    time.sleep(0.3)
    assert toy.resumes == 1
    assert desk.prompt() == prompt
    assert not resolved(desk)


def test_one_that_does_not_come_back_is_shown(open_desk):
    toy = Suspended("touch a")
    toy.comes_back = False
    desk = open_desk(toy, timings=QUICK)
    desk.prompt()
    toy.suspend("This CLI is suspended.")
    desk.show()
    until(lambda: resolved(desk))
    until(lambda: desk.prompt().form.kind is Kind.UNKNOWN)
    assert toy.resumes == 1


def test_one_whose_shell_is_in_front_is_left_alone(open_desk):
    toy = Suspended("touch a")
    desk = open_desk(toy, timings=QUICK, adopt=True)
    prompt = desk.prompt()
    desk.pane.there = False
    toy.suspend("$ ")
    desk.show()
    time.sleep(0.3)
    assert not toy.resumes
    assert desk.prompt() == prompt


@pytest.mark.parametrize("busy", [False, True])
def test_a_cli_that_has_lent_its_terminal_to_an_editor_waits_for_whoever_types_there(
    open_desk, busy
):
    toy = Toy()
    desk = open_desk(toy, timings=QUICK)
    until(lambda: desk.session().state is SessionState.IDLE)
    toy.busy = busy
    desk.show()
    before = SessionState.BUSY if busy else SessionState.IDLE
    until(lambda: desk.session().state is before)
    toy.edits, toy.odd = True, "working"  # the editor shows what its CLI shows in a turn
    desk.show()
    until(lambda: desk.session().state is SessionState.WAITING)
    assert desk.prompt().form.kind is Kind.UNKNOWN
    assert desk.transport().message(desk.session_id, "hello").status == "queued"
    assert not toy.keys
    toy.edits, toy.odd, toy.busy = False, "", False
    desk.show()
    until(lambda: toy.messages == ["hello"])


def test_a_prompt_that_the_desk_covers_with_an_editor_waits_until_that_is_closed(open_desk):
    toy = Toy("touch a")
    desk = open_desk(toy, timings=QUICK)
    prompt = desk.prompt()
    toy.edits, toy.odd = True, "# The plan"
    desk.show()
    with pytest.raises(ClawTapError) as raised:
        desk.answer(prompt)
    assert raised.value.code == ErrorCode.PROMPT_CHANGED
    assert (desk.prompt(), toy.keys) == (prompt, [])
    toy.edits, toy.odd = False, ""
    desk.pane.ended_clis += 1  # the editor, as far as processes tell
    desk.show()
    assert desk.answer(prompt).state is PromptState.ANSWERED
