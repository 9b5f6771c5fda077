"""Steps on their way to a pane: what is withheld, since the screen or the desk moved."""

from __future__ import annotations

import pytest
from timed_pane import ENTER, a_guard

from clawtap_core import Expect, Press, Steps, Type
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.runtime.delivery.executor import DESK_TYPES, reason_withheld
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, Timings

SHORT = Timings(moving=0.3)
LEFT = "the screen no longer shows what the keys were meant for"

# When nothing may be typed


def test_a_screen_that_may_not_be_typed_into_gets_a_second_to_change(room):
    room.toy.odd = "half a frame"
    assert room.answer() is Delivered.CHANGED
    assert room.pane.sent == []
    assert room.took == pytest.approx(DEFAULT_TIMINGS.repaint, abs=0.05)


def test_a_prompt_that_was_half_painted_is_answered_once_it_stands(room):
    room.toy.odd = "half a frame"
    room.meanwhile(0.5, lambda: setattr(room.toy, "odd", ""))
    assert room.answer() is Delivered.DONE
    assert room.toy.decided == ["touch a: Yes"]


def test_nothing_is_typed_while_another_program_is_in_front(room):
    room.pane.there = False
    assert room.answer() is Delivered.CHANGED
    assert room.pane.sent == []


def test_nothing_is_typed_after_the_cli_is_gone_and_nobody_waits_for_it(room):
    assert room.answer(exit_outcome=lambda: Delivered.GONE) is Delivered.CHANGED
    assert room.pane.sent == []
    assert room.took < 0.1


def test_keys_after_the_first_are_withheld_once_the_screen_no_longer_fits(room):
    room.pane.before_key = lambda key: room.toy.choose("No")
    assert room.give((Press("Down"), Press("Up"))) is Delivered.CHANGED
    assert room.pane.sent == [("press", "Down")]
    assert room.withheld() == [((Press("Up"),), LEFT)]
    assert reason_withheld(room.delivery) == f" (keys were withheld: {LEFT})"


def test_keys_of_an_answer_over_several_screens_are_withheld_when_another_program_comes(room):
    room.pane.before_key = lambda key: setattr(room.pane, "there", False)
    assert room.give(Steps((Press("Down"), Press("Up")), spans=True)) is Delivered.CHANGED
    assert room.withheld() == [((Press("Up"),), "the CLI is not in front")]


def test_keys_are_withheld_when_the_cli_exits_under_them(room):
    gone = []
    room.pane.before_key = gone.append
    outcome = room.give(
        Steps((Press("Down"), Press("Up")), spans=True),
        exit_outcome=lambda: Delivered.GONE if gone else None,
    )
    assert outcome is Delivered.CHANGED
    assert room.withheld() == [((Press("Up"),), "the CLI is gone")]


def test_what_was_withheld_is_forgotten_once_keys_were_sent(room):
    rounds = Steps((Press("Down"), Expect("never"), Press("Up"))), Steps((ENTER,))
    assert room.give(*rounds) is Delivered.DONE
    assert room.delivery.withheld == ""


# A screen that moves under the keys


def moves_the_cursor(room, *rounds):
    """Somebody moves the cursor while the adapter thinks."""
    left = [*rounds]

    def steps(screen, progress):
        room.toy.row = (room.toy.row + 1) % 2
        return left.pop(0) if len(left) > 1 else left[0]

    return steps


def test_keys_for_a_row_that_moved_meanwhile_are_withheld_and_asked_for_again(room):
    times = []

    def steps(screen, progress):
        times.append(room.time.seconds)
        room.toy.row = 1
        return Steps((Press("Down"),), done=True)

    assert room.run(steps) is Delivered.DONE
    down = (Press("Down"),)
    assert [each[:2] for each in room.written] == [
        (down, ""),
        (down, "what the keys were meant for moved on the screen"),
        (down, ""),
    ]
    assert times[1] - times[0] == pytest.approx(DEFAULT_TIMINGS.look_moving, abs=0.005)
    assert room.pane.sent == [("press", "Down")]


def test_a_screen_that_keeps_moving_ends_it_after_ten_seconds(room):
    steps, seldom = moves_the_cursor(room, Steps((Press("Down"),))), Timings(look_moving=0.5)
    assert room.run(steps, timings=seldom) is Delivered.STUCK
    assert room.pane.sent == []
    assert room.took == pytest.approx(DEFAULT_TIMINGS.moving, abs=0.01)
    assert "moved on the screen" in reason_withheld(room.delivery)


def test_a_screen_that_changed_elsewhere_takes_the_keys(room):
    def steps(screen, progress):
        room.toy.history = [f"a clock: {room.time.seconds}"]
        return Steps((ENTER,))

    assert room.run(steps) is Delivered.DONE
    assert room.withheld() == []


def test_a_prompt_that_left_while_the_adapter_thought_gets_no_key(room):
    def steps(screen, progress):
        room.toy.choose("No")
        return Steps((ENTER,))

    assert room.run(steps) is Delivered.CHANGED
    assert room.pane.sent == []
    assert room.withheld() == [((ENTER,), LEFT)]


def test_a_key_that_names_its_row_does_not_mind_a_cursor_that_moved(room):
    steps = moves_the_cursor(room, Steps((Press("1", deciding=True),)))
    room.toy._answer = lambda key: room.toy._choose("Yes")
    assert room.run(steps) is Delivered.DONE
    assert room.pane.sent == [("alone", "1")]


@pytest.mark.parametrize("first", [Press("1"), Press("Enter", deciding=True), Type("1")])
def test_any_other_key_minds_it(room, first):
    assert room.run(moves_the_cursor(room, Steps((first,))), timings=SHORT) is Delivered.STUCK
    assert room.pane.sent == []


def test_an_answer_over_several_screens_knows_them_itself_until_a_key_decides(room):
    steps = moves_the_cursor(room, Steps((Press("Down"),), spans=True, done=True))
    assert room.run(steps) is Delivered.DONE
    assert room.pane.sent == [("press", "Down")]
    room.pane.sent.clear()
    steps = moves_the_cursor(room, Steps((ENTER,), spans=True))
    assert room.run(steps, timings=SHORT) is Delivered.STUCK
    assert room.pane.sent == []


def test_an_answer_over_several_screens_goes_on_after_a_key_that_decides(room):
    room.toy.asks = ["touch a", "touch b"]
    rounds = Steps((ENTER,), spans=True), Steps((Press("Down"),), spans=True)
    last = Steps((ENTER,), spans=True, done=True)
    assert room.give(*rounds, last) is Delivered.DONE
    assert room.toy.decided == ["touch a: Yes", "touch b: Always"]


# Somebody at the desk types too


def test_a_deciding_key_waits_until_what_the_desk_typed_shows(room):
    waits = iter([5.0, 0.07, 0.0])
    room.pane.settles = lambda: next(waits)
    assert room.answer() is Delivered.DONE
    # Longer waits are cut, since the CLI may have read the keys sooner.
    expected = DEFAULT_TIMINGS.look_at_desk + 0.07
    assert room.pane.sent_at - room.began == pytest.approx(expected, abs=0.01)
    assert not room.delivery.contested


def test_other_keys_and_those_that_answer_nothing_do_not_wait_for_the_desk(room):
    room.pane.settles = lambda: 5.0
    assert room.give(Steps((Press("Down"),), done=True)) is Delivered.DONE
    assert room.give((ENTER,), guard=a_guard()) is Delivered.DONE
    assert room.took < 0.1
    assert not room.delivery.contested


def test_a_message_waits_until_what_the_desk_entered_shows_and_not_for_ever(room):
    """A list that it opened would take the keys; a desk that types leaves a draft."""
    waits = iter([5.0, 0.07, 0.0])
    room.pane.settles = lambda: next(waits)
    steps = Steps((Press("x"), Press("y")), done=True)
    assert room.give(steps, guard=a_guard(needs_quiet=lambda: True)) is Delivered.DONE
    assert room.took == pytest.approx(DEFAULT_TIMINGS.look_at_desk + 0.07, abs=0.01)
    room.pane.settles = lambda: 5.0
    assert room.give(steps, guard=a_guard(needs_quiet=lambda: True)) is Delivered.DONE
    assert room.took == pytest.approx(DEFAULT_TIMINGS.desk_quiet, abs=0.01)


@pytest.mark.parametrize(("key", "unread"), [("Enter", False), ("Space", False), ("n", True)])
def test_no_key_that_goes_by_the_cursor_or_after_unread_ones_follows_a_desk_that_keeps_typing(
    room, key, unread
):
    room.pane.settles, room.pane.unread = lambda: 5.0, unread
    steps = (Press(key, deciding=True),)
    assert room.give(steps) is Delivered.STUCK
    assert room.pane.sent == []
    assert room.withheld() == [(steps, DESK_TYPES)]
    assert room.took == pytest.approx(DEFAULT_TIMINGS.desk_quiet, abs=0.01)


def test_a_key_that_names_its_row_follows_it_and_the_delivery_is_contested(room):
    room.pane.settles = lambda: 5.0
    room.toy._answer = lambda key: room.toy._choose("No")
    assert room.give((Press("n", deciding=True),)) is Delivered.DONE
    assert room.delivery.contested
    waited = room.pane.sent_at - room.began
    assert waited == pytest.approx(DEFAULT_TIMINGS.desk_quiet, abs=0.01)


def test_a_key_of_the_desk_since_the_screen_was_read_withholds_ours(room):
    def one_key(key):
        room.toy.keys_of_others += 1
        room.pane.before_key = lambda key: None

    room.pane.before_key = one_key
    assert room.answer() is Delivered.DONE
    assert room.withheld() == [((ENTER,), DESK_TYPES)]
    assert room.pane.sent == [("alone", "Enter")]


def test_a_key_that_was_withheld_decided_nothing(room):
    def every_key(key):
        room.toy.keys_of_others += 1

    room.pane.before_key = every_key
    assert room.answer() is Delivered.STUCK
    assert (room.delivery.typed, room.delivery.decided) == (False, False)


def held_back(room):
    """A CLI that shows the composer in the prompt's place while somebody types there."""
    guard = PromptGuard(room.adapter, room.form, clock=lambda: room.time.seconds)
    guard.held_back = lambda screen: bool(room.toy.odd)
    room.toy.odd = "compose: a draft"
    return guard


def test_a_prompt_that_is_held_back_is_answered_once_nobody_types(room):
    guard = held_back(room)
    room.meanwhile(3.0, lambda: setattr(room.toy, "odd", ""))
    assert room.answer(guard=guard) is Delivered.DONE
    assert room.toy.decided == ["touch a: Yes"]
    assert room.pane.sent_at - room.began == pytest.approx(3.0, abs=0.05)


def test_a_prompt_that_stays_held_back_is_still_open_and_the_desk_the_reason(room):
    assert room.answer(guard=held_back(room)) is Delivered.STUCK
    assert room.pane.sent == []
    assert DESK_TYPES in reason_withheld(room.delivery)
    assert room.took == pytest.approx(DEFAULT_TIMINGS.desk_quiet, abs=0.01)
