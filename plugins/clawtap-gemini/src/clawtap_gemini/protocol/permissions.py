"""Requests for permission, the only kind that ACP has: questions and plans come as such, too.

Allowing a question answers it with nothing, and a plan allowed in 0.34 counts as rejected: such
prompts can be shown and refused, but not answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clawtap_core import Effect, Kind, Option, PromptForm, Question, Response
from clawtap_core.screens import slugs
from clawtap_gemini.protocol.tool_calls import body_of, input_of, listed, text, title_of, tool_of

_QUESTION, _PLAN = "ask_user", "exit_plan_mode"
_ASKING = re.compile(r"Asking user: (?P<question>.*)", re.DOTALL)
_EFFECTS = {
    "allow_once": Effect.ALLOW_ONCE,
    "allow_always": Effect.ALLOW_ALWAYS,
    "reject_once": Effect.DENY,
    "reject_always": Effect.DENY,
}
CANCELLED = {"outcome": {"outcome": "cancelled"}}


@dataclass(frozen=True, slots=True)
class Permission:
    """A request that waits. `ids` are the CLI's ids of the options that can be chosen."""

    id: int | str
    form: PromptForm
    ids: Mapping[str, str]

    def result(self, response: Response) -> Mapping[str, Any] | None:
        """Return the reply for an answer; None where the protocol has none."""
        chosen = self.ids.get(response.selected_option or "")
        if chosen is not None:
            return {"outcome": {"outcome": "selected", "optionId": chosen}}
        return CANCELLED if response.decision == "deny" else None


def permission(request: int | str, params: Mapping[str, Any], *, plans: bool) -> Permission:
    """Read a request for permission. `plans`: allowing a plan approves it."""
    call = params.get("toolCall")
    call = call if isinstance(call, dict) else {}
    offers = listed(params, "options")
    names = slugs(text(offer, "name") for offer in offers)
    options = [
        Option(name, text(offer, "name"), _EFFECTS.get(text(offer, "kind"), Effect.OTHER))
        for name, offer in zip(names, offers, strict=True)
    ]
    ids = {name: text(offer, "optionId") for name, offer in zip(names, offers, strict=True)}
    form, answerable = _form(call, tuple(options), plans)
    answerable_values = {o.value for o in form.options if answerable or o.effect is Effect.DENY}
    return Permission(
        request, form, {name: cli_id for name, cli_id in ids.items() if name in answerable_values}
    )


def _form(
    call: Mapping[str, Any], options: tuple[Option, ...], plans: bool
) -> tuple[PromptForm, bool]:
    tool, (title, where) = tool_of(call), title_of(call)
    common: dict[str, Any] = {
        "title": title or tool or "The CLI asks for permission",
        "description": "\n".join(filter(None, (where, body_of(call)))),
        "tool_name": tool,
        "tool_call_id": text(call, "toolCallId") or None,
    }
    if tool == _QUESTION:
        match = _ASKING.fullmatch(title)
        question = Question(match["question"] if match else title, input_type="text")
        refusals = tuple(each for each in options if each.effect is Effect.DENY)
        return PromptForm(Kind.QUESTION, options=refusals, questions=(question,), **common), False
    if tool == _PLAN:
        return PromptForm(Kind.PLAN, options=options, **common), plans
    return PromptForm(Kind.PERMISSION, options=options, tool_input=input_of(call), **common), True
