"""Requests for permission, the only kind that ACP has: questions and plans come as such, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import Effect, Kind, Option, PromptForm, Response
from clawtap_core.protocol_io.acp.dialect import Dialect
from clawtap_core.protocol_io.acp.tool_calls import Payload, listed, text
from clawtap_core.screens import slugs

_EFFECTS = {
    "allow_once": Effect.ALLOW_ONCE,
    "allow_always": Effect.ALLOW_ALWAYS,
    "reject_once": Effect.DENY,
    "reject_always": Effect.DENY,
}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def selected(option: str) -> dict[str, Any]:
    """Return the reply that chooses an option by the CLI's id of it."""
    return {"outcome": {"outcome": "selected", "optionId": option}}


@dataclass(frozen=True, slots=True)
class Permission:
    """A request that waits. `ids` are the CLI's ids of the options that can be chosen."""

    id: int | str
    form: PromptForm
    ids: Mapping[str, str]
    answer: Callable[[Response], Payload | None] | None = None

    def result(self, response: Response) -> Payload | None:
        """Return the reply for an answer; None where the protocol has none."""
        chosen = self.ids.get(response.selected_option or "")
        if chosen is not None:
            return selected(chosen)
        if response.decision == "deny":
            return CANCELLED
        return self.answer(response) if self.answer else None


def permission(
    request: int | str, params: Payload, call: Payload, dialect: Dialect, version: str
) -> Permission:
    """Read a request for permission for a call."""
    offers = listed(params, "options")
    names = slugs(text(offer, "name") for offer in offers)
    options = [
        Option(name, text(offer, "name"), _EFFECTS.get(text(offer, "kind"), Effect.OTHER))
        for name, offer in zip(names, offers, strict=True)
    ]
    ids = {name: text(offer, "optionId") for name, offer in zip(names, offers, strict=True)}
    tool, (title, detail) = dialect.tool(call), dialect.title(call)
    common: dict[str, Any] = {
        "title": title or tool or "The CLI asks for permission",
        "description": "\n".join(filter(None, (detail, dialect.body(call)))),
        "tool_name": tool,
        "tool_call_id": text(call, "toolCallId") or None,
    }
    if special := dialect.special_form(call, options, common, version):
        answerable = {option.value: ids[option.value] for option in special.answerable}
        return Permission(request, special.form, answerable, special.answer)
    form = PromptForm(
        Kind.PERMISSION, options=tuple(options), tool_input=dialect.input(call), **common
    )
    return Permission(request, form, ids)
