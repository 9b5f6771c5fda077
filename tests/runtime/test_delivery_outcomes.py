"""Steps on their way to a pane: what came of them."""

from __future__ import annotations

from itertools import cycle

import pytest
from timed_pane import ENTER, a_guard

from clawtap_core import Press, Steps
from clawtap_core.errors import Conflict, NotFound, Unavailable
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.runtime.delivery.executor import Delivery, reason_withheld
from clawtap_core.runtime.timings import DEFAULT_TIMINGS

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


def test_a_screen_that_is_late_still_shows_the_answered_prompt(room):
    """A busy CLI reports the end of a call before it repaints: that is not the next prompt."""
    key, room.toy.key = room.toy.key, lambda keys: None
    room.pane.at_work = True
    # OpenCode's server may be seconds ahead of what its panes show.
    room.meanwhile(5, lambda: key("Enter"))
    assert room.answer(concluded=lambda: True) is Delivered.DONE
    assert room.took >= 5
    assert room.pane.look().text.startswith("done touch a")


def test_of_a_cli_at_rest_two_looks_say_that_its_screen_is_not_late(room):
    room.toy.deaf = True
    assert room.answer(concluded=lambda: True) is Delivered.DONE
    assert room.took == pytest.approx(0.05, abs=0.01)


def test_a_cli_that_rests_only_between_two_looks_is_at_work(room):
    room.toy.deaf = True
    at_work = cycle([True, False])
    room.pane.cli_at_work = lambda: next(at_work)
    assert room.answer(concluded=lambda: True) is Delivered.DONE
    assert room.took == pytest.approx(DEFAULT_TIMINGS.screen_late, abs=0.1)


def test_an_equal_prompt_that_follows_is_found_though_its_cli_stays_at_work(room):
    room.toy.key = lambda keys: None
    room.pane.at_work = True
    assert room.answer(concluded=lambda: True) is Delivered.DONE
    assert room.took == pytest.approx(DEFAULT_TIMINGS.screen_late, abs=0.1)


def test_an_equal_prompt_is_found_at_once_if_the_screen_showed_that_its_cli_continued(room):
    room.pane.at_work = True

    def continues(keys):
        room.toy.asks, room.toy.busy = [], True
        room.meanwhile(0.06, lambda: setattr(room.toy, "asks", ["touch a"]))

    room.toy.key = continues
    assert room.answer(concluded=lambda: True) is Delivered.DONE
    assert room.took < 0.2


def test_a_prompt_that_is_back_on_the_screen_is_not_over_unless_something_says_so(room):
    def repaints(keys):
        room.toy.asks, room.toy.busy = [], True
        room.meanwhile(0.06, lambda: setattr(room.toy, "asks", ["touch a"]))

    room.toy.key = repaints
    assert room.answer() is Delivered.NOT_CONFIRMED


def test_a_decided_answer_whose_screen_then_changes_is_seen_to_its_end(room):
    steps = Steps((ENTER, Press("Down")), spans=True)
    asked = []

    def next_steps(screen, progress):
        asked.append(screen)
        return steps if len(asked) == 1 else None

    assert room.run(next_steps) is Delivered.DONE
    assert room.toy.decided == ["touch a: Yes"]


@pytest.mark.parametrize("concluded", [False, True])
def test_a_page_that_stays_open_after_others_were_decided_is_not_confirmed(room, concluded):
    room.toy.deaf = True
    rounds = iter([Steps((ENTER,), spans=True), None])
    outcome = room.run(lambda *_: next(rounds), concluded=lambda: concluded)
    assert outcome is (Delivered.DONE if concluded else Delivered.NOT_CONFIRMED)


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
    assert room.took < 0.5


def test_whose_key_it_was_is_asked_only_about_a_prompt_that_left(room):
    room.toy.deaf = True
    asked = []
    room.answer(taken=lambda delivery: asked.append(delivery))
    assert asked == []
    assert not room.delivery.crossed


def test_a_delivery_that_has_not_begun_says_that_nothing_happened(room):
    delivery = Delivery(room.pane, a_guard(), lambda *_: None, room.journal)
    happened = {name: value for name, value in vars(delivery).items() if not name.startswith("_")}
    assert not any(happened.values())
    assert {"typed", "decided", "contested", "journalled", "unheard", "crossed"} < {*happened}
    assert (delivery.key, reason_withheld(delivery)) == ("", "")
