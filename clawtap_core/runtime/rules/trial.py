"""What rules would have done to everything in the journal."""

from __future__ import annotations

from collections import deque

from clawtap_core.model import RuleBook, RuleDecision, RuleTrial, TriedPrompt
from clawtap_core.rules import judge
from clawtap_core.runtime.rules.past_prompts import PastPrompts
from clawtap_core.runtime.state.store import StateStore

MOST_LISTED = 500
_LONGEST = 200


def try_rules(store: StateStore, book: RuleBook) -> RuleTrial:
    """Judge every permission of the journal by these rules."""
    listed: deque[TriedPrompt] = deque(maxlen=MOST_LISTED)
    asked, now = 0, store.now()
    for past in PastPrompts(store).read():
        judgement = judge(past.call, book, now)
        if judgement.decision is RuleDecision.ASK and judgement.rule is None:
            asked += 1
            continue
        prompt = past.prompt
        listed.appendleft(
            TriedPrompt(
                prompt.request_id,
                prompt.session_id,
                prompt.created_at,
                (past.call.command or prompt.form.description or prompt.form.title)[:_LONGEST],
                prompt.state.value,
                judgement,
            )
        )
    return RuleTrial(tuple(listed), asked)
