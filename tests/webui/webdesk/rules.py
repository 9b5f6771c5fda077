"""The rules at the desk: kept in memory, judged as the real ones are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clawtap_core.errors import NotFound
from clawtap_core.model import (
    Actor,
    Explanation,
    Prompt,
    PromptState,
    Response,
    Rule,
    RuleBook,
    RuleDecision,
    RuleOffer,
    RuleTrial,
    TriedPrompt,
)
from clawtap_core.rules import (
    ToolCall,
    check_rule,
    default_guard_rails,
    judge,
    narrowest_rule,
    read_call,
)

if TYPE_CHECKING:
    from webdesk.desk import Desk


class DeskRules:
    """The part of the desk's `Transport` that is about rules."""

    _desk: Desk
    _actor: Actor

    def prompt(self, request_id: str) -> Prompt:
        raise NotImplementedError

    def rules(self) -> RuleBook:
        desk = self._desk
        file = "/home/me/.local/share/clawtap/rules.toml"
        return RuleBook(file, tuple(desk.rules), default_guard_rails(), desk.rules_problem)

    def add_rules(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        for rule in rules:
            check_rule(rule)
        added = [replace(rule, owner=self._actor.device) for rule in rules]
        self._desk.rules += added
        for prompt in list(self._desk.prompts.values()):
            if prompt.state is PromptState.PENDING:
                self._answer(prompt)
        return added

    def remove_rule(self, name: str) -> Rule:
        rule = next((each for each in self._desk.rules if each.name == name), None)
        if rule is None:
            raise NotFound(f"no such rule: {name!r}", code="rule_not_found")
        self._desk.rules.remove(rule)
        return rule

    def try_rules(self, rules: Sequence[Rule]) -> RuleTrial:
        book, tried = replace(self.rules(), rules=tuple(rules)), []
        for prompt in self._desk.prompts.values():
            judgement = judge(self._call(prompt), book, self._desk.now())
            if judgement.decision is not RuleDecision.ASK:
                subject, state = prompt.form.description, prompt.state.value
                at = prompt.created_at
                tried.append(
                    TriedPrompt(prompt.request_id, prompt.session_id, at, subject, state, judgement)
                )
        return RuleTrial(tuple(tried), len(self._desk.prompts) - len(tried))

    def explain(self, request_id: str) -> Explanation:
        book, call, now = self.rules(), self._call(self.prompt(request_id)), self._desk.now()
        rule = narrowest_rule(call, book, now)
        offer = RuleOffer(rule, self._desk.allowed_before) if rule else None
        return Explanation(request_id, judge(call, book, now), offer)

    def _call(self, prompt: Prompt) -> ToolCall:
        session = self._desk.sessions[prompt.session_id]
        return read_call(prompt.form, session.adapter, session.cwd)

    def _answer(self, prompt: Prompt) -> None:
        judgement = judge(self._call(prompt), self.rules(), self._desk.now())
        outcomes = {
            RuleDecision.ALLOW: PromptState.ANSWERED,
            RuleDecision.DENY: PromptState.DENIED,
        }
        if outcome := outcomes.get(judgement.decision):
            actor = Actor(f"rule {judgement.rule}", "rules")
            response = Response(prompt.request_id, prompt.form.options[0].value)
            self._desk.resolve(prompt.request_id, outcome, actor, response)
