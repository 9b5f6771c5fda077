"""The contract of Transport, which both of them keep."""

from __future__ import annotations

import inspect
from contextlib import closing
from datetime import timedelta

import pytest
from asked_forms import DEPLOY, WHICH
from fake_terminal import until

from clawtap_core import (
    PromptState,
    Response,
)
from clawtap_core.client import HttpTransport
from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    NotFound,
)
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.model import Rule, RuleDecision, UsageLimit
from clawtap_core.runtime import DirectTransport
from clawtap_core.terminal.api import EndCause, PaneEnd
from clawtap_core.transport import Transport

METHODS = [name for name in dir(Transport) if not name.startswith("_")]


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
