"""Somebody types in the pane while an answer is on its way, or ends a prompt without one."""

from __future__ import annotations

import itertools
import threading
import time
from types import SimpleNamespace

import pytest
from fake_terminal import Toy, until
from manual_time import ManualTime

from clawtap_core import (
    Kind,
    Press,
    PromptForm,
    PromptState,
    SeenState,
    SessionState,
    Steps,
)
from clawtap_core.errors import Conflict, NotConfirmed, Unavailable
from clawtap_core.runtime.actions import answer_by_hook
from clawtap_core.runtime.panes.tool_calls import Call
from clawtap_core.runtime.timings import Timings


def ended(desk, prompt):
    return until(lambda: (p := desk.transport().prompt(prompt.request_id)).resolution and p)


def test_a_key_from_the_desk_in_the_last_moment_withholds_ours(open_desk):
    desk = open_desk(Toy("touch a"), timings=Timings(call_ends=0.2))
    prompt = desk.prompt()
    press_alone, tries = desk.pane.press_alone, []

    def late(*arguments, **how):
        tries.append(arguments)
        if len(tries) == 1:
            desk.toy.keys_of_others += 1
            desk.toy.row = 2
        return press_alone(*arguments, **how)

    desk.pane.press_alone = late
    assert desk.answer(prompt).state is PromptState.ANSWERED
    assert desk.toy.decided == ["touch a: Yes"]
    assert len(tries) == 2


def test_the_next_prompt_is_announced_though_nothing_shows_whose_answer_counted(open_desk):
    desk = open_desk(Toy("touch a", "touch b"), timings=Timings(call_ends=60.0))
    prompt = desk.prompt()
    desk.toy.keys_of_others += 1
    assert desk.answer(prompt).state is PromptState.ANSWERED
    assert until(lambda: desk.transport().pending())[0].form.description == "touch b"


def test_an_answer_waits_until_the_keys_of_the_desk_show(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    waits = iter([0.05])

    def settles_in():
        if wait := next(waits, 0.0):
            desk.toy.choose("No")
        return wait

    desk.pane.desk_settles_in = settles_in
    with pytest.raises(Conflict) as caught:
        desk.answer(prompt)
    assert caught.value.code == "prompt_changed"
    assert desk.toy.keys == []
    assert ended(desk, prompt).state is PromptState.ANSWERED_ELSEWHERE


def test_a_denial_goes_through_while_somebody_presses_arrows(open_desk):
    desk = open_desk(Toy("touch a"), timings=Timings(desk_quiet=0.2))
    prompt = desk.prompt()
    look = desk.pane.look

    def moves():
        desk.toy.row = (desk.toy.row + 1) % 2
        return look()

    desk.pane.look = moves
    desk.pane.desk_settles_in = lambda: 0.05
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps((Press("n", deciding=True),), done=True)
    desk.toy._answer = lambda key: desk.toy._choose("No") if key == "n" else None
    assert desk.answer(prompt, "no").state is PromptState.DENIED
    assert desk.toy.decided == ["touch a: No"]


def test_a_row_under_a_moving_cursor_is_never_entered(open_desk):
    desk = open_desk(Toy("touch a"), timings=Timings(desk_quiet=0.2))
    prompt = desk.prompt()
    desk.pane.desk_settles_in = lambda: 0.05
    with pytest.raises(NotConfirmed) as caught:
        desk.answer(prompt)
    assert caught.value.code == "not_delivered"
    assert desk.toy.decided == []
    assert desk.prompt().state is PromptState.PENDING


def test_a_key_of_ours_in_the_composer_is_taken_out_and_answered_nothing(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps((Press("1", deciding=True),), done=True)
    key = desk.toy.key

    def too_late(name):
        if desk.toy.asks:
            desk.toy.choose("No")
        if name == "BSpace":
            desk.toy.draft = desk.toy.draft[:-1]
        else:
            key(name)

    desk.toy.key = too_late
    with pytest.raises(Conflict) as caught:
        desk.answer(prompt)
    assert "at the same moment" in caught.value.message
    assert desk.toy.draft == ""
    resolution = ended(desk, prompt).resolution
    assert (resolution.outcome, resolution.device) == (PromptState.ANSWERED_ELSEWHERE, "desk")


def test_a_prompt_that_left_just_before_our_key_was_not_answered_by_a_desk_where_nobody_typed(
    open_desk,
):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps((Press("1", deciding=True),), done=True)
    key = desk.toy.key

    def left_by_itself(name):
        if desk.toy.asks:
            desk.toy._choose("No")
        if name == "BSpace":
            desk.toy.draft = desk.toy.draft[:-1]
        else:
            key(name)

    desk.toy.key = left_by_itself
    with pytest.raises(Conflict):
        desk.answer(prompt)
    resolution = ended(desk, prompt).resolution
    assert (resolution.by, resolution.detail) == ("unknown", "nothing shows who answered")


def answered_by_a_digit(desk):
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps((Press("1", deciding=True),), done=True)
    desk.toy.key = lambda _: desk.toy._choose("Yes")


def test_a_key_that_the_desk_pressed_too_often_before_the_prompt_is_not_ours(open_desk):
    desk = open_desk(Toy("touch a", "touch b"))
    first = desk.prompt()
    answered_by_a_digit(desk)
    desk.toy.choose("Yes")
    # The composer has the second key, and the next prompt covers it.
    desk.toy.keys_of_others += 1
    desk.toy.draft = "1"
    desk.show()
    ended(desk, first)
    (second,) = until(lambda: desk.transport().pending())
    assert desk.answer(second).state is PromptState.ANSWERED
    assert desk.toy.draft == "1"


def test_a_draft_that_stood_before_the_prompt_is_not_our_key(open_desk):
    desk = open_desk(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.toy.draft = "1"
    desk.show()
    desk.toy.asks = ["touch a"]
    desk.show()
    answered_by_a_digit(desk)
    assert desk.answer(desk.prompt()).state is PromptState.ANSWERED
    assert desk.toy.draft == "1"


HELD = "held back, with a draft: 1"


@pytest.fixture
def held(open_desk):
    """A desk at whose prompt somebody began to type, so that the CLI holds it back."""

    def hold(**timings):
        desk = open_desk(Toy("touch a"), timings=Timings(call_ends=0.2, **timings))
        desk.prompt()
        session = desk.agent.sessions.running[desk.session_id]
        detect_state = session.adapter.detect_state

        def state_of(screen, previous):
            if screen.text == HELD:
                return SeenState(SessionState.WAITING, draft="1", holds_back=True)
            return detect_state(screen, previous)

        session.adapter.detect_state = state_of
        session.adapter.respond = lambda *_: Steps((Press("1", deciding=True),), done=True)
        desk.toy.key = lambda _: desk.toy.choose("Yes")
        desk.toy.odd, desk.toy.draft = HELD, "1"
        desk.pane.look()
        return desk

    return hold


def test_a_key_that_the_desk_typed_while_the_prompt_was_held_back_is_not_ours(held):
    desk = held()
    desk.agent.sessions.running[desk.session_id].refresh()
    (prompt,) = desk.transport().pending()
    desk.toy.odd = ""
    assert desk.answer(prompt).state is PromptState.ANSWERED
    assert desk.toy.draft == "1"


def test_an_answer_waits_for_a_prompt_that_is_held_back_while_somebody_types(held):
    desk = held(repaint=0.02)
    (prompt,) = desk.transport().pending()
    back = threading.Timer(0.3, setattr, (desk.toy, "odd", ""))
    back.start()
    assert desk.answer(prompt).state is PromptState.ANSWERED
    back.join()
    assert (desk.toy.decided, desk.toy.draft) == (["touch a: Yes"], "1")


def test_an_answer_is_not_typed_while_somebody_types_on_and_on(held):
    desk = held(repaint=0.02, desk_quiet=0.1)
    (prompt,) = desk.transport().pending()
    with pytest.raises(NotConfirmed) as caught:
        desk.answer(prompt)
    assert caught.value.code == "not_delivered"
    assert "somebody else typed" in caught.value.message
    assert desk.toy.decided == []
    assert desk.transport().pending()[0].state is PromptState.PENDING


def test_an_answer_waits_until_a_prompt_over_a_draft_of_the_desk_takes_keys(open_desk):
    desk = open_desk(Toy(), timings=Timings(draft_covered=0.6))
    desk.until_idle()
    desk.toy.draft = "half a thought"
    desk.show()
    until(lambda: desk.live.seen.draft)
    desk.toy.asks.append("touch a")
    desk.show()
    prompt = desk.prompt()
    pressed, key = [], desk.toy.key
    desk.toy.key = lambda name: (pressed.append(time.monotonic()), key(name))
    began = time.monotonic()
    assert desk.answer(prompt).state is PromptState.ANSWERED
    assert pressed[0] - began > 0.4


def test_a_prompt_that_leaves_by_itself_names_nobody(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.toy._choose("No")
    desk.show()
    resolution = ended(desk, prompt).resolution
    assert (resolution.outcome, resolution.by) == (PromptState.ANSWERED_ELSEWHERE, "unknown")


def test_a_prompt_that_somebody_ended_at_the_desk_says_so(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.toy.choose("No")
    desk.show()
    resolution = ended(desk, prompt).resolution
    assert (resolution.by, resolution.device) == ("someone", "desk")


def test_a_prompt_that_leaves_to_a_screen_which_explains_nothing_was_answered_by_nobody(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    # An editor was opened at the desk and closed, and the CLI paints only a part.
    desk.toy.keys_of_others += 1
    desk.toy.odd = "some rest of a screen"
    desk.show()
    resolution = ended(desk, prompt).resolution
    assert (resolution.outcome, resolution.by) == (PromptState.CANCELLED, "clawtap")
    assert resolution.detail == "nothing shows why it left"


@pytest.mark.parametrize(("typed", "by"), [(1, "someone"), (0, "clawtap")])
def test_a_screen_that_was_not_read_was_closed_not_answered(open_desk, typed, by):
    """Seen on Claude Code 2.1.332 and Codex 0.171.0: `/theme` was opened and closed at the desk."""
    desk = open_desk(Toy())
    desk.toy.odd = "Theme: dark, light"
    desk.show()
    until(lambda: desk.transport().pending(), 5)
    prompt = desk.prompt()
    assert prompt.form.kind is Kind.UNKNOWN
    desk.toy.keys_of_others += typed
    desk.toy.odd = ""
    desk.show()
    resolution = ended(desk, prompt).resolution
    assert (resolution.outcome, resolution.by) == (PromptState.CANCELLED, by)
    assert "nothing shows whether it asked" in resolution.detail


def test_a_prompt_that_our_interrupt_ended_names_its_user(open_desk):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy)
    session = desk.agent.sessions.running[desk.session_id]
    until(lambda: desk.session().state.value == "busy")

    def asks_first(key):
        toy.keys.append(key)
        toy.busy = False
        toy.asks.append("touch a")

    toy.key = asks_first
    desk.transport().interrupt(desk.session_id)
    prompt = desk.prompt()
    toy._choose("No")
    desk.show()
    resolution = ended(desk, prompt).resolution
    assert resolution.outcome is PromptState.CANCELLED
    assert (resolution.by, resolution.device) == ("ann", "phone")
    assert session.prompt is None


def comes_of(*states, call, allows=True, at_work=lambda: False):
    """What is said of an answer while the CLI shows these states; the last one stays."""
    left, clock = list(states), ManualTime()

    def state(screen, previous):
        return SeenState(left.pop(0) if len(left) > 1 else left[0])

    session = SimpleNamespace(
        timings=Timings(call_ends=0.3, call_refused=0.05),
        exit_outcome=None,
        pane=SimpleNamespace(look=lambda: None, cli_at_work=at_work),
        adapter=SimpleNamespace(detect_prompt=lambda screen: None, detect_state=state),
    )
    hand_moved = SimpleNamespace(monotonic=lambda: clock.seconds, sleep=clock.advance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_by_hook, "time", hand_moved)
        return answer_by_hook.took_this_answer(session, lambda: call, allows=allows)


def test_a_call_that_starts_late_was_allowed_by_us_though_the_session_looked_idle():
    call = Call(PromptForm(Kind.PERMISSION, "Run?", "sleep 60"))
    idle, busy = SessionState.IDLE, SessionState.BUSY
    assert comes_of(*[idle] * 6, busy, call=call)
    assert not comes_of(idle, call=call)
    assert comes_of(idle, call=call, allows=False)


def test_a_cli_that_is_late_with_its_keys_is_waited_for():
    form, looks = PromptForm(Kind.PERMISSION, "Run?", "touch a"), itertools.count()
    call = Call(form)

    def at_work():
        call.status = "denied" if next(looks) > 10 else None
        return True

    assert not comes_of(SessionState.BUSY, call=call, at_work=at_work)
    assert comes_of(SessionState.BUSY, call=Call(form))


def test_a_prompt_that_could_not_be_read_after_an_answer_is_shown_once_it_can(open_desk):
    toy = Toy("touch a")
    desk = open_desk(toy, timings=Timings(answer_leaves=0.2, screen_unread=0.1))
    toy.key = toy.keys.append  # it takes no key
    prompt = desk.prompt()
    look, unreadable_until = desk.pane.look, [0.0]

    def look_unless_tmux_stands_still():
        if desk.transport().prompt(prompt.request_id).state is PromptState.FAILED:
            unreadable_until[0] = unreadable_until[0] or time.monotonic() + 0.3
            if time.monotonic() < unreadable_until[0]:
                raise Unavailable("tmux did not answer")
        return look()

    desk.pane.look = look_unless_tmux_stands_still
    with pytest.raises(NotConfirmed):
        desk.answer(prompt)
    again = until(lambda: desk.transport().pending())[0]
    assert again.request_id != prompt.request_id
    assert again.form.description == prompt.form.description
