"""The outcome of a prompt in words, which its card collapses to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from clawtap_core.model import BY_DEFAULT, Answer, Kind, Prompt, PromptState, Response
from clawtap_core.model.moments import wire_time
from webui.markup.sanitizer import visible

_CHIP_LENGTH = 12
_WORDS = {
    PromptState.ANSWERED: ("done", "check", "Answered"),
    PromptState.DENIED: ("denied", "cross", "Denied"),
    PromptState.ANSWERED_ELSEWHERE: ("elsewhere", "desk", "Answered at the desk"),
    PromptState.EXPIRED: ("faded", "clock", "Expired: nobody answered in time"),
    PromptState.CANCELLED: ("faded", "cross", "Withdrawn"),
    PromptState.FAILED: ("failed", "warning", "Not confirmed"),
}
# By whom and where a prompt was answered that no answer of ours ended, if not at the desk.
_ELSEWHERE = {
    ("unknown", "elsewhere"): "No longer waiting",
    ("someone", "elsewhere"): "Answered elsewhere",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a prompt ended. `tone` colours it; `chosen` is each answer with its header."""

    tone: str
    icon: str
    words: str
    chosen: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    who: str = ""
    at: str = ""
    detail: str = ""
    actor: str = ""
    actor_id: str = ""
    verb: str = ""
    rule: str = ""


def outcome(prompt: Prompt) -> Outcome | None:
    """Return how a prompt ended; None while it is open."""
    ended = prompt.resolution
    state = ended.outcome if ended else prompt.state
    if state not in _WORDS:
        return None
    tone, icon, words = _WORDS[state]
    if ended is None:
        return Outcome(tone, icon, words)
    if tone == "elsewhere":
        words = _ELSEWHERE.get((ended.by, ended.device), words)
    response = ended.response or Response(prompt.request_id)
    return Outcome(
        tone,
        icon,
        words,
        tuple((visible(header), visible(label)) for header, label in _chosen(prompt, response)),
        visible(response.reason or ""),
        "" if tone == "elsewhere" else who(ended.by, ended.device),
        wire_time(ended.at),
        sentence(visible(ended.detail or "")),
        actor=ended.device if ended.by == "user" and tone in ("done", "denied") else "",
        actor_id=ended.device_id,
        verb=_verb(prompt, tone),
        rule=rule_of(ended.by),
    )


def who(by: str, device: str) -> str:
    """Return who did it: " from Pixel 8", " by the rule tests", " by ci on build-host"."""
    if by == BY_DEFAULT:
        return " by default"
    if rule := rule_of(by):
        return f" by the rule {rule}"
    if by == "user" and device:
        return f" from {device}"
    return (f" by {by}" if by else "") + (f" on {device}" if device else "")


def rule_of(by: str) -> str:
    """Return the name of the rule that answered; "" for people and programs."""
    return by.removeprefix("rule ") if by.startswith("rule ") else ""


def chip(header: str) -> str:
    """Shorten a question's header to the twelve characters of a chip."""
    return header if len(header) <= _CHIP_LENGTH else header[: _CHIP_LENGTH - 1].rstrip() + "…"


def sentence(text: str) -> str:
    """Return the text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def _verb(prompt: Prompt, tone: str) -> str:
    kind = prompt.form.kind
    if kind is Kind.PLAN:
        return "approved" if tone == "done" else "sent back"
    if kind is Kind.PERMISSION:
        return "allowed" if tone == "done" else "denied"
    return "answered" if tone == "done" else "declined"


def _chosen(prompt: Prompt, response: Response) -> Iterator[tuple[str, str]]:
    if response.selected_option:
        labels = {option.value: option.label for option in prompt.form.options}
        yield "", labels.get(response.selected_option, response.selected_option)
    for index, question in enumerate(prompt.form.questions):
        key = str(index)
        if question.secret:
            yield question.header, "••••••"
        elif key in response.answers:
            answer, note = _joined(response.answers[key]), response.notes.get(key)
            yield question.header, f"{answer} · “{note}”" if note else answer
    if response.text_value:
        yield "", response.text_value


def _joined(answer: Answer) -> str:
    # A multi-select answer may come as a JSON array in a string.
    if isinstance(answer, str) and answer.startswith("["):
        with suppress(ValueError):
            answer = tuple(json.loads(answer))
    return answer if isinstance(answer, str) else ", ".join(map(str, answer))
