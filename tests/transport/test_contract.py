"""The contract of Transport, which both of them keep."""

from __future__ import annotations

import inspect
import threading
from contextlib import closing
from datetime import timedelta

import pytest
from fake_terminal import Toy, until

from clawtap_core import (
    Effect,
    Kind,
    LaunchRequest,
    Option,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    Response,
    TextInput,
)
from clawtap_core.client import HttpTransport
from clawtap_core.client.ask import spoken
from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    Impossible,
    NotFound,
    TooManyRequests,
)
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.model import Rule, RuleDecision, UsageLimit
from clawtap_core.runtime import DirectTransport
from clawtap_core.terminal.api import EndCause, PaneEnd
from clawtap_core.transport import Transport

DEPLOY = PromptForm(
    Kind.PERMISSION,
    "Deploy?",
    "to production",
    tool_name="deploy",
    tool_input={"to": ["eu", "us"], "build": 7},
    tool_call_id="call-7",
    options=(
        Option("now", "Deploy now", Effect.ALLOW_ONCE),
        Option("later", "Tonight", Effect.OTHER, description="at 02:00"),
        Option("never", "Do not", Effect.DENY),
    ),
)
BLUE = (QuestionOption("Blue"), QuestionOption("Green"))
WHICH = PromptForm(
    Kind.QUESTION,
    "Two things",
    questions=(
        Question("Which colour?", "Colour", (QuestionOption("Red"), QuestionOption("Blue"))),
        Question(
            "Which checks?",
            options=(QuestionOption("A"), QuestionOption("B, C")),
            multi_select=True,
            other=True,
        ),
    ),
)
SECRET = PromptForm(
    Kind.QUESTION, "Sign in", questions=(Question("User?"), Question("Password?", secret=True))
)
METHODS = [name for name in dir(Transport) if not name.startswith("_")]


@pytest.fixture
def toy(tap, desk, tmp_path):
    """A session whose CLI asks as a test wants."""
    program = desk.terminal.program = Toy()
    desk.session_id = tap.start(LaunchRequest("toy", str(tmp_path))).id
    until(lambda: tap.session(desk.session_id).state.value == "idle")

    def ask(*what):
        program.asks.extend(what)
        desk.show()
        return until(lambda: next(iter(tap.pending(desk.session_id)), None))

    program.ask = ask
    program.session, program.show = desk.session_id, desk.show
    return program


@pytest.mark.parametrize("kind", [DirectTransport, HttpTransport, FleetTransport])
def test_each_has_every_method_with_the_same_arguments(kind):
    for name in METHODS:
        wanted = inspect.signature(getattr(Transport, name))
        assert inspect.signature(getattr(kind, name)).parameters == wanted.parameters, name


def test_a_cli_is_started_answered_and_ended(tap, toy):
    prompt = toy.ask("ls")
    ended = tap.respond(toy.session, Response(prompt.request_id, "yes"))
    assert (ended.state, ended.resolution.response.selected_option) == (PromptState.ANSWERED, "yes")
    assert toy.decided == ["ls: Yes"]
    assert tap.prompt(prompt.request_id).resolution == ended.resolution
    tap.end(toy.session)
    assert tap.session(toy.session).state.value == "ended"


def test_approve_and_deny_go_by_what_an_option_does(tap, toy):
    assert tap.approve(toy.session, toy.ask("one").request_id).state is PromptState.ANSWERED
    prompt = toy.ask("two")
    assert tap.deny(toy.session, prompt.request_id, reason="no").state is PromptState.DENIED
    prompt = toy.ask("three")
    tap.approve(toy.session, prompt.request_id, option="always")
    assert toy.decided == ["one: Yes", "two: No", "three: Always"]


def test_a_message_is_sent(tap, toy):
    assert tap.message(toy.session, "hello").status == "sent"
    assert toy.messages == ["hello"]


def test_a_message_goes_with_files_that_were_attached(tap, toy):
    kept = tap.attach(toy.session, "my photo.png", b"\x89PNG\x00")
    assert (kept.name, kept.size) == ("my-photo.png", 5)
    assert tap.message(toy.session, "look", [kept.id]).status == "sent"
    assert toy.messages == [f"look {kept.path}"]
    tap.detach(toy.session, kept.id)
    with pytest.raises(NotFound) as caught:
        tap.message(toy.session, "look", [kept.id])
    assert caught.value.code == "attachment_not_found"


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
    waiting.join(20)
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
    waiting.join(20)
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


def test_events_report_what_happens(tap):
    cursor = tap.snapshot().cursor
    asked = tap.ask(WHICH)
    tap.extend(asked.request_id)
    tap.submit_answers(asked.session_id, asked.request_id, {"0": "Red", "1": ["A"]})
    with closing(tap.events(cursor, session_id=asked.session_id, idle=0.2)) as events:
        reported = []
        for event in events:
            reported.append(event.type if event else "-")
            if reported[-1] == "prompt_resolved":
                break
    assert [kind for kind in reported if kind.startswith(("prompt", "question"))] == [
        "question_prompt",
        "prompt_updated",
        "prompt_resolved",
    ]
    assert reported.count("session_status") >= 2


@pytest.mark.parametrize(
    "call",
    [
        lambda tap: tap.session("nobody"),
        lambda tap: tap.prompt("nothing"),
        lambda tap: tap.wait("nothing", 0),
        lambda tap: tap.extend("nothing"),
        lambda tap: tap.withdraw("nothing"),
        lambda tap: tap.approve("nobody", "nothing"),
        lambda tap: tap.message("nobody", "hi"),
        lambda tap: tap.attach("nobody", "a.txt", b"1"),
        lambda tap: tap.detach("nobody", "f1"),
        lambda tap: tap.pending("nobody"),
    ],
)
def test_what_is_not_there_is_not_found(tap, call):
    with pytest.raises(NotFound):
        call(tap)


def test_the_second_answer_hears_of_the_first(tap):
    asked = tap.ask(DEPLOY)
    tap.approve(asked.session_id, asked.request_id)
    with pytest.raises(Conflict, match="user") as caught:
        tap.deny(asked.session_id, asked.request_id)
    assert caught.value.code == "already_answered"
    assert caught.value.details["selectedOption"] == "now"


def test_an_answer_that_was_not_offered_is_refused(tap):
    asked = tap.ask(DEPLOY)
    with pytest.raises(ClawTapError) as caught:
        tap.approve(asked.session_id, asked.request_id, option="perhaps")
    assert caught.value.code == "not_offered"
    assert tap.prompt(asked.request_id).state is PromptState.PENDING


def test_a_session_is_archived_and_comes_back(tap, toy, desk):
    assert tap.archive(desk.session_id).archived
    assert tap.session(desk.session_id).archived
    assert not tap.archive(desk.session_id, False).archived
    with pytest.raises(NotFound):
        tap.archive("nobody")


def test_a_limit_is_on_both_sides_and_is_resumed_or_dismissed(tap, toy, desk):
    with pytest.raises(Conflict):
        tap.resume_later(desk.session_id)
    store, name = desk.agent.store, desk.session_id
    ends_at = store.now() + timedelta(hours=1)
    store.change_session(name, limit=UsageLimit("no more", ends_at))
    assert tap.session(name).limit == UsageLimit("no more", ends_at)
    assert tap.resume_later(name, "go on").limit.resume == "go on"
    assert tap.resume_later(name, None).limit.resume is None
    assert tap.dismiss_limit(name).limit is None


def test_an_archived_session_stays_archived_after_a_restart(tap, toy, desk):
    tap.archive(desk.session_id)
    kept = {session.id: session for session in desk.journal.kept().sessions}
    assert kept[desk.session_id].archived


def test_a_session_is_found_by_its_title(tap, toy, desk):
    tap.rename(desk.session_id, "Expedition to the north")
    page = tap.search("exped north")
    assert [match.session_id for match in page.sessions] == [desk.session_id]
    assert page.messages == ()
    assert tap.search("south").sessions == ()
    with pytest.raises(BadRequest):
        tap.search("north", cursor="somewhere")


def test_rules_are_added_tried_explained_and_removed(tap, toy, tmp_path):
    prompt = toy.ask("npm test")
    explained = tap.explain(prompt.request_id)
    assert explained.judgement.reasons == ("no rule matches it",)
    rule = explained.offer.rule
    assert (rule.commands, rule.tool, rule.folder) == (("npm test",), "toy-shell", str(tmp_path))
    assert tap.approve(toy.session, prompt.request_id).state is PromptState.ANSWERED
    trial = tap.try_rules([rule])
    assert [each.judgement.rule for each in trial.prompts] == [rule.name]
    (added,) = tap.add_rules([rule])
    assert added.owner
    with pytest.raises(Conflict) as caught:
        tap.add_rules([rule])
    assert caught.value.code == "rule_exists"
    book = tap.rules()
    assert ([each.name for each in book.rules], book.problem) == ([rule.name], None)
    assert "force-push" in [rail.name for rail in book.guard_rails]
    toy.asks.append("npm test")
    toy.show()
    until(lambda: toy.decided == ["npm test: Yes", "npm test: Yes"])
    assert tap.remove_rule(rule.name).name == rule.name
    with pytest.raises(NotFound) as missing:
        tap.remove_rule(rule.name)
    assert missing.value.code == "rule_not_found"
    with pytest.raises(BadRequest) as bad:
        tap.add_rules([Rule("wide", RuleDecision.ALLOW)])
    assert bad.value.code == "bad_rule"


def test_nothing_is_restored_where_nothing_was_lost(tap, toy, desk):
    assert list(tap.restore()) == []
    (kept,) = tap.restore([desk.session_id], dry_run=True)
    assert (kept.session.id, kept.outcome.value) == (desk.session_id, "impossible")
    assert "was not lost" in kept.reason
    with pytest.raises(NotFound):
        tap.restore(["nobody"])


def test_a_session_whose_tmux_is_gone_is_lost_and_says_why_it_stays_so(tap, toy, desk):
    desk.pane.die(PaneEnd(EndCause.TMUX_ENDED))
    until(lambda: tap.session(desk.session_id).state.value == "lost")
    (found,) = tap.restore()
    assert (found.session.id, found.outcome.value) == (desk.session_id, "impossible")
    assert found.reason == "its CLI did not report the id of its conversation"
    assert tap.session(desk.session_id).state.value == "lost"
