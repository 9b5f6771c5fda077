"""Permissions: the one thing that ACP asks. Questions and plans come as permissions too.

A question allowed like that is answered with nothing, and a plan allowed in 0.34 counts as
rejected: such prompts can be shown and refused, but not answered.
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
    """A request that waits. `ids`: what the CLI calls the options that can be chosen."""

    id: int | str
    form: PromptForm
    ids: Mapping[str, str]

    def result(self, response: Response) -> Mapping[str, Any] | None:
        """The reply for an answer; None where the protocol cannot carry it."""
        chosen = self.ids.get(response.selected_option or "")
        if chosen is not None:
            return {"outcome": {"outcome": "selected", "optionId": chosen}}
        return CANCELLED if response.decision == "deny" else None


def permission(request: int | str, params: Mapping[str, Any], *, plans: bool) -> Permission:
    """A request for permission. `plans`: whether an allowed plan is approved."""
    call = params.get("toolCall")
    call = call if isinstance(call, dict) else {}
    offered = listed(params, "options")
    names = slugs(text(each, "name") for each in offered)
    options = [
        Option(name, text(each, "name"), _EFFECTS.get(text(each, "kind"), Effect.OTHER))
        for name, each in zip(names, offered, strict=True)
    ]
    ids = {name: text(each, "optionId") for name, each in zip(names, offered, strict=True)}
    form, answerable = _form(call, tuple(options), plans)
    kept = {o.value for o in form.options if answerable or o.effect is Effect.DENY}
    return Permission(request, form, {name: of for name, of in ids.items() if name in kept})


def _form(
    call: Mapping[str, Any], options: tuple[Option, ...], plans: bool
) -> tuple[PromptForm, bool]:
    tool, (title, where) = tool_of(call), title_of(call)
    about: dict[str, Any] = {
        "title": title or tool or "The CLI asks for permission",
        "description": "\n".join(filter(None, (where, body_of(call)))),
        "tool_name": tool,
        "tool_call_id": text(call, "toolCallId") or None,
    }
    if tool == _QUESTION:
        asked = _ASKING.fullmatch(title)
        question = Question(asked["question"] if asked else title, input_type="text")
        refusals = tuple(each for each in options if each.effect is Effect.DENY)
        return PromptForm(Kind.QUESTION, options=refusals, questions=(question,), **about), False
    if tool == _PLAN:
        return PromptForm(Kind.PLAN, options=options, **about), plans
    return PromptForm(Kind.PERMISSION, options=options, tool_input=input_of(call), **about), True
