"""The rules of this machine: what they say to a prompt, and how often they have answered."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime
from typing import Any

from clawtap_core.errors import ClawTapError
from clawtap_core.model import (
    Actor,
    Explanation,
    Judgement,
    Kind,
    Prompt,
    PromptForm,
    Rule,
    RuleBook,
    RuleOffer,
    RuleTrial,
)
from clawtap_core.rules import RulesFile, ToolCall, check_rule, judge, narrowest_rule, read_call
from clawtap_core.runtime.rules.approval_counts import ApprovalCounts
from clawtap_core.runtime.rules.trial import try_rules
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

log = logging.getLogger(__name__)
# Rules belong to no session: their markers are kept under this name.
_NO_SESSION = ""
_NO_RULES = RuleBook("")


class Rules:
    """The rules in a file; with None there are none, and none can be added."""

    def __init__(self, store: StateStore, file: RulesFile | None) -> None:
        self._store = store
        self._file = file
        self._approvals = ApprovalCounts(store)

    @property
    def any(self) -> bool:
        """Whether there may be rules at all."""
        return self._file is not None and self._file.exists

    def current(self) -> RuleBook:
        """Return the rules as the file has them; the same object while it does not change."""
        return self._file.book() if self._file else _NO_RULES

    def prepare(self) -> None:
        """Load what the first judgement needs, so that the first prompt is answered at once."""
        form = PromptForm(Kind.PERMISSION, "", tool_name="-", tool_input={"command": "true"})
        judge(read_call(form, "", "/"), self.current(), self._store.now())

    def book(self) -> RuleBook:
        """Return the rules with how often each has answered."""
        book = self.current()
        return replace(book, rules=tuple(map(self._counted, book.rules)))

    def judge(self, prompt: Prompt, book: RuleBook, form: PromptForm | None = None) -> Judgement:
        """Return what these rules decide about a prompt; `form`: as its screen shows it by now."""
        return judge(self._call(prompt, form), book, self._store.now())

    def explain(self, prompt: Prompt) -> Explanation:
        """Return the rules' decision on a prompt, and the narrowest rule that would allow it."""
        book, call, now = self.book(), self._call(prompt), self._store.now()
        judgement = judge(call, book, now)
        names = {rule.name for rule in book.rules}
        rule = narrowest_rule(call, book, now, names) if judgement.rule is None else None
        offer = RuleOffer(rule, self._approvals.count(rule)) if rule else None
        return Explanation(prompt.request_id, judgement, offer)

    def add(self, rules: tuple[Rule, ...], actor: Actor) -> tuple[Rule, ...]:
        """Add rules to the file on behalf of an actor."""
        now = self._store.now()
        owned = tuple(
            replace(rule, owner=rule.owner or actor.device, created=rule.created or now)
            for rule in rules
        )
        self._required().add(*owned)
        for rule in owned:
            self._record("rule_added", rule, actor)
        return owned

    def remove(self, name: str, actor: Actor) -> Rule:
        """Remove a rule from the file, and forget how often it has answered."""
        rule = self._counted(self._required().remove(name))
        self._store.mark(_NO_SESSION, _marker(name), None)
        self._record("rule_removed", rule, actor)
        return rule

    def try_rules(self, rules: tuple[Rule, ...]) -> RuleTrial:
        """Return what rules would have done to the permissions in the journal."""
        for rule in rules:
            check_rule(rule)
        book = RuleBook("", rules, self.book().guard_rails)
        return try_rules(self._store, book)

    def answered(self, name: str) -> None:
        """Count an answer of a rule."""
        with self._store.exclusive():
            before = self._uses(name)
            uses = {"count": int(before.get("count", 0)) + 1, "at": self._store.now().isoformat()}
            self._store.mark(_NO_SESSION, _marker(name), uses)

    def _call(self, prompt: Prompt, form: PromptForm | None = None) -> ToolCall:
        try:
            session = self._store.session(prompt.session_id)
        except ClawTapError:
            return read_call(form or prompt.form, "", "")
        return read_call(form or prompt.form, session.adapter, session.cwd)

    def _counted(self, rule: Rule) -> Rule:
        uses = self._uses(rule.name)
        if not uses:
            return rule
        last = datetime.fromisoformat(uses["at"])
        return replace(rule, count=int(uses["count"]), last_used=last)

    def _uses(self, name: str) -> dict[str, Any]:
        return self._store.marker(_NO_SESSION, _marker(name)) or {}

    def _record(self, kind: str, rule: Rule, actor: Actor) -> None:
        self._store.commit([events.rules_changed(kind, rule, self._store.now(), actor)])

    def _required(self) -> RulesFile:
        if self._file is None:
            raise ClawTapError("this runtime keeps no rules")
        return self._file


def _marker(name: str) -> str:
    return f"rule:{name}"
