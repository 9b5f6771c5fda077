"""Build the decision on a tool call, which the CLI takes from hooks and over its protocol alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_claude.screen.block import CHAT
from clawtap_claude.tool_call import questions_of
from clawtap_core import Effect, Kind, PromptForm, Response

Decision = Mapping[str, Any]
DENIED = "User denied tool execution"


def decide(form: PromptForm, response: Response, refusal: Decision) -> Decision | None:
    """Return the decision, or None for an answer that has no field in it.

    `refusal` is added to a denial that has no reason.
    """
    option = form.option(response.selected_option or "")
    if response.decision == "deny" or (option and option.effect is Effect.DENY):
        reason = {"message": response.reason} if response.reason else refusal
        return {"behavior": "deny", **reason}
    if form.tool_input is None:
        return None
    if form.kind is Kind.PLAN and response.text_value:
        return {"behavior": "deny", "message": response.text_value}
    if form.kind is Kind.QUESTION and not option:
        return _allow_with_answers(form, response)
    if option is None or response.text_value:
        return None
    allowed = {"behavior": "allow", "updatedInput": dict(form.tool_input)}
    if option.effect is Effect.ALLOW_ONCE:
        return allowed
    # An option that only the screen offers has no data, and is left to keys.
    return {**allowed, "updatedPermissions": [dict(option.data)]} if option.data else None


def _allow_with_answers(form: PromptForm, response: Response) -> Decision | None:
    # The CLI expects answers by the words of their question, and several labels in one text.
    answers = {
        question.question: answer if isinstance(answer, str) else ", ".join(answer)
        for at, question in enumerate(form.questions)
        if (answer := response.answers.get(str(at)))
    }
    if len(answers) < len(form.questions) or _chooses_extra_row(form, response):
        return None
    notes = {
        question.question: {"notes": note}
        for at, question in enumerate(form.questions)
        if (note := response.notes.get(str(at)))
    }
    noted = {"annotations": notes} if notes else {}
    answered = {**(form.tool_input or {}), "answers": answers, **noted}
    return {"behavior": "allow", "updatedInput": answered}


def _chooses_extra_row(form: PromptForm, response: Response) -> bool:
    """Return True for the label of a row that the call does not have: "Chat about this"."""
    called = questions_of((form.tool_input or {}).get("questions"))
    for at, question in enumerate(form.questions):
        offered = {CHAT, *(option.label for option in question.options)}
        if at < len(called):
            offered -= {option.label for option in called[at].options}
        if offered.intersection(response.labels(at)):
            return True
    return False
