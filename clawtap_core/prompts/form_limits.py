"""Validate the forms that other programs ask, and complete them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.model import Effect, Kind, Option, PromptForm, Question, TextInput

TITLE, LABEL, TEXT, INPUT = 500, 500, 100_000, 200_000
OPTIONS, QUESTIONS = 50, 20
INPUT_TYPES = ("text", "number", "boolean", "email", "uri", "date")
APPROVE_OR_DENY = (
    Option("approve", "Approve", Effect.ALLOW_ONCE),
    Option("deny", "Deny", Effect.DENY),
)


def validate_form(form: PromptForm) -> PromptForm:
    """Return the form with a way to answer it; raise BadRequest if it cannot be asked.

    A question without options takes a text; anything else is approved or denied.
    """
    _check(form)
    if form.options or form.questions or form.text_input:
        return form
    if form.kind is Kind.QUESTION:
        return replace(form, text_input=TextInput())
    return replace(form, options=APPROVE_OR_DENY)


def _check(form: PromptForm) -> None:
    if form.kind is Kind.UNKNOWN:
        raise _refused("a prompt of the type unknown cannot be asked; choose another type")
    if not form.title.strip():
        raise _refused("title is required")
    if form.more_options or form.screen is not None:
        raise _refused("there is no screen that could be read for more")
    _short(("title", form.title, TITLE), ("description", form.description, TEXT))
    _short(("toolInput", json.dumps(form.tool_input or {}, default=str), INPUT))
    for option in form.options:
        _short(("option", option.label, LABEL), ("option", option.description or "", TEXT))
    _different("option", [option.label for option in form.options], OPTIONS)
    _different("option value", [option.value for option in form.options], OPTIONS)
    if len(form.questions) > QUESTIONS:
        raise _refused(f"not more than {QUESTIONS} questions can be asked at once")
    for question in form.questions:
        _check_question(question)


def _check_question(question: Question) -> None:
    if not question.question.strip():
        raise _refused("a question has no words")
    _short(("question", question.question, TEXT), ("header", question.header, LABEL))
    for option in question.options:
        _short(("option", option.label, LABEL), ("option", option.description or "", TEXT))
        _short(("preview", option.preview or "", TEXT))
    _different("option", [option.label for option in question.options], OPTIONS)
    if question.input_type not in (None, *INPUT_TYPES):
        raise _refused(
            f"no such inputType: {question.input_type!r:.40} (known: {', '.join(INPUT_TYPES)})"
        )


def _short(*texts: tuple[str, str, int]) -> None:
    for name, text, most in texts:
        if len(text) > most:
            raise _refused(f"{name} is longer than {most} characters")


def _different(what: str, names: Sequence[str], most: int) -> None:
    if len(names) > most:
        raise _refused(f"there are more than {most} options")
    if not all(name.strip() for name in names):
        raise _refused(f"an {what} is blank")
    folded = [name.strip().casefold() for name in names]
    if len(set(folded)) < len(folded):
        raise _refused(f"{what}s must be unique")


def _refused(why: str) -> BadRequest:
    return BadRequest(why, code=ErrorCode.BAD_PROMPT)
