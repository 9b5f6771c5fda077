"""Steps on their way to a pane: what is typed, what is withheld, and when it is over."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fake_terminal import Toy, make_adapter
from manual_time import ManualTime
from timed_pane import TimedPane

from clawtap_core import Expect, Paste, Pause, Press, PromptForm, Response, Steps, Type
from clawtap_core.errors import Conflict, NotFound, Unavailable
from clawtap_core.host import Host
from clawtap_core.runtime.delivery.executor import (
    DESK_TYPES,
    ROUNDS,
    Delivered,
    Delivery,
    reason_withheld,
)
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.timings import DEFAULT_TIMINGS

ENTER = Press("Enter", deciding=True)
GONE_ELSEWHERE = "the screen no longer shows what the keys were meant for"


@pytest.fixture(scope="module")
def adapter():
    host = Host()
    host.add(make_adapter(), "toy")
    return host.adapter("toy")


class Room:
    """A program that asks, its pane, and one delivery into it, on a clock that nobody waits for."""

    def __init__(self, adapter, toy=None):
        self.adapter, self.toy = adapter, toy or Toy("touch a")
        self.time = ManualTime()
        self.pane = TimedPane(self.toy, self.time)
        self.written = []
        self.form = adapter.detect_prompt(self.pane.look())

    def journal(self, steps, *, withheld=""):
        self.written.append((tuple(steps), withheld, len(self.pane.sent)))

    def withheld(self):
        """What was written to be withheld, with its reason."""
        return [(steps, reason) for steps, reason, _ in self.written if reason]

    def answer(self, option="yes", **more):
        """Deliver an answer as the adapter says it."""
        response = Response("p", selected_option=option)
        return self.run(
            lambda screen, progress: self.adapter.respond(self.form, response, screen, progress),
            **more,
        )

    def give(self, *rounds, **more):
        """Deliver these rounds; the last one is given again whenever one more is asked for."""
        left = [each if isinstance(each, Steps) else Steps(each) for each in rounds]
        return self.run(lambda *_: left.pop(0) if len(left) > 1 else left[0], **more)

    def run(self, next_steps, *, guard=None, **more):
        guard = guard or PromptGuard(self.adapter, self.form, clock=lambda: self.time.seconds)
        self.delivery = Delivery(
            self.pane, guard, next_steps, self.journal, scheduler=self.time.scheduler, **more
        )
        self.began = self.time.seconds
        return self.delivery.run()

    @property
    def took(self):
        return self.time.seconds - self.began

    def meanwhile(self, seconds, change):
        """Change something after so many seconds."""
        self.time.call_later(seconds, change)


@pytest.fixture
def room(adapter):
    return Room(adapter)


def a_guard(**more):
    """A guard that allows everything, and sees the end once something was decided."""
    return SimpleNamespace(
        **{
            "allows": lambda screen: True,
            "unmoved": lambda asked, now, cursor=True: False,
            "over": lambda screen: True,
            "another": lambda screen: False,
            "landmark": lambda screen: None,
            **more,
        }
    )


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
    assert room.withheld() == [((Press("Up"),), GONE_ELSEWHERE)]
    assert reason_withheld(room.delivery) == f" (keys were withheld: {GONE_ELSEWHERE})"


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
    assert room.run(moves_the_cursor(room, Steps((Press("Down"),)))) is Delivered.STUCK
    assert room.pane.sent == []
    assert room.took == pytest.approx(DEFAULT_TIMINGS.moving, abs=0.1)
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
    assert room.withheld() == [((ENTER,), GONE_ELSEWHERE)]


def test_a_key_that_names_its_row_does_not_mind_a_cursor_that_moved(room):
    steps = moves_the_cursor(room, Steps((Press("1", deciding=True),)))
    room.toy._answer = lambda key: room.toy._choose("Yes")
    assert room.run(steps) is Delivered.DONE
    assert room.pane.sent == [("alone", "1")]


@pytest.mark.parametrize("first", [Press("1"), Press("Enter", deciding=True), Type("1")])
def test_any_other_key_minds_it(room, first):
    assert room.run(moves_the_cursor(room, Steps((first,)))) is Delivered.STUCK
    assert room.pane.sent == []


def test_an_answer_over_several_screens_knows_them_itself_until_a_key_decides(room):
    steps = moves_the_cursor(room, Steps((Press("Down"),), spans=True, done=True))
    assert room.run(steps) is Delivered.DONE
    assert room.pane.sent == [("press", "Down")]
    room.pane.sent.clear()
    steps = moves_the_cursor(room, Steps((ENTER,), spans=True))
    assert room.run(steps) is Delivered.STUCK
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


# Errors under a key


def breaks(room, error):
    def before_key(key):
        raise error

    room.pane.before_key = before_key


def test_a_conflict_says_that_nothing_was_sent(room):
    breaks(room, Conflict("in copy mode"))
    with pytest.raises(Conflict):
        room.give((ENTER, Press("Up")))
    assert (room.delivery.typed, room.delivery.decided) == (False, False)
    assert room.withheld() == [((ENTER, Press("Up")), "in copy mode")]


def test_a_conflict_takes_nothing_back_of_what_was_sent_before(room):
    room.pane.before_key = lambda key: key == "Down" or breaks(room, Conflict("in copy mode"))
    with pytest.raises(Conflict):
        room.give(Steps((Press("Down"), Press("Left"), ENTER), spans=True))
    assert (room.delivery.typed, room.delivery.decided) == (True, False)


def test_any_other_error_may_come_after_the_key(room):
    breaks(room, Unavailable("tmux is gone"))
    with pytest.raises(Unavailable):
        room.give((ENTER,))
    assert (room.delivery.typed, room.delivery.decided) == (True, True)
    assert room.withheld() == []


# The outcome of a deciding key


def test_a_prompt_that_stays_is_not_confirmed_and_nothing_is_typed_again(room):
    room.toy.deaf = True
    assert room.answer(confirm=7.0) is Delivered.NOT_CONFIRMED
    assert room.pane.sent == [("alone", "Enter")]
    assert room.took == pytest.approx(7.0, abs=0.05)
    assert room.pane.opened == 0


def test_an_outcome_is_waited_for_ten_seconds_unless_more_is_asked(room):
    room.toy.deaf = True
    assert room.answer() is Delivered.NOT_CONFIRMED
    assert room.took == pytest.approx(10.0, abs=0.05)


def test_what_else_says_that_it_is_over_is_asked_often_though_the_screen_stands(room):
    room.toy.deaf = True
    over = []
    room.meanwhile(0.3, lambda: over.append(True))
    assert room.answer(concluded=lambda: bool(over)) is Delivered.DONE
    assert room.took < 0.4


def test_a_decided_answer_whose_screen_then_changes_is_seen_to_its_end(room):
    steps = Steps((ENTER, Press("Down")), spans=True)
    asked = []

    def next_steps(screen, progress):
        asked.append(screen)
        return steps if len(asked) == 1 else None

    assert room.run(next_steps) is Delivered.DONE
    assert room.toy.decided == ["touch a: Yes"]


@pytest.mark.parametrize("outcome", [Delivered.DONE, Delivered.GONE])
def test_an_exit_of_the_cli_says_what_it_means(room, outcome):
    room.toy.deaf = True
    found = room.answer(exit_outcome=lambda: outcome if room.pane.sent else None)
    assert found is outcome
    assert room.took < 0.1


@pytest.mark.parametrize(
    ("exited", "outcome"), [(None, Delivered.GONE), (Delivered.DONE, Delivered.DONE)]
)
def test_a_pane_that_left_after_the_key_says_what_its_exit_means_or_that_it_is_gone(
    room, exited, outcome
):
    def leaves():
        if room.pane.sent:
            raise NotFound("no such pane")

    room.pane.before_look = leaves
    assert room.answer(exit_outcome=lambda: exited if room.pane.sent else None) is outcome


def test_an_answer_that_was_seen_to_arrive_has_arrived_though_its_pane_then_leaves(room):
    def leaves(screen):
        raise NotFound("no such pane")

    guard = a_guard(another=leaves)
    assert room.give((ENTER,), guard=guard) is Delivered.DONE


def test_the_desk_may_type_again_at_once_unless_the_next_prompt_stands_there(room):
    assert room.answer() is Delivered.DONE
    assert room.pane.opened == 1
    room.toy.asks = ["touch b", "touch c"]
    room.form = room.adapter.detect_prompt(room.pane.look())
    assert room.answer() is Delivered.DONE
    assert room.pane.opened == 1


def test_an_answer_of_which_the_desk_was_first_is_crossed(room):
    assert room.answer(taken=lambda delivery: False) is Delivered.CHANGED
    assert (room.delivery.crossed, room.delivery.decided) == (True, False)


def test_whose_key_it_was_is_asked_only_about_a_prompt_that_left(room):
    room.toy.deaf = True
    asked = []
    room.answer(taken=lambda delivery: asked.append(delivery))
    assert asked == []
    assert not room.delivery.crossed
