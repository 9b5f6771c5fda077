"""Answers by rules: delivered like a person's, with every check, and judged before each key."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import Protocol

from clawtap_core.errors import ClawTapError
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import (
    Actor,
    Event,
    Judgement,
    Prompt,
    PromptForm,
    PromptState,
    Response,
    RuleBook,
    RuleDecision,
    Session,
)
from clawtap_core.prompts.validation import FormCheck
from clawtap_core.runtime.rules.service import Rules
from clawtap_core.runtime.state.store import StateStore

log = logging.getLogger(__name__)
_EVENTS = frozenset(("approval_required", "prompt_updated"))
_DECISIONS = {RuleDecision.ALLOW: "approve", RuleDecision.DENY: "deny"}
_MOST_REMEMBERED = 500
# A prompt that changes again and again is left to a person.
_MOST_TRIES = 3


class Respond(Protocol):
    """Delivers an answer to a session."""

    def __call__(
        self, session_id: str, response: Response, actor: Actor, fits: FormCheck
    ) -> Prompt:
        """Return the resolved prompt; raise ClawTapError if it could not be delivered."""


class RuleAnswers:
    """Gives each new or changed permission to the rules, in a thread of its own."""

    def __init__(self, store: StateStore, rules: Rules, respond: Respond) -> None:
        self._store = store
        self._rules = rules
        self._respond = respond
        self._lock = threading.Lock()
        self._tried: LimitedDict[str, list[PromptForm]] = LimitedDict(_MOST_REMEMBERED)

    def on_event(self, event: Event, session: Session) -> None:
        """Judge a prompt that appeared or changed; without rules, nothing is done."""
        if event.type in _EVENTS and event.data.get("state") == "pending" and self._rules.any:
            self._start(event.data["requestId"])

    def judge_open(self) -> None:
        """Judge every open prompt, since the rules have changed."""
        if self._rules.any:
            threading.Thread(target=self._rules.prepare, daemon=True).start()
            for prompt in self._store.open_prompts():
                self._start(prompt.request_id)

    def _start(self, request_id: str) -> None:
        # In a thread: the store's lock may be held here, while an answer waits for the screen.
        name = "clawtap-rules"
        threading.Thread(target=self._consider, args=(request_id,), name=name, daemon=True).start()

    def _consider(self, request_id: str) -> None:
        try:
            prompt = self._store.find_prompt(request_id)
            book = self._rules.current()
            judgement = self._rules.judge(prompt, book)
            if prompt.state is PromptState.PENDING and judgement.decision in _DECISIONS:
                self._answer(prompt, judgement, book)
        except ClawTapError as error:
            log.info("no answer by a rule: %s", error.message, extra={"prompt": request_id})
        except Exception:
            log.exception("a prompt could not be judged", extra={"prompt": request_id})

    def _answer(self, prompt: Prompt, judgement: Judgement, book: RuleBook) -> None:
        if not (judgement.rule and self._begin_try(prompt)):
            return
        rule = next(each for each in book.rules if each.name == judgement.rule)
        judged_form = _subject_of(prompt.form)
        decision = _DECISIONS[judgement.decision]
        # The agent gets the reason of a denial; that of an approval is for whoever reads the rules.
        reason = rule.reason if decision == "deny" else None
        response = Response(prompt.request_id, reason=reason, decision=decision)

        def fits(form: PromptForm) -> bool:
            now = self._rules.current()
            # Nothing has changed since the judgement.
            if now is book and _subject_of(form) == judged_form:
                return True
            again = self._rules.judge(prompt, now, form)
            return (again.decision, again.rule) == (judgement.decision, judgement.rule)

        actor = Actor(f"rule {rule.name}", "rules")
        self._respond(prompt.session_id, response, actor, fits)
        self._rules.answered(rule.name)

    def _begin_try(self, prompt: Prompt) -> bool:
        """Record a try; return False if there was one: after a failure, a person answers it."""
        with self._lock:
            tried = self._tried.setdefault(prompt.request_id, [])
            if prompt.form in tried or len(tried) >= _MOST_TRIES:
                return False
            tried.append(prompt.form)
            return True


def _subject_of(form: PromptForm) -> PromptForm:
    """Return a form without what moves while its prompt is shown."""
    return replace(form, top=None, selected=None)
