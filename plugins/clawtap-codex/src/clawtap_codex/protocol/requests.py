"""A request of the CLI that waits for a human: how it is asked, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawtap_core import Effect, Option, PromptForm, Response
from clawtap_core.screens import slugs

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """`reply` gives the reply for an answer; None where there is none.

    `refused_by_interrupt`: the request has no refusal of its own, so that its turn is stopped,
    as the TUI does by Escape.
    """

    form: PromptForm
    reply: Callable[[Response], Result | None]
    refused_by_interrupt: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to decide: the TUI's words for it, what it does, and the reply it stands for."""

    label: str
    effect: Effect
    reply: Result


def to_options(choices: Sequence[Choice]) -> tuple[Option, ...]:
    """The choices as options."""
    names = slugs(choice.label for choice in choices)
    return tuple(
        Option(name, choice.label, choice.effect)
        for name, choice in zip(names, choices, strict=True)
    )


def reply_by_option(choices: Sequence[Choice]) -> Callable[[Response], Result | None]:
    """The reply for the option that was chosen."""
    results = {
        option.value: choice.reply
        for option, choice in zip(to_options(choices), choices, strict=True)
    }

    def reply(response: Response) -> Result | None:
        return results.get(response.selected_option or "")

    return reply


def objects_in(params: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The objects of a list among the parameters."""
    value = params.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(params: Mapping[str, Any], name: str) -> str:
    """A text among the parameters; empty where there is none."""
    value = params.get(name)
    return value if isinstance(value, str) else ""
