"""Steps on their way to a pane: what is typed, and when."""

from __future__ import annotations

import pytest
from timed_pane import ENTER, a_guard

from clawtap_core import Expect, Paste, Pause, Press, PromptForm, Steps, Type
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.runtime.delivery.executor import ROUNDS, reason_withheld
from clawtap_core.runtime.timings import DEFAULT_TIMINGS

# What is typed


def test_the_cursor_is_moved_the_row_is_entered_and_the_prompt_seen_to_leave(room):
    assert room.answer("no") is Delivered.DONE
    assert room.toy.decided == ["touch a: No"]
    assert room.pane.sent == [("press", "Down"), ("press", "Down"), ("alone", "Enter")]
    assert (room.delivery.typed, room.delivery.decided, room.delivery.key) == (True, True, "Enter")
    assert room.took < 1


def test_each_round_is_in_the_journal_before_its_first_key(room):
    room.answer("always")
    down, enter = (Press("Down"),), (ENTER,)
    assert room.written == [(down, "", 0), (enter, "", 1)]
    assert room.delivery.journalled


def test_rounds_without_a_key_are_not_in_the_journal(room):
    assert room.give((Pause(0.1), Expect("Yes")), Steps(done=True)) is Delivered.DONE
    assert room.written == []
    assert not room.delivery.typed
    assert not room.delivery.journalled


def test_text_is_typed_and_what_has_a_tab_or_is_to_be_pasted_is_pasted(room):
    room.give(Steps((Type("one"), Type("a\tb"), Paste("two")), done=True), guard=a_guard())
    assert room.pane.sent == [("type", "one"), ("paste", "a\tb"), ("paste", "two")]


def test_a_key_that_may_follow_one_of_the_desk_is_pressed_as_any(room):
    assert room.give((ENTER,), guard=a_guard()) is Delivered.DONE
    assert room.pane.sent == [("press", "Enter")]


def test_the_adapter_gets_each_fresh_screen_with_its_own_progress(room):
    asked = []

    def steps(screen, progress):
        asked.append((screen.text.split("\n")[1][0], progress))
        return Steps((Press("Down"),), progress=len(asked), done=len(asked) == 3)

    assert room.run(steps) is Delivered.DONE
    assert asked == [(">", None), (" ", 1), (" ", 2)]


def test_the_next_round_begins_as_soon_as_the_keys_show_and_after_a_second_though_they_do_not(
    room,
):
    room.toy.deaf = True
    room.give(Steps((Press("Down"),)), Steps(done=True))
    assert room.took == pytest.approx(DEFAULT_TIMINGS.keys_show, abs=0.05)
    room.toy.deaf = False
    room.give(Steps((Press("Down"),)), Steps(done=True))
    assert room.took < 0.05


def test_what_reveal_read_is_kept_when_it_is_done_and_not_before(room):
    whole = PromptForm(room.form.kind, "whole")
    room.give(Steps(form=room.form), Steps(done=True, form=whole))
    assert room.delivery.form is whole


def test_a_reason_counts_as_given_once_its_round_was_carried_out(room):
    reason = Steps((Expect("never"), Type("why")), reason_given=True)
    room.give(reason, Steps(done=True), guard=a_guard())
    assert not room.delivery.reason_given
    room.give(Steps((Type("why"),), reason_given=True), Steps(done=True), guard=a_guard())
    assert room.delivery.reason_given


def test_a_reason_counts_as_left_once_its_round_was_carried_out(room):
    room.give(Steps((Expect("never"), Press("y")), reason_left=True), Steps(done=True))
    assert not room.delivery.reason_left
    room.give(Steps((Press("y"),), reason_left=True), Steps(done=True))
    assert room.delivery.reason_left


def test_an_answer_that_the_cli_does_not_take_ends_after_the_keys_that_take_it_back(room):
    back = Steps((Press("Down"),), refused="'many' is no number")
    given = iter((Steps((Type("many"),)), back))
    guard = a_guard()
    assert room.run(lambda *_: next(given), guard=guard) is Delivered.REFUSED
    assert (room.delivery.refused, room.delivery.decided) == ("'many' is no number", False)


# What an adapter cannot do


@pytest.mark.parametrize("steps", [None, Steps(("Enter",))])
def test_what_cannot_be_typed_at_first_is_impossible_and_later_it_is_stuck(room, steps):
    assert room.run(lambda *_: steps) is Delivered.IMPOSSIBLE
    rounds = [Steps((Press("Down"),)), steps]
    assert room.run(lambda *_: rounds.pop(0)) is Delivered.STUCK


def test_keys_that_lead_nowhere_end_after_forty_rounds(room):
    assert room.give((Press("Down"),)) is Delivered.STUCK
    assert len(room.pane.sent) == ROUNDS == 40


def test_rounds_that_wait_count_a_third(room):
    looks = []

    def steps(screen, progress):
        looks.append(screen)
        room.toy.history = [f"frame {len(looks)}"]
        return Steps((Pause(0.01),))

    assert room.run(steps) is Delivered.STUCK
    assert len(looks) == 3 * ROUNDS


def test_a_delivery_ends_in_time_though_the_screen_never_changes(room):
    assert room.give(()) is Delivered.STUCK
    assert room.took == pytest.approx(DEFAULT_TIMINGS.delivery, abs=1.1)


# Pauses and expectations


def test_the_screen_is_read_again_after_a_pause_and_no_pause_is_longer_than_two_seconds(room):
    room.meanwhile(1.5, lambda: room.toy.choose("No"))
    assert room.give((Pause(60), ENTER)) is Delivered.CHANGED
    assert room.pane.sent == []
    assert room.written == []
    assert room.took == pytest.approx(DEFAULT_TIMINGS.pause + DEFAULT_TIMINGS.repaint, abs=0.05)


def test_a_pause_before_keys_is_made_once_and_again_before_the_next_keys(room):
    # The adapter is asked again after a pause, and says the same.
    steps = Pause(0.5), Press("Down")
    room.give(steps, steps, Steps(steps, done=True))
    assert room.pane.sent == [("press", "Down")] * 2
    assert room.took == pytest.approx(1.0, abs=0.05)


def test_all_pauses_before_a_key_are_made_and_those_between_keys_too(room):
    pauses = (Pause(0.25), Pause(0.25), Press("Down"), Pause(1), Press("Down"))
    room.give(Steps(pauses, done=True))
    assert room.took == pytest.approx(1.5, abs=0.05)
    assert room.written[0][0] == pauses[2:]


def test_keys_after_an_expected_text_wait_until_it_shows(room):
    room.meanwhile(1.5, lambda: room.toy.history.append("re a dy"))
    room.give(Steps((Press("Down"), Expect("ready"), Press("Up")), done=True), guard=a_guard())
    assert room.pane.sent == [("press", "Down"), ("press", "Up")]
    assert room.took == pytest.approx(1.5, abs=0.05)


def test_keys_after_a_text_that_must_go_wait_until_it_is_gone(room):
    room.toy.history.append("loading")
    room.meanwhile(0.5, room.toy.history.clear)
    room.give(Steps((Expect("loading", gone=True), Press("Up")), done=True), guard=a_guard())
    assert room.pane.sent == [("press", "Up")]
    assert room.took == pytest.approx(0.5, abs=0.05)


def test_keys_after_a_text_that_never_shows_are_withheld_and_the_adapter_is_asked_again(room):
    steps = (Press("Down"), Expect("never", within=3.0), Press("Up"))
    assert room.give(Steps(steps, done=True), Steps(done=True), guard=a_guard()) is Delivered.DONE
    assert room.pane.sent == [("press", "Down")]
    assert room.withheld() == [(steps[1:], "the screen did not show what was expected")]
    assert room.took == pytest.approx(3.0, abs=0.05)


def test_an_expectation_without_keys_after_it_withholds_nothing(room):
    room.give(Steps((Press("Down"), Expect("never"))), Steps(done=True), guard=a_guard())
    assert room.withheld() == []
    assert reason_withheld(room.delivery) == ""
