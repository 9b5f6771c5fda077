"""Prompts that no pane shows: their takers, and their time (rule 8)."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone

import pytest
from fake_terminal import until

from clawtap_core import Effect, Kind, Option, PromptForm, PromptState, Question, Response
from clawtap_core.config.settings import same_timeout
from clawtap_core.errors import BadRequest, Conflict, NotConfirmed, Unavailable
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor, Session
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
ANN, BOB = Actor("ann", "phone"), Actor("bob", "laptop")
YES_NO = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))
RUN = PromptForm(Kind.PERMISSION, "Run it?", "ls", options=YES_NO)
WHAT = PromptForm(Kind.QUESTION, "Which?", questions=(Question("Which?"),))


class Cli:
    """A program that asks, and keeps what it hears."""

    def __init__(self):
        self.answers, self.ends = [], []
        self.fails = None
        self.before = lambda: None

    def answered(self, prompt, response):
        self.before()
        if self.fails:
            raise self.fails
        self.answers.append(response.selected_option or dict(response.answers))

    def ended(self, prompt):
        self.ends.append((prompt.state.value, prompt.resolution.detail))


class Room:
    """A ledger with a time of its own, and one session."""

    def __init__(self, timeouts, journal=None):
        self.time = NOON
        self.store = StateStore(journal or MemoryJournal(), now=lambda: self.time)
        self.asked = OffscreenPrompts(self.store, timeouts)
        self.asked.start()
        session = Session("s", "toy", "protocol", "launched", "/", "t", NOON, NOON)
        self.store.add_session(session)
        self.cli = Cli()

    def ask(self, form=RUN, **more):
        return self.asked.ask("s", "protocol", form, self.cli, **more)

    def answer(self, prompt, option="yes", actor=ANN, **more):
        return self.asked.answer(prompt, Response(prompt.request_id, option, **more), actor)

    def pass_time(self, seconds):
        self.time += timedelta(seconds=seconds)
        self.asked._clock.wind()

    def state(self, prompt):
        return self.store.find_prompt(prompt.request_id).state


@pytest.fixture
def make_room():
    rooms = []

    def make(timeouts=None, **more):
        rooms.append(Room(timeouts or same_timeout(600), **more))
        return rooms[-1]

    yield make
    for room in rooms:
        room.asked.close()


@pytest.fixture
def room(make_room):
    return make_room()


def test_the_answer_reaches_who_asked(room):
    prompt = room.ask()
    ended = room.answer(prompt)
    assert (ended.state, ended.resolution.by) == (PromptState.ANSWERED, "ann")
    assert (room.cli.answers, room.cli.ends) == (["yes"], [])


def test_a_refusal_is_denied(room):
    assert room.answer(room.ask(), "no").state is PromptState.DENIED


def test_an_answer_that_does_not_fit_leaves_nothing_behind(room):
    prompt = room.ask()
    with pytest.raises(BadRequest):
        room.answer(prompt, "perhaps")
    assert room.state(prompt) is PromptState.PENDING
    assert room.cli.answers == []


def test_the_second_answer_hears_of_the_first(room):
    prompt = room.ask()
    room.answer(prompt)
    with pytest.raises(Conflict, match="ann") as caught:
        room.answer(prompt, "no", BOB)
    assert caught.value.code == "already_answered"
    assert room.cli.answers == ["yes"]


def test_of_answers_at_once_one_arrives(room):
    prompt, refused = room.ask(), []

    def answer():
        try:
            room.answer(prompt)
        except Conflict:
            refused.append(1)

    threads = [threading.Thread(target=answer) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (room.cli.answers, len(refused)) == (["yes"], 7)


def test_an_answer_that_was_not_delivered_leaves_the_prompt_waiting(room):
    prompt = room.ask()
    room.cli.fails = Unavailable("the CLI does not read")
    with pytest.raises(Unavailable):
        room.answer(prompt)
    room.cli.fails = None
    assert room.answer(prompt).state is PromptState.ANSWERED


def test_an_answer_whose_delivery_is_not_certain_failed(room):
    prompt = room.ask()
    room.cli.fails = NotConfirmed("the CLI ended meanwhile")
    with pytest.raises(NotConfirmed):
        room.answer(prompt)
    assert room.state(prompt) is PromptState.FAILED


def test_a_prompt_that_ended_under_the_answer_is_not_answered(room):
    prompt = room.ask()
    end = room.store.end_prompt
    room.cli.before = lambda: end(prompt.request_id, PromptState.CANCELLED)
    with pytest.raises(Conflict) as caught:
        room.answer(prompt)
    assert caught.value.code == "prompt_changed"
    assert room.state(prompt) is PromptState.CANCELLED


def test_who_asked_hears_of_an_end_that_is_no_answer(room):
    prompt = room.ask()
    room.store.end_prompt(prompt.request_id, PromptState.CANCELLED, detail="the session ended")
    assert room.cli.ends == [("cancelled", "the session ended")]


def test_a_taker_that_fails_does_not_keep_the_prompt_from_ending(room):
    prompt = room.ask()
    room.cli.ended = lambda prompt: 1 / 0
    room.store.end_prompt(prompt.request_id, PromptState.CANCELLED)
    assert room.state(prompt) is PromptState.CANCELLED


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (RUN, "Tool approval timed out after 10 minutes"),
        (WHAT, "User did not respond within 10 minutes"),
    ],
)
def test_after_ten_minutes_a_prompt_expires_with_the_seeds_message(room, form, message):
    prompt = room.ask(form)
    assert prompt.expires_at == NOON + timedelta(minutes=10)
    room.pass_time(599)
    assert room.state(prompt) is PromptState.PENDING
    room.pass_time(1)
    until(lambda: room.cli.ends == [("expired", message)])
    ended = room.store.find_prompt(prompt.request_id)
    assert (ended.resolution.by, ended.resolution.response) == ("clawtap", None)
    with pytest.raises(Conflict, match="expired"):
        room.answer(prompt)


def test_time_is_set_for_each_kind_and_nought_is_for_ever(make_room):
    room = make_room({**same_timeout(600), Kind.QUESTION: 0, Kind.PERMISSION: 90})
    question, permission = room.ask(WHAT), room.ask(RUN)
    assert question.expires_at is None
    room.pass_time(90)
    until(lambda: room.cli.ends == [("expired", "Tool approval timed out after 90 seconds")])
    room.pass_time(10**6)
    assert (room.state(question), room.state(permission).value) == (PromptState.PENDING, "expired")


def test_a_prompt_can_have_a_time_of_its_own(room):
    assert room.ask(seconds=30).expires_at == NOON + timedelta(seconds=30)
    assert room.ask(seconds=0).expires_at is None


def test_more_time_can_be_given(room):
    prompt = room.ask()
    room.time += timedelta(seconds=500)
    assert room.asked.extend(prompt.request_id).expires_at == NOON + timedelta(seconds=1100)
    room.pass_time(200)
    assert room.state(prompt) is PromptState.PENDING
    assert room.asked.extend(prompt.request_id, 0).expires_at is None
    last = room.store.journal.read(limit=10)[-1]
    assert (last.type, "expiresAt" in last.data) == ("prompt_updated", False)


def test_an_ended_prompt_gets_no_more_time(room):
    prompt = room.ask()
    room.answer(prompt)
    with pytest.raises(Conflict) as caught:
        room.asked.extend(prompt.request_id)
    assert caught.value.code == "prompt_ended"


def test_a_prompt_that_is_being_answered_does_not_expire(room):
    prompt = room.ask()
    room.cli.before = lambda: room.pass_time(700)
    assert room.answer(prompt).state is PromptState.ANSWERED


def test_a_prompt_whose_time_ended_under_a_failed_answer_expires_then(room):
    prompt = room.ask()
    room.cli.before, room.cli.fails = lambda: room.pass_time(700), Unavailable("gone")
    with pytest.raises(Unavailable):
        room.answer(prompt)
    until(lambda: room.state(prompt) is PromptState.EXPIRED)


def test_what_expired_while_nothing_ran_expires_at_the_start(make_room):
    journal = MemoryJournal()
    prompt = make_room(journal=journal).ask()
    later = StateStore(journal, now=lambda: NOON + timedelta(hours=1))
    asked = OffscreenPrompts(later, same_timeout(600))
    asked.start()
    until(lambda: later.find_prompt(prompt.request_id).state is PromptState.EXPIRED)
    asked.close()


def test_a_default_answers_what_nobody_answered_in_time(room):
    prompt = room.ask(seconds=600, default="Yes")
    room.pass_time(599)
    assert room.state(prompt) is PromptState.PENDING
    room.pass_time(1)
    ended = until(lambda: room.store.wait_for_end(prompt.request_id, 20).resolution)
    shown = (ended.outcome, ended.by, ended.response.selected_option, ended.detail)
    in_time = "nobody answered within 10 minutes"
    assert shown == (PromptState.ANSWERED, "default", "yes", in_time)
    with pytest.raises(Conflict, match="answered by default") as late:
        room.answer(prompt, "no")
    assert late.value.code == "already_answered"


def test_a_default_that_refuses_is_a_refusal(room):
    prompt = room.ask(seconds=30, default="No")
    room.pass_time(31)
    until(lambda: room.state(prompt) is PromptState.DENIED)


def test_a_person_who_answers_first_takes_the_place_of_the_default(room):
    prompt = room.ask(seconds=600, default="Yes")
    assert room.answer(prompt, "no").resolution.by == "ann"
    room.pass_time(700)
    assert room.state(prompt) is PromptState.DENIED
    assert room.store.next_deadline() is None


def test_a_default_waits_for_the_time_that_a_person_adds(room):
    prompt = room.ask(seconds=600, default="Yes")
    assert room.asked.extend(prompt.request_id, 1200).default == "Yes"
    room.pass_time(700)
    assert room.state(prompt) is PromptState.PENDING


def test_a_default_answers_also_after_a_restart(make_room):
    journal = MemoryJournal()
    prompt = make_room(journal=journal).ask(seconds=600, default="Yes")
    later = StateStore(journal, now=lambda: NOON + timedelta(hours=1))
    asked = OffscreenPrompts(later, same_timeout(600))
    asked.start()
    until(lambda: later.find_prompt(prompt.request_id).state is PromptState.ANSWERED)
    assert later.find_prompt(prompt.request_id).resolution.by == "default"
    asked.close()


def test_a_waiting_program_hears_at_once(room):
    prompt, seen = room.ask(), []
    wait = room.store.wait_for_end
    waiting = threading.Thread(target=lambda: seen.append(wait(prompt.request_id, 20)))
    waiting.start()
    room.answer(prompt)
    waiting.join(60)
    assert [one.state for one in seen] == [PromptState.ANSWERED]


def test_who_waits_too_short_sees_what_there_is(room):
    prompt = room.ask()
    assert room.store.wait_for_end(prompt.request_id, 0.01).state is PromptState.PENDING


def test_the_end_lets_everybody_go(room):
    prompt, seen = room.ask(), []
    wait = room.store.wait_for_end
    waiting = threading.Thread(target=lambda: seen.append(wait(prompt.request_id, 20)))
    waiting.start()
    room.store.close()
    waiting.join(60)
    assert [one.state for one in seen] == [PromptState.PENDING]
