"""A request of the CLI that waits for the user: its prompt and its replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawtap_core import Effect, Option, PromptForm, Response
from clawtap_core.screens import slugs

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """`reply` returns the result for an answer, or None if there is none.

    `refused_by_interrupt`: the request cannot be refused, so its turn is interrupted instead, as
    the TUI does on Escape.
    """

    form: PromptForm
    reply: Callable[[Response], Result | None]
    refused_by_interrupt: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """An option: the TUI's label, what it does, and the result it sends."""

    label: str
    effect: Effect
    reply: Result


def to_options(choices: Sequence[Choice]) -> tuple[Option, ...]:
    """Turn choices into options."""
    names = slugs(choice.label for choice in choices)
    return tuple(
        Option(name, choice.label, choice.effect)
        for name, choice in zip(names, choices, strict=True)
    )


def reply_by_option(choices: Sequence[Choice]) -> Callable[[Response], Result | None]:
    """Return a function that maps a response to the result of its option."""
    results = {
        option.value: choice.reply
        for option, choice in zip(to_options(choices), choices, strict=True)
    }

    def reply(response: Response) -> Result | None:
        return results.get(response.selected_option or "")

    return reply
