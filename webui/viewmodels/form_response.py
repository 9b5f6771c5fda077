"""A form of a card as the answer that the API takes; also works where no script runs."""

from __future__ import annotations

from typing import Any

from werkzeug.datastructures import MultiDict

from clawtap_core.model import Prompt, Question, Response
from clawtap_core.schemas import RespondBodySchema, read_body


def response(prompt: Prompt, form: MultiDict[str, str]) -> Response:
    """What the form answers; BadRequest says what is wrong with it."""
    given: dict[str, Any] = {
        "requestId": prompt.request_id,
        "selectedOption": form.get("option"),
        "textValue": form.get("text"),
        "reason": (form.get("reason") or "").strip() or None,
        "answers": _answers(prompt.form.questions, form) or None,
        "notes": _notes(prompt.form.questions, form) or None,
    }
    if given["answers"]:
        # The button of a form says only that it is sent: the answers are the answer.
        given["selectedOption"] = None
    body = {name: _one_break(value) for name, value in given.items() if value is not None}
    found: Response = read_body(RespondBodySchema, body)
    return found


def _answers(questions: tuple[Question, ...], form: MultiDict[str, str]) -> dict[str, Any]:
    found = {str(index): _answer(question, index, form) for index, question in enumerate(questions)}
    return {key: answer for key, answer in found.items() if answer}


def _notes(questions: tuple[Question, ...], form: MultiDict[str, str]) -> dict[str, str]:
    given = {str(at): form.get(f"q{at}-note", "").strip() for at in range(len(questions))}
    return {key: _one_break(note) for key, note in given.items() if note}


def _answer(question: Question, index: int, form: MultiDict[str, str]) -> str | list[str]:
    picked = form.getlist(f"q{index}")
    other = (form.get(f"q{index}-other") or "").strip()
    labels = [label for label in picked if label]
    if other and (not labels or "" in picked):
        labels.append(other)
    labels = [_one_break(label) for label in labels]
    return labels if question.multi_select else (labels or [""])[0]


def _one_break(value: Any) -> Any:
    """Forms send line ends as CR LF; a CLI wants LF."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
