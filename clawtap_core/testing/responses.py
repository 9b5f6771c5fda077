"""All possible answers to a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from clawtap_core.model import Answer, PromptForm, Question, Response

_TEXT = "words of my own"


def every_response(form: PromptForm) -> Iterator[tuple[str, Response]]:
    """Yield each option, text and answer that the form offers, with a name."""
    for option in form.options:
        yield option.label, Response("r", selected_option=option.value)
    if form.text_input:
        yield "text", Response("r", text_value=_TEXT)
    for at, question in enumerate(form.questions):
        for answer in _answers(question):
            rest = {str(i): next(_answers(other)) for i, other in enumerate(form.questions)}
            yield f"question {at}: {answer}", Response("r", answers={**rest, str(at): answer})


def _answers(question: Question) -> Iterator[Answer]:
    labels = [option.label for option in question.options]
    if question.multi_select:
        yield from ((label,) for label in labels)
        yield tuple(labels)
    else:
        yield from labels
    if question.other or not labels:
        yield (_TEXT,) if question.multi_select else _TEXT
