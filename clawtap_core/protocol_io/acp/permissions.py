"""Requests for permission, the only kind that ACP has: questions and plans come as such, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core.model import Effect, Kind, Option, PromptForm, Response
from clawtap_core.protocol_io.acp.dialect import Answer, Dialect
from clawtap_core.protocol_io.acp.tool_calls import Payload
from clawtap_core.protocol_io.json_values import objects_in, text
from clawtap_core.screens import slugs

_EFFECTS = {
    "allow_once": Effect.ALLOW_ONCE,
    "allow_always": Effect.ALLOW_ALWAYS,
    "reject_once": Effect.DENY,
    "reject_always": Effect.DENY,
}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


@dataclass(frozen=True, slots=True)
class Permission:
    """A request that waits: the CLI's ids of its options, and the values that can be chosen."""

    id: int | str
    form: PromptForm
    ids: Mapping[str, str]
    answerable: frozenset[str]
    answer: Answer | None = None

    def result(self, response: Response) -> Payload | None:
        """Return the reply for an answer; None where the protocol has none."""
        if response.selected_option in self.answerable:
            return _selected(self.ids[response.selected_option])
        if response.decision == "deny":
            return CANCELLED
        answer = self.answer(response) if self.answer else None
        return {**_selected(self.ids[answer[0]]), **answer[1]} if answer else None


def permission(
    request: int | str, params: Payload, call: Payload, dialect: Dialect, version: str
) -> Permission:
    """Read a request for permission for a call."""
    offers = objects_in(params, "options")
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
        answerable = frozenset(option.value for option in special.answerable)
        return Permission(request, special.form, ids, answerable, special.answer)
    form = PromptForm(
        Kind.PERMISSION, options=tuple(options), tool_input=dialect.input(call), **common
    )
    return Permission(request, form, ids, frozenset(ids))


def _selected(option: str) -> dict[str, Any]:
    return {"outcome": {"outcome": "selected", "optionId": option}}
