"""A prompt of the wire as a card: what is shown, in which words, and what can be tapped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webui.markup.sanitizer import visible
from webui.viewmodels.outcome import Outcome, outcome
from webui.viewmodels.prompt_body import Block, blocks

OPEN = ("pending", "answering")
_KINDS = {
    "permission": ("shield", "Permission"),
    "question": ("question", "Question"),
    "plan": ("plan", "Plan"),
    "loop-detected": ("loop", "Loop"),
    "unknown": ("terminal", "Needs a look"),
}
_EFFECTS = {
    "allow_once": ("check", "Once"),
    "allow_always": ("check-all", "Ongoing"),
    "deny": ("cross", "Deny"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One option as a button: the CLI's words, and its effect by colour, icon and word."""

    value: str
    label: str
    effect: str
    icon: str
    word: str
    description: str


@dataclass(frozen=True, slots=True)
class Group:
    """Options that stand together: those that refuse stand apart from the others."""

    deny: bool
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """All that the card's template needs."""

    id: str
    session_id: str
    type: str
    state: str
    icon: str
    word: str
    title: str
    blocks: tuple[Block, ...]
    groups: tuple[Group, ...]
    questions: Sequence[Mapping[str, Any]]
    text_input: Mapping[str, Any] | None
    more_options: bool
    truncated: bool
    origin: str
    position: Mapping[str, int] | None
    created_at: str
    expires_at: str
    outcome: Outcome | None

    @property
    def open(self) -> bool:
        """Whether it still waits for an answer."""
        return self.state in OPEN

    @property
    def order(self) -> str:
        """When it was asked; once it ended, when that was."""
        return self.outcome.at if self.outcome and self.outcome.at else self.created_at

    @property
    def has_screen(self) -> bool:
        """Whether the raw screen and the key pad belong to it."""
        return self.type == "unknown"

    @property
    def needs_submit(self) -> bool:
        """Whether no option of the CLI sends the answers to its questions."""
        return bool(self.questions) and not any(not group.deny for group in self.groups)


def card(prompt: Mapping[str, Any]) -> Card:
    """The card of a prompt as the wire has it."""
    kind = str(prompt.get("type"))
    icon, word = _KINDS.get(kind, _KINDS["unknown"])
    return Card(
        id=str(prompt["requestId"]),
        session_id=str(prompt.get("sessionId") or ""),
        type=kind,
        state=str(prompt.get("state") or "pending"),
        icon=icon,
        word=word,
        title=visible(str(prompt.get("title") or word)),
        blocks=blocks(prompt),
        groups=tuple(_groups(prompt.get("options") or ())),
        questions=tuple(prompt.get("questions") or ()),
        text_input=prompt.get("textInput"),
        more_options=bool(prompt.get("moreOptions")),
        truncated=bool(prompt.get("truncated")),
        origin=visible(str(prompt.get("origin") or "")),
        position=prompt.get("position"),
        created_at=str(prompt.get("createdAt") or ""),
        expires_at=str(prompt.get("expiresAt") or ""),
        outcome=outcome(prompt),
    )


def _groups(options: Sequence[Mapping[str, Any]]) -> Iterator[Group]:
    """The options in the CLI's order, cut where refusing begins or ends."""
    run: list[Choice] = []
    for choice in map(_choice, options):
        if run and (run[-1].effect == "deny") != (choice.effect == "deny"):
            yield Group(run[-1].effect == "deny", tuple(run))
            run = []
        run.append(choice)
    if run:
        yield Group(run[-1].effect == "deny", tuple(run))


def _choice(option: Mapping[str, Any]) -> Choice:
    effect = str(option.get("effect") or "other")
    icon, word = _EFFECTS.get(effect, ("arrow", ""))
    return Choice(
        value=str(option["value"]),
        label=visible(str(option["label"])),
        effect=effect.replace("_", "-"),
        icon=icon,
        word=word,
        description=visible(str(option.get("description") or "")),
    )
