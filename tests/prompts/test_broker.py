"""The broker: one appearance one prompt, the first answer wins."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from clawtap_core import (
    Actor,
    ClawTapError,
    Effect,
    Kind,
    Option,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    Response,
)
from clawtap_core.errors import Conflict, NotFound
from clawtap_core.prompts.broker import REMEMBERED, Broker

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
FORM = PromptForm(
    Kind.PERMISSION,
    "Run it?",
    "ls",
    tool_call_id="call-1",
    options=(Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY)),
)
PHONE, DESK = Actor("ann", "phone"), Actor("bob", "laptop")


def make(lookup=lambda name: None):
    ids = itertools.count(1)
    return Broker(lambda: START, lambda: f"p{next(ids)}", lookup)


def test_two_identical_questions_are_two_prompts():
    broker = make()
    assert (
        broker.appear("s", "terminal", FORM).request_id
        != broker.appear("s", "terminal", FORM).request_id
    )


def test_the_prompts_of_an_earlier_process_are_open_again():
    prompt = make().appear("s", "terminal", FORM)
    broker = make()
    broker.recover([prompt])
    assert broker.open("s") == [prompt]


def test_a_prompt_that_could_not_be_stored_is_not_open():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.forget(prompt.request_id)
    assert broker.open() == []


def test_an_open_prompt_changes_under_its_id():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    longer, later = replace(FORM, description="ls -l"), START + timedelta(seconds=9)
    updated = broker.update(prompt.request_id, longer)
    assert updated == replace(prompt, form=longer) == broker.find(prompt.request_id)
    extended = broker.extend(prompt.request_id, later)
    assert extended == replace(updated, expires_at=later) == broker.find(prompt.request_id)


def test_the_second_answer_is_refused_while_the_first_is_typed():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.begin(prompt, Response(prompt.request_id, "yes"), PHONE)
    with pytest.raises(Conflict, match=r"ann \(phone\)"):
        broker.begin(prompt, Response(prompt.request_id, "no"), DESK)


def test_a_late_answer_learns_who_answered_what_and_when():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.begin(prompt, Response(prompt.request_id, "yes"), PHONE)
    broker.resolve(prompt.request_id, PromptState.ANSWERED)
    with pytest.raises(Conflict) as caught:
        broker.begin(prompt, Response(prompt.request_id, "no"), DESK)
    assert caught.value.code == "already_answered"
    assert caught.value.details == {
        "state": "answered",
        "by": "ann",
        "device": "phone",
        "at": START.isoformat().removesuffix("+00:00") + "Z",
        "selectedOption": "yes",
    }


def test_a_late_answer_reads_what_was_chosen_where_that_is_known():
    broker = make()
    chosen, without = (broker.appear("s", "terminal", FORM) for _ in range(2))
    broker.begin(chosen, Response(chosen.request_id, "yes"), PHONE)
    broker.resolve(chosen.request_id, PromptState.ANSWERED)
    broker.resolve(without.request_id, PromptState.ANSWERED_ELSEWHERE, actor=DESK)
    with pytest.raises(Conflict) as caught:
        broker.begin(chosen, Response(chosen.request_id, "no"), DESK)
    said = "this prompt was answered by ann (phone) with yes at 00:00:00 UTC"
    assert caught.value.message == said
    with pytest.raises(Conflict) as caught:
        broker.begin(without, Response(without.request_id, "no"), DESK)
    said = "this prompt was answered elsewhere by bob (laptop) at 00:00:00 UTC"
    assert caught.value.message == said


def test_an_ended_prompt_without_an_outcome_is_a_conflict_too():
    old = Prompt("old", "s", "terminal", FORM, START, PromptState.CANCELLED)
    with pytest.raises(Conflict, match="no longer open"):
        make(lambda name: old).begin(old, Response("old", "yes"), PHONE)


def test_an_answer_that_was_released_is_not_the_outcome():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.begin(prompt, Response(prompt.request_id, "yes"), PHONE)
    broker.release(prompt.request_id)
    ended = broker.resolve(prompt.request_id, PromptState.ANSWERED)
    assert ended.resolution
    assert (ended.resolution.by, ended.resolution.response) == ("clawtap", None)


def test_a_released_prompt_can_be_answered_by_somebody_else():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.begin(prompt, Response(prompt.request_id, "yes"), PHONE)
    assert broker.release(prompt.request_id).state is PromptState.PENDING
    assert broker.begin(prompt, Response(prompt.request_id, "no"), DESK).state.open


def test_a_prompt_is_found_by_its_tool_call_but_not_in_another_session():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    assert broker.find("call-1", "s") == prompt
    with pytest.raises(NotFound, match="no such prompt"):
        broker.find("call-1", "other")


def test_of_many_prompts_a_tool_call_finds_its_own():
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.appear("s", "terminal", replace(FORM, tool_call_id="call-2"))
    assert broker.find("call-1", "s") == prompt


def test_the_latest_that_ended_are_remembered_and_older_ones_looked_up():
    asked = []
    broker = make(asked.append)
    prompts = [broker.appear("s", "terminal", FORM) for _ in range(REMEMBERED + 1)]
    for prompt in prompts:
        broker.resolve(prompt.request_id, PromptState.CANCELLED)
    for prompt in prompts[1:]:
        broker.find(prompt.request_id)
    assert asked == []
    with pytest.raises(NotFound):
        broker.find(prompts[0].request_id)
    assert asked == [prompts[0].request_id]
    assert REMEMBERED == 1000


def test_prompts_that_are_forgotten_here_are_looked_up_elsewhere():
    old = Prompt("old", "s", "terminal", FORM, START, PromptState.DENIED)
    assert make(lambda name: old if name == "old" else None).find("old") == old


def test_only_prompts_whose_time_is_over_expire():
    broker = make()
    broker.appear("s", "external", FORM, START + timedelta(seconds=1))
    due = broker.appear("s", "external", FORM, START)
    broker.appear("s", "terminal", FORM)
    assert broker.expired() == [due]


def test_the_next_deadline_is_the_earliest_of_those_that_wait():
    broker = make()
    assert broker.next_deadline() is None
    moments = [START + timedelta(seconds=seconds) for seconds in (9, 3, 6)]
    _, first, _ = (broker.appear("s", "external", FORM, moment) for moment in moments)
    assert broker.next_deadline() == first.expires_at
    broker.begin(first, Response(first.request_id, "yes"), PHONE)
    assert broker.next_deadline() == moments[2]


def test_the_open_prompts_of_a_session_are_counted():
    broker = make()
    for session in ("s", "s", "t"):
        broker.appear(session, "terminal", FORM)
    assert [broker.count(session) for session in ("s", "t", "u")] == [2, 1, 0]


def test_answers_to_secret_questions_are_not_kept():
    form = PromptForm(
        Kind.QUESTION, "Key?", questions=(Question("Key?", secret=True), Question("Name?"))
    )
    broker = make()
    prompt = broker.appear("s", "terminal", form)
    broker.begin(prompt, Response("p", answers={"0": "hunter2", "1": "me"}), PHONE)
    ended = broker.resolve(prompt.request_id, PromptState.ANSWERED)
    assert ended.resolution
    assert ended.resolution.response
    assert ended.resolution.response.answers == {"1": "me"}


class BrokerMachine(RuleBasedStateMachine):
    """Whatever happens in whatever order, a prompt ends once and is answered by one."""

    def __init__(self):
        super().__init__()
        self.broker = make()
        self.prompts = []
        self.winners = {}
        self.ended = {}

    @rule()
    def appear(self):
        self.prompts.append(self.broker.appear("s", "terminal", FORM))

    @precondition(lambda self: self.prompts)
    @rule(data=st.data(), actor=st.sampled_from([PHONE, DESK]))
    def begin(self, data, actor):
        prompt = data.draw(st.sampled_from(self.prompts))
        try:
            self.broker.begin(prompt, Response(prompt.request_id, "yes"), actor)
        except ClawTapError:
            assert prompt.request_id in self.winners or prompt.request_id in self.ended
        else:
            assert prompt.request_id not in self.winners
            self.winners[prompt.request_id] = actor

    @precondition(lambda self: self.winners)
    @rule(data=st.data())
    def release(self, data):
        name = data.draw(st.sampled_from(sorted(self.winners)))
        if name not in self.ended:
            self.broker.release(name)
            del self.winners[name]

    @precondition(lambda self: self.prompts)
    @rule(data=st.data(), outcome=st.sampled_from([s for s in PromptState if not s.open]))
    def resolve(self, data, outcome):
        prompt = data.draw(st.sampled_from(self.prompts))
        if prompt.request_id not in self.ended:
            self.broker.resolve(prompt.request_id, outcome)
            self.ended[prompt.request_id] = outcome

    @invariant()
    def open_and_ended_are_apart(self):
        open_ids = {prompt.request_id for prompt in self.broker.open()}
        assert not open_ids & set(self.ended)
        assert len(open_ids) + len(self.ended) == len(self.prompts)
        for name, outcome in self.ended.items():
            assert self.broker.find(name).state is outcome


TestBrokerMachine = BrokerMachine.TestCase
TestBrokerMachine.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)


@pytest.mark.parametrize("outcome", [PromptState.ANSWERED_ELSEWHERE, PromptState.CANCELLED])
def test_an_answer_that_was_not_the_outcome_is_not_shown_as_it(outcome):
    broker = make()
    prompt = broker.appear("s", "terminal", FORM)
    broker.begin(prompt, Response(prompt.request_id, "yes"), PHONE)
    ended = broker.resolve(prompt.request_id, outcome, actor=DESK)
    assert ended.resolution
    assert ended.resolution.response is None
    assert ended.resolution.by == "bob"
