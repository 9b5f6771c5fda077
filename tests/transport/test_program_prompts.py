"""What a program asks through any transport: it waits, is answered, expires, is taken back."""

from __future__ import annotations

import threading

import pytest
from asked_forms import BLUE, DEPLOY, SECRET, WHICH

from clawtap_core import (
    Kind,
    Option,
    PromptForm,
    PromptState,
    Question,
    Response,
    TextInput,
)
from clawtap_core.client.ask import spoken
from clawtap_core.errors import (
    BadRequest,
    Conflict,
    Impossible,
    TooManyRequests,
)
from clawtap_core.runtime import DirectTransport


@pytest.mark.parametrize("form", [DEPLOY, WHICH, SECRET], ids=["deploy", "which", "secret"])
def test_what_is_asked_waits_as_it_was_asked(tap, form):
    asked = tap.ask(form, asker="ci")
    assert (asked.form, asked.channel, asked.state) == (form, "external", PromptState.PENDING)
    assert asked.expires_at
    assert list(tap.pending()) == [tap.prompt(asked.request_id)] == [asked]
    session = tap.session(asked.session_id)
    shown = (session.title, session.channel, session.state.value, session.pending)
    assert shown == ("ci", "external", "waiting", 1)


def test_who_waits_gets_the_answer_when_it_comes(tap):
    asked = tap.ask(DEPLOY)
    found = []
    waiting = threading.Thread(target=lambda: found.append(tap.wait(asked.request_id, 20)))
    waiting.start()
    tap.approve(asked.session_id, "call-7")
    waiting.join(60)
    assert [one.state for one in found] == [PromptState.ANSWERED]
    assert found[0].resolution.response.selected_option == "now"
    assert tap.session(asked.session_id).state.value == "idle"


def test_who_waits_in_vain_sees_that_nobody_answered_yet(tap):
    asked = tap.ask(DEPLOY)
    assert tap.wait(asked.request_id, 0.05).state is PromptState.PENDING


def test_answers_come_back_by_question(tap):
    asked = tap.ask(WHICH)
    answers = {"0": "Blue", "1": ("B, C", "something else")}
    ended = tap.submit_answers(asked.session_id, asked.request_id, answers)
    assert dict(ended.resolution.response.answers) == answers


def test_a_text_comes_back(tap):
    asked = tap.ask(PromptForm(Kind.QUESTION, "Name?", text_input=TextInput("a name")))
    given = Response(asked.request_id, text_value="<b>ClawTap</b>\nline two")
    ended = tap.respond(asked.session_id, given)
    assert ended.resolution.response.text_value == "<b>ClawTap</b>\nline two"


def test_only_the_program_that_waits_gets_a_secret(tap, desk):
    asked = tap.ask(SECRET)
    given = {"0": "ann", "1": "hunter2"}
    ended = tap.submit_answers(asked.session_id, asked.request_id, given)
    assert dict(ended.resolution.response.answers) == {"0": "ann"}
    assert "hunter2" not in str([event.json for event in desk.journal.read(limit=100)])
    assert dict(tap.wait(asked.request_id, 1).resolution.response.answers) == given
    again = tap.wait(asked.request_id, 1).resolution.response
    assert dict(again.answers) == {"0": "ann"}


def test_a_secret_is_kept_for_who_still_waits(desk):
    tap = DirectTransport(desk.agent)
    asked = tap.ask(SECRET)
    gone = threading.Event()
    heard = []

    def wait():
        heard.append(tap.wait(asked.request_id, 20, listening=lambda: not gone.is_set()))

    waiting = threading.Thread(target=wait)
    waiting.start()
    gone.set()
    waiting.join(60)
    tap.submit_answers(asked.session_id, asked.request_id, {"0": "ann", "1": "hunter2"})
    assert [prompt.state.open for prompt in heard] == [True]
    wait()
    assert "hunter2" not in str(heard[-1])
    assert "hunter2" in str(tap.wait(asked.request_id, 1).resolution.response)


def test_a_refusal_with_its_reason_comes_back(tap):
    asked = tap.ask(DEPLOY)
    tap.deny(asked.session_id, asked.request_id, reason="Not on a Friday")
    ended = tap.wait(asked.request_id, 1)
    assert (ended.state, ended.resolution.response.reason) == (
        PromptState.DENIED,
        "Not on a Friday",
    )


def test_what_is_not_answered_in_time_expires(tap):
    asked = tap.ask(DEPLOY, seconds=0.05)
    ended = tap.wait(asked.request_id, 20)
    assert (ended.state, ended.resolution.response) == (PromptState.EXPIRED, None)
    assert ended.resolution.detail.startswith("Tool approval timed out after")
    assert tap.session(asked.session_id).state.value == "idle"


@pytest.mark.parametrize(
    ("form", "default", "label"),
    [
        (DEPLOY, "yes", "Deploy now"),
        (DEPLOY, "NEVER", "Do not"),
        (PromptForm(Kind.QUESTION, "Q", questions=(Question("Q", options=BLUE),)), "blue", "Blue"),
        (PromptForm(Kind.QUESTION, "Q", questions=(Question("Q", other=True),)), "Teal", "Teal"),
        (PromptForm(Kind.QUESTION, "Q", text_input=TextInput()), "a text", "a text"),
    ],
    ids=["by-effect", "by-label", "a-choice", "an-own-text", "a-text"],
)
def test_a_default_is_the_answer_that_nobody_gave_in_time(tap, form, default, label):
    asked = tap.ask(form, seconds=0.05, default=default)
    assert asked.default == label
    ended = tap.wait(asked.request_id, 20)
    assert (ended.resolution.by, ended.state.open) == ("default", False)
    assert spoken(ended) == ("The default refused." if label == "Do not" else label)
    assert tap.session(asked.session_id).state.value == "idle"


@pytest.mark.parametrize(
    ("form", "default", "seconds", "code"),
    [
        (DEPLOY, "perhaps", 60, "not_offered"),
        (PromptForm(Kind.QUESTION, "Q", questions=(Question("Q", options=BLUE),)), "red", 60,
         "not_offered"),
        (DEPLOY, "yes", None, "bad_request"),
        (DEPLOY, "yes", 0, "bad_request"),
        (WHICH, "Blue", 60, "bad_prompt"),
        (PromptForm(Kind.QUESTION, "Q", questions=(Question("Q", secret=True),)), "x", 60,
         "bad_prompt"),
    ],
)  # fmt: skip
def test_a_default_that_cannot_be_given_is_refused_at_once(tap, form, default, seconds, code):
    with pytest.raises(BadRequest) as refused:
        tap.ask(form, seconds=seconds, default=default)
    assert refused.value.code == code
    assert list(tap.pending()) == []


def test_more_time_is_given(tap):
    asked = tap.ask(DEPLOY, seconds=60)
    longer = tap.extend(asked.request_id, 6000)
    assert longer.expires_at > asked.expires_at
    assert tap.extend(asked.request_id).expires_at < longer.expires_at
    more = tap.extend_by(asked.request_id, 600)
    left = more.expires_at - tap.extend(asked.request_id).expires_at
    assert abs(left.total_seconds() - 600) < 5
    assert tap.extend(asked.request_id, 0).expires_at is None
    assert tap.extend_by(asked.request_id, 600).expires_at is None


def test_a_prompt_on_a_pane_never_expires_whatever_time_it_is_given(tap, toy):
    prompt = toy.ask("ls")
    for seconds in (0.001, 3600, None, 0):
        assert tap.extend(prompt.request_id, seconds).expires_at is None
    tap.respond(toy.session, Response(prompt.request_id, "yes"))
    assert toy.decided == ["ls: Yes"]


def test_a_session_whose_cli_named_no_conversation_is_not_resumed(tap):
    with pytest.raises(Impossible) as refused:
        tap.resume(tap.ask(DEPLOY).session_id)
    assert refused.value.code == "no_resume"


def test_what_was_asked_is_taken_back(tap):
    asked = tap.ask(DEPLOY)
    ended = tap.withdraw(asked.request_id)
    assert (ended.state, ended.resolution.detail) == (PromptState.CANCELLED, "withdrawn")
    with pytest.raises(Conflict):
        tap.approve(asked.session_id, asked.request_id)
    with pytest.raises(Conflict) as caught:
        tap.withdraw(asked.request_id)
    assert caught.value.code == "prompt_ended"


def test_what_a_cli_asks_is_not_taken_back(tap, toy):
    prompt = toy.ask("ls")
    with pytest.raises(Impossible) as caught:
        tap.withdraw(prompt.request_id)
    assert caught.value.code == "not_external"


def test_one_program_is_one_session(tap):
    first, other = tap.ask(DEPLOY, asker="ci"), tap.ask(WHICH, asker="nightly")
    again = tap.ask(DEPLOY, asker=" ci ")
    assert first.session_id == again.session_id != other.session_id
    assert {session.title for session in tap.sessions()} == {"ci", "nightly"}
    assert tap.session(first.session_id).pending == 2


def test_a_program_without_a_name_has_that_of_its_token(tap):
    assert tap.session(tap.ask(DEPLOY).session_id).title == "local"


def test_ending_such_a_session_takes_its_prompts_along(tap):
    asked = tap.ask(DEPLOY)
    tap.end(asked.session_id)
    assert tap.wait(asked.request_id, 1).state is PromptState.CANCELLED
    assert list(tap.sessions()) == []


def test_such_a_session_takes_answers_only(tap):
    asked = tap.ask(DEPLOY)
    for call, code in (
        (lambda: tap.message(asked.session_id, "hi"), "no_messages"),
        (lambda: tap.screen(asked.session_id), "no_screen"),
        (lambda: tap.interrupt(asked.session_id), "no_screen"),
        (lambda: tap.expand(asked.session_id, asked.request_id), "no_screen"),
    ):
        with pytest.raises(Impossible) as caught:
            call()
        assert caught.value.code == code
    assert list(tap.queue(asked.session_id)) == []
    assert list(tap.folders()) == []
    assert tap.desk_typed_at() == 0
    assert tap.messages(asked.session_id).messages == ()


@pytest.mark.parametrize(
    ("form", "code"),
    [
        (PromptForm(Kind.UNKNOWN, "What?"), None),
        (PromptForm(Kind.QUESTION, " "), None),
        (PromptForm(Kind.QUESTION, "x" * 501), "bad_prompt"),
        (PromptForm(Kind.QUESTION, "x", "y" * 100_001), "bad_prompt"),
        (PromptForm(Kind.QUESTION, "x", tool_input={"y": "z" * 200_001}), "bad_prompt"),
        (PromptForm(Kind.QUESTION, "x", questions=(Question("y"),) * 21), "bad_prompt"),
        (
            PromptForm(
                Kind.QUESTION, "x", options=tuple(Option(f"{n}", f"{n}") for n in range(51))
            ),
            "bad_prompt",
        ),
        (
            PromptForm(Kind.QUESTION, "x", options=(Option("a", "A"), Option("b", "a"))),
            "bad_prompt",
        ),
        (
            PromptForm(Kind.QUESTION, "x", options=(Option("a", "A"), Option("a", "B"))),
            "bad_prompt",
        ),
        (PromptForm(Kind.QUESTION, "x", questions=(Question("y", input_type="z"),)), "bad_prompt"),
    ],
)
def test_what_nobody_could_answer_is_refused_and_leaves_nothing(tap, form, code):
    with pytest.raises(BadRequest) as caught:
        tap.ask(form)
    assert code in (None, caught.value.code)
    assert (list(tap.pending()), list(tap.sessions())) == ([], [])


@pytest.mark.parametrize("name", [" ", "x" * 101, "two\nlines"])
def test_a_name_that_is_none_is_refused(tap, name):
    with pytest.raises(BadRequest):
        tap.ask(DEPLOY, asker=name)


def test_there_is_a_limit_to_what_one_program_asks(tap, monkeypatch):
    monkeypatch.setattr("clawtap_core.runtime.external.sessions.MOST_PROMPTS", 2)
    first = tap.ask(DEPLOY)
    tap.ask(DEPLOY)
    with pytest.raises(TooManyRequests) as caught:
        tap.ask(DEPLOY)
    assert caught.value.code == "too_many_prompts"
    tap.withdraw(first.request_id)
    assert tap.ask(DEPLOY).state is PromptState.PENDING


def test_there_is_a_limit_to_programs_and_the_silent_make_room(tap, monkeypatch):
    monkeypatch.setattr("clawtap_core.runtime.external.sessions.MOST_PROGRAMS", 2)
    one = tap.ask(DEPLOY, asker="one")
    tap.ask(DEPLOY, asker="two")
    with pytest.raises(TooManyRequests) as caught:
        tap.ask(DEPLOY, asker="three")
    assert caught.value.code == "too_many_programs"
    tap.withdraw(one.request_id)
    tap.ask(DEPLOY, asker="three")
    assert {session.title for session in tap.sessions()} == {"two", "three"}
