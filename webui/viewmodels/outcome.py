"""What became of a prompt, in words: the summary that a card collapses to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from webui.markup.sanitizer import visible

_CHIP = 12
_OUTCOMES = {
    "answered": ("done", "check", "Answered"),
    "denied": ("denied", "cross", "Denied"),
    "answered_elsewhere": ("elsewhere", "desk", "Answered at the desk"),
    "expired": ("faded", "clock", "Expired: nobody answered in time"),
    "cancelled": ("faded", "cross", "Withdrawn"),
    "failed": ("failed", "warning", "Not confirmed"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a prompt ended. `tone` colours it; `chosen` is what was answered, with its header."""

    tone: str
    icon: str
    outcome: str
    chosen: tuple[tuple[str, str], ...]
    reason: str
    who: str
    at: str
    detail: str


def outcome(prompt: Mapping[str, Any]) -> Outcome | None:
    """The receipt of a prompt that ended; None while it is open."""
    ended = prompt.get("resolution") or {}
    state = str(ended.get("outcome") or prompt.get("state") or "pending")
    if state not in _OUTCOMES:
        return None
    tone, icon, outcome = _OUTCOMES[state]
    response = ended.get("response") or {}
    return Outcome(
        tone,
        icon,
        outcome,
        tuple((visible(name), visible(label)) for name, label in _chosen(prompt, response)),
        visible(str(response.get("reason") or "")),
        "" if tone == "elsewhere" else who(ended),
        str(ended.get("at") or ""),
        sentence(visible(str(ended.get("detail") or ""))),
    )


def who(told: Mapping[str, Any]) -> str:
    """Who did something, to stand behind what was done: " from Pixel 8", " by a rule on ..."."""
    by, device = str(told.get("by") or ""), str(told.get("device") or "")
    if by == "user" and device:
        return f" from {device}"
    return (f" by {by}" if by else "") + (f" on {device}" if device else "")


def chip(header: str) -> str:
    """A question's header as short as a chip is: at most twelve characters."""
    return header if len(header) <= _CHIP else header[: _CHIP - 1].rstrip() + "…"


def sentence(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _chosen(prompt: Mapping[str, Any], response: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    picked = response.get("selectedOption")
    if picked:
        yield "", _label(prompt.get("options") or (), str(picked))
    answers = response.get("answers") or {}
    for index, question in enumerate(prompt.get("questions") or ()):
        if question.get("secret"):
            yield str(question.get("header") or ""), "••••••"
        elif str(index) in answers:
            note = (response.get("notes") or {}).get(str(index))
            chosen = _joined(answers[str(index)])
            yield str(question.get("header") or ""), f"{chosen} · “{note}”" if note else chosen
    if response.get("textValue"):
        yield "", str(response["textValue"])


def _label(options: Sequence[Mapping[str, Any]], value: str) -> str:
    return next((str(one["label"]) for one in options if one["value"] == value), value)


def _joined(answer: Any) -> str:
    """The labels of an answer; a list may come as JSON in a string."""
    if isinstance(answer, str) and answer.startswith("["):
        with suppress(ValueError):
            answer = json.loads(answer)
    return ", ".join(map(str, answer)) if isinstance(answer, list | tuple) else str(answer)
