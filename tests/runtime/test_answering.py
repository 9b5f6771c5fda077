"""An answer goes to the prompt that was seen, once, and is reported as what came of it."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from fake_terminal import Toy, until

from clawtap_core import PromptState, Response, Steps
from clawtap_core.errors import (
    BadRequest,
    Conflict,
    Impossible,
    NotConfirmed,
    NotFound,
    Unavailable,
)
from clawtap_core.runtime.timings import Timings


def approve(prompt, option="yes"):
    return Response(prompt.request_id, selected_option=option)


def test_a_prompt_is_seen_answered_and_the_program_goes_on(open_desk):
    desk = open_desk(Toy("touch a"))
    ended = desk.transport().respond(desk.session_id, approve(desk.prompt()))
    assert desk.toy.decided == ["touch a: Yes"]
    assert ended.state is PromptState.ANSWERED
    assert ended.resolution
    assert (ended.resolution.by, ended.resolution.device) == ("ann", "phone")
    until(lambda: desk.session().state.value == "idle")


def test_a_refusal_is_reported_as_one(open_desk):
    desk = open_desk(Toy("touch a"))
    response = Response(desk.prompt().request_id, decision="deny")
    assert desk.transport().respond(desk.session_id, response).state is PromptState.DENIED
    assert desk.toy.decided == ["touch a: No"]


def test_the_cursor_is_moved_from_where_it_really_is(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.toy.row = 2
    desk.transport().respond(desk.session_id, approve(prompt, "always"))
    assert desk.toy.keys == ["Up", "Enter"]


def test_two_prompts_with_the_same_words_are_answered_one_by_one(open_desk):
    desk = open_desk(Toy("touch a", "touch a"))
    first = desk.prompt()
    desk.transport().respond(desk.session_id, approve(first))
    second = until(lambda: next((p for p in desk.transport().pending()), None))
    assert second.request_id != first.request_id
    desk.transport().respond(desk.session_id, approve(second, "no"))
    assert desk.toy.decided == ["touch a: Yes", "touch a: No"]


def test_of_many_answers_at_once_one_wins_and_the_others_get_a_conflict(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    outcomes = []

    def one(name, option):
        try:
            desk.transport(name).respond(desk.session_id, approve(prompt, option))
            outcomes.append("won")
        except Conflict as error:
            outcomes.append(error.code)

    threads = [
        threading.Thread(target=one, args=(f"u{number}", ("yes", "no")[number % 2]))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("won") == 1
    assert set(outcomes) <= {"won", "already_answered", "already_answering"}
    assert len(desk.toy.decided) == 1
    assert desk.toy.keys.count("Enter") == 1


def test_an_answer_to_a_prompt_that_changed_types_nothing(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.toy.asks[0] = "rm -rf /"
    with pytest.raises(Conflict) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert caught.value.code == "prompt_changed"
    assert desk.toy.keys == []
    assert desk.transport().prompt(prompt.request_id).state is PromptState.ANSWERED_ELSEWHERE
    assert until(lambda: desk.prompt().form.description == "rm -rf /")


def test_nothing_is_typed_when_a_shell_is_in_front(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.pane.there = False
    with pytest.raises(Conflict, match="changed"):
        desk.transport().respond(desk.session_id, approve(prompt))
    assert desk.toy.keys == []
    desk.pane.there = True
    desk.transport().respond(desk.session_id, approve(prompt))
    assert desk.toy.decided == ["touch a: Yes"]


def test_an_answer_at_the_desk_is_answered_elsewhere(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.toy.choose("No")
    desk.show()
    ended = until(lambda: (p := desk.transport().prompt(prompt.request_id)).resolution and p)
    assert ended.state is PromptState.ANSWERED_ELSEWHERE
    with pytest.raises(Conflict) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert caught.value.code == "already_answered"
    assert desk.toy.keys == []


def test_a_key_without_an_outcome_is_failed_and_not_typed_again(open_desk):
    desk = open_desk(Toy("touch a"), timings=Timings(answer_leaves=0.2))
    prompt = desk.prompt()
    desk.toy.deaf = True
    with pytest.raises(NotConfirmed) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert caught.value.code == "not_confirmed"
    assert desk.toy.keys == ["Enter"]
    assert desk.transport().prompt(prompt.request_id).state is PromptState.FAILED
    again = desk.prompt()
    assert again.request_id != prompt.request_id


@pytest.mark.parametrize(
    ("response", "error", "code"),
    [
        ({"selected_option": "perhaps"}, BadRequest, "not_offered"),
        ({}, BadRequest, "answer_required"),
        ({"answers": {"0": "x"}}, BadRequest, "wrong_kind"),
        ({"text_value": "x"}, BadRequest, "wrong_kind"),
    ],
)
def test_an_answer_that_does_not_fit_leaves_the_prompt_waiting(open_desk, response, error, code):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    with pytest.raises(error) as caught:
        desk.transport().respond(desk.session_id, Response(prompt.request_id, **response))
    assert caught.value.code == code
    assert desk.prompt() == prompt
    assert desk.toy.keys == []


def test_what_the_adapter_cannot_type_is_impossible_and_leaves_the_prompt(open_desk):
    desk = open_desk(Toy("text"))
    prompt = desk.prompt()
    with pytest.raises(Impossible):
        desk.transport().respond(desk.session_id, Response(prompt.request_id, text_value="hm"))
    assert desk.prompt().state is PromptState.PENDING


def test_unknown_ids_are_not_found(open_desk):
    desk = open_desk(Toy("touch a"))
    with pytest.raises(NotFound):
        desk.transport().respond(desk.session_id, Response("nope", "yes"))
    with pytest.raises(NotFound):
        desk.transport().respond("nope", approve(desk.prompt()))


def test_a_pane_that_breaks_under_the_first_key_fails_the_prompt(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()

    def broken():
        raise OSError("tmux went away")

    desk.pane.before_key = broken
    with pytest.raises(OSError, match="went away"):
        desk.transport().respond(desk.session_id, approve(prompt))
    assert desk.transport().prompt(prompt.request_id).state is PromptState.FAILED


def test_the_steps_are_in_the_journal_before_the_first_key(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    written = []

    def note():
        kinds = [event.data for event in desk.journal.read() if event.type == "prompt_updated"]
        written.append(kinds[-1]["steps"])

    desk.pane.before_key = note
    desk.transport().respond(desk.session_id, approve(prompt, "no"))
    assert written[0] == [{"press": "Down"}]
    assert written[-1] == [{"press": "Enter", "deciding": True}]


def test_a_reason_without_a_field_is_the_next_message(open_desk):
    desk = open_desk(Toy("touch a"))
    response = Response(desk.prompt().request_id, decision="deny", reason="use b")
    desk.transport().respond(desk.session_id, response)
    until(lambda: desk.toy.messages == ["use b"])
    assert desk.toy.decided == ["touch a: No"]


@pytest.mark.parametrize("announced", [False, True])
def test_a_reason_for_an_approval_is_the_next_message(open_desk, announced):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    live = desk.agent.sessions.running[desk.session_id]
    # What is announced is a field for the reason of a refusal.
    announces = replace(prompt.form, takes_reason=announced)
    live.current_prompt.update(prompt.request_id, announces)
    response = Response(prompt.request_id, decision="approve", reason="but keep b")
    desk.transport().respond(desk.session_id, response)
    until(lambda: desk.toy.messages == ["but keep b"])
    assert desk.toy.decided == ["touch a: Yes"]


def test_an_answer_that_the_cli_does_not_take_is_refused_in_its_words(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps(refused="Count: must be an integer")
    with pytest.raises(Impossible, match="Count: must be an integer; nothing was decided"):
        desk.transport().respond(desk.session_id, approve(prompt, "no"))
    assert desk.prompt().request_id == prompt.request_id
    assert desk.toy.decided == []


@pytest.mark.parametrize("reason", ["/clear", " /tmp is the wrong folder"])
def test_a_reason_that_reads_like_a_command_is_sent_as_words(open_desk, reason):
    desk = open_desk(Toy("touch a"))
    response = Response(desk.prompt().request_id, decision="deny", reason=reason)
    desk.transport().respond(desk.session_id, response)
    until(lambda: desk.toy.messages == [f"Reason: {reason}"])


def test_keys_that_make_a_prompt_leave_are_its_answer(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    screen = desk.transport().screen(desk.session_id)
    desk.transport().keys(desk.session_id, screen.revision, keys=["Enter"])
    ended = until(lambda: (p := desk.transport().prompt(prompt.request_id)).resolution and p)
    assert ended.state is PromptState.ANSWERED
    assert ended.resolution.by == "ann"


def test_an_answer_that_was_delivered_is_confirmed_though_the_disk_is_full(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    append, journal = desk.journal.append, desk.agent.store.journal

    def full(happened, change=None):
        if any(event.type == "prompt_resolved" for event in happened):
            raise Unavailable("database or disk is full", code="journal_failed")
        return append(happened, change)

    journal.append = full
    ended = desk.transport().respond(desk.session_id, approve(prompt))
    assert ended.state is PromptState.ANSWERED
    assert list(desk.transport().pending()) == []
