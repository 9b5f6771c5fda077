"""Rules answer like a person does: once, checked, journalled, and never in doubt."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone
from functools import partial

import pytest
from fake_terminal import Toy, until

from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.errors import ClawTapError, Conflict
from clawtap_core.model import Response, Rule, RuleDecision
from clawtap_core.rules import RulesFile
from clawtap_core.runtime.rules.service import Rules

EXPIRES = datetime.now(timezone.utc) + timedelta(days=1)


@pytest.fixture
def ruled(open_desk, tmp_path):
    """A desk with rules, and a program that asks for commands."""
    return partial(open_desk, rules=tmp_path / "rules.toml")


def allow(folder, *commands, name="tests", **fields):
    return Rule(
        name, RuleDecision.ALLOW, folder=str(folder), tool="toy-shell", commands=commands,
        expires=EXPIRES, **fields,
    )  # fmt: skip


def ended(desk, count=1):
    def resolved():
        events = desk.transport().journal().events
        found = [event.data for event in events if event.type == "prompt_resolved"]
        return found if len(found) >= count else None

    return until(resolved)


def test_without_rules_nothing_changes(ruled, tmp_path):
    desk = ruled(Toy("npm test"))
    prompt = desk.prompt()
    assert threading.active_count() == len(
        [thread for thread in threading.enumerate() if thread.name != "clawtap-rules"]
    )
    assert not (tmp_path / "rules.toml").exists()
    assert desk.transport().approve(desk.session_id, prompt.request_id).resolution.by == "ann"


def test_a_rule_answers_and_the_journal_names_it(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test")])
    desk.toy.asks.append("npm test")
    desk.show()
    (resolved,) = ended(desk)
    assert desk.toy.decided == ["npm test: Yes"]
    resolution = resolved["resolution"]
    assert (resolution["by"], resolution["outcome"]) == ("rule tests", "answered")
    steps = [event for event in desk.transport().journal().events if "steps" in event.data]
    assert [step["press"] for step in steps[0].data["steps"]] == ["Enter"]
    until(lambda: desk.transport().rules().rules[0].count == 1)
    (rule,) = desk.transport().rules().rules
    assert (rule.owner, rule.last_used is not None) == ("phone", True)


def test_a_rule_denies_and_gives_its_reason(ruled, tmp_path):
    desk = ruled(Toy())
    rule = Rule("no-push", RuleDecision.DENY, commands=("git push ...",), reason="push by hand")
    desk.transport().add_rules([rule, allow(tmp_path, "git push ...")])
    desk.toy.asks.append("git push origin x")
    desk.show()
    (resolved,) = ended(desk)
    assert desk.toy.decided == ["git push origin x: No"]
    assert (resolved["state"], resolved["resolution"]["by"]) == ("denied", "rule no-push")
    until(lambda: desk.toy.messages == ["push by hand"])


def test_the_reason_of_a_rule_that_allows_is_not_for_the_agent(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test", reason="it only reads")])
    for _ in range(2):
        desk.toy.asks.append("npm test")
        desk.show()
    ended(desk, 2)
    assert desk.toy.decided == ["npm test: Yes"] * 2
    assert desk.toy.messages == []
    assert desk.transport().queue(desk.session_id) == []


def test_a_prompt_that_no_rule_matches_waits_for_a_person(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test")])
    desk.toy.asks.append("npm test; ls")
    desk.show()
    prompt = desk.prompt()
    explained = desk.transport().explain(prompt.request_id)
    assert explained.judgement.reasons == (
        "the rule tests does not allow it: ls matches none of its commands",
    )
    assert explained.offer.rule.commands == ("npm test", "ls")
    assert desk.toy.keys == []


def test_a_new_rule_answers_the_prompt_that_waits(ruled, tmp_path):
    desk = ruled(Toy("npm test"))
    offer = desk.transport().explain(desk.prompt().request_id).offer
    desk.transport().add_rules([offer.rule])
    (resolved,) = ended(desk)
    assert resolved["resolution"]["by"] == f"rule {offer.rule.name}"


def test_after_a_restart_an_open_prompt_is_judged_again(ruled, tmp_path):
    desk = ruled(Toy("npm test"))
    desk.prompt()
    desk.agent.close()
    (tmp_path / "rules.toml").write_text(
        f'[[rule]]\nname = "by-hand"\ndecision = "allow"\nfolder = "{tmp_path}"\n'
        'tool = "toy-shell"\ncommands = ["npm test"]\nexpires = 2100-01-01\n'
    )
    again = ruled(journal=desk.journal, terminal=desk.terminal)
    again.session_id = desk.session_id
    (resolved,) = ended(again)
    assert resolved["resolution"]["by"] == "rule by-hand"


def test_a_person_and_a_rule_answer_once(ruled, tmp_path):
    desk = ruled(Toy("npm test"))
    prompt = desk.prompt()
    ready = threading.Barrier(2)
    outcomes = []

    def person():
        ready.wait()
        try:
            desk.transport().deny(desk.session_id, prompt.request_id)
            outcomes.append("person")
        except Conflict:
            outcomes.append("late")

    thread = threading.Thread(target=person)
    thread.start()
    ready.wait()
    desk.transport().add_rules([allow(tmp_path, "npm test")])
    thread.join()
    (resolved,) = ended(desk)
    assert len(desk.toy.decided) == 1
    by_person = resolved["resolution"]["by"] == "ann"
    assert outcomes == ["person" if by_person else "late"]


def test_a_prompt_that_changed_after_the_rule_looked_is_judged_again(ruled, tmp_path):
    desk = ruled(Toy("npm test"))
    prompt = desk.prompt()
    looks = []

    def fits(form):
        looks.append(form.description)
        return len(looks) < 2

    with pytest.raises(Conflict) as caught:
        desk.agent.respond(
            desk.session_id,
            Response(prompt.request_id, decision="approve"),
            desk.transport()._actor,
            fits,
        )
    assert caught.value.code == "prompt_changed"
    assert (desk.toy.keys, desk.toy.decided) == ([], [])
    assert desk.prompt().state.value == "pending"


def test_a_rule_that_comes_right_after_the_judgement_counts_before_the_key(
    ruled, tmp_path, monkeypatch
):
    desk = ruled(Toy("npm test"))
    prompt = desk.prompt()
    file = RulesFile(tmp_path / "rules.toml")
    file.add(allow(tmp_path, "npm test"))
    judge, later = Rules.judge, [Rule("never", RuleDecision.DENY, commands=("npm ...",))]

    def judge_first(*arguments, **options):
        judgement = judge(*arguments, **options)
        file.add(*(later.pop() for _ in range(len(later))))
        return judgement

    monkeypatch.setattr(Rules, "judge", judge_first)
    desk.agent.rule_answers.judge_open()
    for thread in threading.enumerate():
        if thread.name == "clawtap-rules":
            thread.join(60)
    assert not later
    assert desk.toy.keys == []
    assert desk.transport().prompt(prompt.request_id).state.open


def test_a_prompt_whose_words_change_before_the_key_is_left_to_a_person(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test")])

    def change():
        desk.pane.before_key = None
        desk.toy.asks[0] = "rm -rf src"

    # The first key of three moves to the row; the words change before it arrives.
    desk.toy.rows = ("No", "Always", "Yes")
    desk.pane.before_key = change
    desk.toy.asks.append("npm test")
    desk.show()
    prompt = until(
        lambda: next(
            (p for p in desk.transport().pending() if p.form.description == "rm -rf src"), None
        )
    )
    assert desk.toy.decided == []
    assert prompt.state.value == "pending"


def test_broken_rules_allow_nothing(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test")])
    (tmp_path / "rules.toml").write_text("[[rule")
    desk.toy.asks.append("npm test")
    desk.show()
    prompt = desk.prompt()
    assert desk.transport().explain(prompt.request_id).judgement.reasons == (
        "the rules cannot be read, so they allow nothing",
    )
    assert desk.transport().rules().problem
    with pytest.raises(ClawTapError):
        desk.transport().add_rules([allow(tmp_path, "ls")])


def test_a_removed_rule_no_longer_answers_and_loses_its_count(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test")])
    desk.toy.asks.append("npm test")
    desk.show()
    ended(desk)
    until(lambda: desk.transport().rules().rules[0].count == 1)
    assert desk.transport().remove_rule("tests").count == 1
    kinds = [event.type for event in desk.transport().journal().events]
    assert kinds.count("rule_added") == kinds.count("rule_removed") == 1
    desk.toy.asks.append("npm test")
    desk.show()
    assert desk.prompt().state.value == "pending"
    desk.transport().add_rules([allow(tmp_path, "ls")])
    assert desk.transport().rules().rules[0].count == 0


def test_answers_of_people_are_counted_for_an_offer(ruled, tmp_path):
    desk = ruled(Toy())
    for number, command in enumerate(["npm test", "npm test", "ls", "npm test"]):
        desk.toy.asks.append(command)
        desk.show()
        person = desk.transport("user")
        answer = person.deny if number == 3 else person.approve
        answer(desk.session_id, desk.prompt().request_id)
    desk.toy.asks.append("npm test")
    desk.show()
    request_id = desk.prompt().request_id
    until(lambda: desk.transport().explain(request_id).offer.count == 2)


def test_a_rule_is_tried_on_the_journal_before_it_is_added(ruled, tmp_path):
    desk = ruled(Toy())
    for command in ("npm test", "rm -rf /", "ls", "npm test"):
        desk.toy.asks.append(command)
        desk.show()
        desk.transport().deny(desk.session_id, desk.prompt().request_id)
    trial = desk.transport().try_rules(
        [allow(tmp_path, "npm test", "rm -rf /"), Rule("d", RuleDecision.DENY, commands=("ls",))]
    )
    tried = [(each.subject, each.judgement.decision.value, each.outcome) for each in trial.prompts]
    assert tried == [
        ("npm test", "allow", "denied"),
        ("ls", "deny", "denied"),
        ("npm test", "allow", "denied"),
    ]
    assert trial.asked == 1
    assert desk.transport().rules().rules == ()


def test_a_prompt_of_another_program_is_no_command_in_a_folder(ruled, tmp_path):
    desk = ruled(Toy())
    desk.transport().add_rules([allow(tmp_path, "npm test")])
    form = PromptForm(
        Kind.PERMISSION, "Run?", tool_name="toy-shell", tool_input={"command": "npm test"},
        options=(Option("y", "Yes", Effect.ALLOW_ONCE), Option("n", "No", Effect.DENY)),
    )  # fmt: skip
    asked = desk.transport().ask(form)
    reasons = desk.transport().explain(asked.request_id).judgement.reasons
    assert "the folder of the session is not known" in reasons
    assert desk.transport().prompt(asked.request_id).state.value == "pending"
