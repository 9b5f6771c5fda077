"""The default answer of a program's prompt, given when nobody answers in time."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.model import Effect, PromptForm, Response
from clawtap_core.prompts.validation import validate_response

_EFFECTS = {"yes": Effect.ALLOW_ONCE, "no": Effect.DENY}


def validate_default(form: PromptForm, default: str, seconds: float | None) -> str:
    """Return a default as the form has it, by its label; raise BadRequest if it does not fit."""
    if not seconds:
        raise BadRequest("a default answer needs the time after which it is given")
    if len(form.questions) > 1 or any(question.secret for question in form.questions):
        raise BadRequest(
            "a default answers one question, which is not a secret", code=ErrorCode.BAD_PROMPT
        )
    valid = validate_response(form, default_response(form, default))
    if option := form.option(valid.selected_option or ""):
        return option.label
    (label,) = valid.labels() if len(valid.labels()) == 1 else (default,)
    return label


def default_response(form: PromptForm, default: str, request_id: str = "") -> Response:
    """Return the response that a default stands for: an option, "yes" or "no", or a text."""
    response = Response(request_id)
    folded = default.strip().casefold()
    for option in form.options:
        if folded in (option.value.casefold(), option.label.strip().casefold()):
            return replace(response, selected_option=option.value)
    decided = form.with_effect(_EFFECTS[folded]) if folded in _EFFECTS else None
    if decided:
        return replace(response, selected_option=decided.value)
    if form.text_input:
        return replace(response, text_value=default)
    return replace(response, selected_option=default)
