"""A submitted form of a card as the API's response."""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from clawtap_core.model import Prompt, Question, Response
from clawtap_core.schemas import RespondBodySchema, read_body


def form_response(prompt: Prompt, form: MultiDict[str, str]) -> Response:
    """Return the response in a form; raises BadRequest."""
    questions = prompt.form.questions
    answers = {str(index): _answer(asked, index, form) for index, asked in enumerate(questions)}
    answers = {key: answer for key, answer in answers.items() if answer}
    notes = {
        str(index): (_text(form, f"q{index}-note") or "").strip() for index in range(len(questions))
    }
    body: dict[str, Any] = {
        "requestId": prompt.request_id,
        # The button of a form only sends it: where there are answers, they are the answer.
        "selectedOption": None if answers else form.get("option"),
        "textValue": _text(form, "text"),
        "reason": (_text(form, "reason") or "").strip() or None,
        "answers": answers or None,
        "notes": {key: note for key, note in notes.items() if note} or None,
    }
    filled = {name: value for name, value in body.items() if value is not None}
    response: Response = read_body(RespondBodySchema, filled)
    return response


def _answer(question: Question, index: int, form: MultiDict[str, str]) -> str | list[str]:
    picked = form.getlist(f"q{index}")
    other = (_text(form, f"q{index}-other") or "").strip()
    labels = [label.replace("\r\n", "\n") for label in picked if label]
    # The row of Other has no value: its text counts when that row, or nothing, is picked.
    if other and (not labels or "" in picked):
        labels.append(other)
    if question.multi_select:
        return labels
    return labels[0] if labels else ""


def _text(form: MultiDict[str, str], name: str) -> str | None:
    # Forms send line ends as CR LF; a CLI wants LF.
    value = form.get(name)
    return None if value is None else value.replace("\r\n", "\n")
