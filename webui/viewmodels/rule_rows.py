"""Rules as rows of their page, and the offer of one on a card."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import PurePosixPath

from clawtap_core.model import Rule, RuleDecision, RuleOffer, RuleTrial
from clawtap_core.model.moments import wire_time
from webui.markup.sanitizer import visible

# A call allowed this often is worth a rule.
OFFERED_AFTER = 3
_WORDS = {
    RuleDecision.ALLOW: ("allow-once", "check", "Allows"),
    RuleDecision.DENY: ("deny", "cross", "Denies"),
    RuleDecision.ASK: ("other", "question", "Always asks"),
}
_MOST_TRIED = 20


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule as a row: what it does to what, where, by whom, until when, and how often."""

    name: str
    tone: str
    icon: str
    word: str
    what: tuple[str, ...]
    where: tuple[str, ...]
    owner: str
    expires: str
    expired: bool
    count: int
    last_used: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule offered on a card; `key` identifies it, since the prompt may change meanwhile."""

    what: tuple[str, ...]
    folder: str
    count: int
    key: str


@dataclass(frozen=True, slots=True)
class TrialRow:
    """What a tried rule would have done to a past prompt; `against`: a person denied it."""

    word: str
    tone: str
    subject: str
    rule: str
    at: str
    against: bool


def rule_row(rule: Rule, now: datetime | None = None) -> RuleRow:
    """Return the row of a rule."""
    tone, icon, word = _WORDS[rule.decision]
    moment = now or datetime.now(timezone.utc)
    return RuleRow(
        name=rule.name,
        tone=tone,
        icon=icon,
        word=word,
        what=described_call(rule),
        where=tuple(
            visible(part) for part in (rule.folder, rule.adapter, rule.tool or rule.server) if part
        ),
        owner=visible(rule.owner or ""),
        expires=rule.expires.strftime("%Y-%m-%d") if rule.expires else "",
        expired=rule.expires is not None and rule.expires <= moment,
        count=rule.count,
        last_used=wire_time(rule.last_used) if rule.last_used else "",
    )


def described_call(rule: Rule) -> tuple[str, ...]:
    """Return the commands, files or tool that a rule is about, each as a line."""
    lines = (*rule.commands, *rule.files)
    if not lines:
        lines = (" ".join(filter(None, (rule.server, rule.tool))) or "everything",)
        if rule.input is not None:
            lines = (*lines, json.dumps(dict(rule.input), ensure_ascii=False))
    return tuple(map(visible, lines))


def offer(offered: RuleOffer) -> Offer | None:
    """Return the offer of a rule, once people have allowed the call often enough."""
    if offered.count < OFFERED_AFTER:
        return None
    folder = PurePosixPath(offered.rule.folder or "").name or "this folder"
    what = described_call(offered.rule)
    return Offer(what, visible(folder), offered.count, offer_key(offered.rule))


def offer_key(rule: Rule) -> str:
    """Return a digest that identifies an offered rule."""
    parts = (rule.adapter, rule.folder, rule.tool, rule.server, rule.commands, rule.files)
    text = json.dumps([*parts, dict(rule.input or {})], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def trial_rows(trial: RuleTrial) -> tuple[TrialRow, ...]:
    """Return what tried rules would have done, newest first."""
    words = {"allow": "Would allow", "deny": "Would deny", "ask": "Would ask"}
    rows = []
    for prompt in trial.prompts[:_MOST_TRIED]:
        decision = prompt.judgement.decision
        rows.append(
            TrialRow(
                words[decision.value],
                _WORDS[decision][0],
                visible(prompt.subject),
                prompt.judgement.rule or "",
                wire_time(prompt.at),
                decision is RuleDecision.ALLOW and prompt.outcome == "denied",
            )
        )
    return tuple(rows)
