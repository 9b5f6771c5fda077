"""Rules that answer permissions, guard rails that no rule crosses, and what they decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any


class RuleDecision(str, Enum):
    """What a rule does; deny wins over ask, and ask over allow."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Rule:
    """A standing answer to permissions; what is not set matches everything.

    `folder`: sessions in it or below. `tool` and `server` are named as the CLI names them.
    `commands` are patterns such as "git diff ..."; `files` are "inside", "outside" or globs below
    the session's folder; `input` is the tool's whole input. `count` and `last_used` say how often
    it has answered, and when last.
    """

    name: str
    decision: RuleDecision
    adapter: str | None = None
    folder: str | None = None
    tool: str | None = None
    server: str | None = None
    commands: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    input: Mapping[str, Any] | None = field(default=None, hash=False)
    reason: str | None = None
    owner: str | None = None
    created: datetime | None = None
    expires: datetime | None = None
    count: int = 0
    last_used: datetime | None = None


@dataclass(frozen=True, slots=True)
class GuardRail:
    """Calls that no rule may allow: those that match every list that is not empty.

    `programs`, `arguments` and `paths` are globs, of which one has to match; `words` must all
    be among the arguments, and `risks` are marks of a command, such as "root".
    """

    name: str
    why: str
    programs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All rules and guard rails; `problem` says why the rules in `file` cannot be read.

    While there is a problem, rules allow nothing; what the last good file denied is still denied.
    """

    file: str
    rules: tuple[Rule, ...] = ()
    guard_rails: tuple[GuardRail, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the rules decide about a prompt, which rule decides, and why."""

    decision: RuleDecision
    rule: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleOffer:
    """The narrowest rule that would allow a prompt; `count`: how often people allowed the same."""

    rule: Rule
    count: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a prompt was asked or answered by a rule, and the rule that would allow it."""

    request_id: str
    judgement: Judgement
    offer: RuleOffer | None = None


@dataclass(frozen=True, slots=True)
class TriedPrompt:
    """A prompt of the journal, its real `outcome`, and what the tried rules would have done."""

    request_id: str
    session_id: str
    at: datetime
    subject: str
    outcome: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What rules would have done to the permissions in the journal.

    `prompts` are those that would not have been asked, newest first; `asked` counts the others.
    """

    prompts: tuple[TriedPrompt, ...] = ()
    asked: int = 0
