"""Validate an answer against its prompt before anything is typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from clawtap_core.errors import BadRequest, ErrorCode, Impossible
from clawtap_core.model import Answer, Effect, Kind, PromptForm, Question, Response
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.labels import as_drawn
from clawtap_core.prompts.sanitize import strip_control_chars

# Whether an answer still fits what a prompt asks by now.
FormCheck = Callable[[PromptForm], bool]

_EFFECTS = {"approve": Effect.ALLOW_ONCE, "deny": Effect.DENY}


def validate_response(form: PromptForm, response: Response) -> Response:
    """Return the response in normal form: option by value, answers by label.

    Raises BadRequest for answers that are not offered, missing or of the wrong kind, Impossible
    if the prompt has no option of the requested effect.
    """
    if form.kind is Kind.UNKNOWN:
        raise Impossible(
            "this prompt was not recognised; answer it in its terminal (clawtap attach)"
            " or with the key pad on its card",
            code=ErrorCode.UNKNOWN_PROMPT,
        )
    response = _sanitize(response)
    if response.decision and response.selected_option is not None:
        response = _drop_agreeing_decision(form, response)
    if response.decision:
        response = _apply_decision(form, response)
        if response.selected_option is None:
            return response
    if form.questions and not (response.selected_option and form.option(response.selected_option)):
        return _normal_answers(form, response)
    if response.answers or response.notes:
        raise BadRequest(
            "this prompt has no questions; choose one of its options", code=ErrorCode.WRONG_KIND
        )
    return _check_option_or_text(form, response)


def any_form(form: PromptForm) -> bool:
    """Return True: a person saw what they answer, and the prompt's identity is enough."""
    return True


def _sanitize(response: Response) -> Response:
    text, reason = response.text_value, response.reason
    return replace(
        response,
        text_value=None if text is None else strip_control_chars(text),
        reason=None if reason is None else strip_control_chars(reason),
        notes={
            key: strip_control_chars(note) for key, note in response.notes.items() if note.strip()
        },
    )


def is_denial(form: PromptForm, response: Response) -> bool:
    """Return True if a validated response denies the prompt."""
    option = form.option(response.selected_option or "")
    return response.decision == "deny" or (option is not None and option.effect is Effect.DENY)


def _drop_agreeing_decision(form: PromptForm, response: Response) -> Response:
    """Return the response by its option alone, if the decision that came along means the same."""
    option = form.option(response.selected_option or "")
    denies = option is not None and option.effect is Effect.DENY
    if denies == (response.decision == "deny") or not (option or form.questions):
        return replace(response, decision=None)
    given = option.label if option else response.selected_option
    raise BadRequest(
        f"the decision {response.decision!r} and the option {given!r} contradict each other;"
        " give one of them",
        code=ErrorCode.BAD_DECISION,
    )


def _apply_decision(form: PromptForm, response: Response) -> Response:
    effect = _EFFECTS.get(response.decision or "")
    if effect is None:
        raise BadRequest("decision must be approve or deny", code=ErrorCode.BAD_DECISION)
    if option := form.with_effect(effect):
        return replace(response, selected_option=option.value, decision=None)
    # Many CLIs refuse with Escape and have no option for it; the adapter knows the key.
    if effect is Effect.DENY:
        return replace(response, selected_option=None, answers={}, notes={}, text_value=None)
    if form.questions:
        raise BadRequest("this prompt is a question; answer it", code=ErrorCode.WRONG_KIND)
    offered = [option.label for option in form.options]
    raise Impossible(
        f"this prompt has no option that allows once; name one (offered: {_listed(offered)})",
        code=ErrorCode.NO_SUCH_EFFECT,
    )


def _check_option_or_text(form: PromptForm, response: Response) -> Response:
    if response.text_value is not None and form.text_input is None:
        raise BadRequest("this prompt does not take text", code=ErrorCode.WRONG_KIND)
    if response.selected_option is None:
        if response.text_value is None or not response.text_value.strip():
            raise BadRequest("an option or a text is required", code=ErrorCode.ANSWER_REQUIRED)
        return response
    option = form.option(response.selected_option)
    if option is None:
        raise _not_offered(
            response.selected_option,
            [option.label for option in form.options],
            more=form.more_options,
        )
    return replace(response, selected_option=option.value)


def _normal_answers(form: PromptForm, response: Response) -> Response:
    raw = dict(response.answers)
    if not raw:  # an option or a text answers the only question
        only = response.selected_option or response.text_value
        if only is None or len(form.questions) != 1:
            raise BadRequest("answers are required", code=ErrorCode.ANSWER_REQUIRED)
        raw = {"0": only}
    if unknown := sorted(set(raw) - {str(index) for index in range(len(form.questions))}):
        raise BadRequest(f"no such question: {unknown[0]!r}", code=ErrorCode.NO_SUCH_QUESTION)
    answers: dict[str, Answer] = {}
    for index, question in enumerate(form.questions):
        name = f"question {index} ({question.header or question.question})"
        answer = _normal_answer(name, question, raw.get(str(index), ""), more=form.more_options)
        if answer:
            answers[str(index)] = answer
        elif question.required:
            raise BadRequest(f"{name} has no answer", code=ErrorCode.ANSWER_REQUIRED)
    _check_notes(form, response, answers)
    return replace(response, selected_option=None, text_value=None, answers=answers)


def _check_notes(form: PromptForm, response: Response, answers: Mapping[str, Answer]) -> None:
    for key in response.notes:
        if key not in answers:
            raise BadRequest(
                f"question {key} has a note but no answer", code=ErrorCode.ANSWER_REQUIRED
            )
        if not form.questions[int(key)].notes:
            raise BadRequest(f"question {key} does not take a note", code=ErrorCode.WRONG_KIND)


def _normal_answer(name: str, question: Question, answer: Answer, *, more: bool) -> Answer:
    # Forms and scripts may send several labels as one JSON text.
    if isinstance(answer, str) and question.multi_select and answer.startswith("["):
        answer = _json_labels(answer)
    offered = {option.label for option in question.options}
    texts = [answer] if isinstance(answer, str) else answer
    labels = [
        text if text in offered else _offered_label(question, text)
        for text in texts
        # An option may be labelled with blanks alone.
        if strip_control_chars(text).strip() or (text and text in offered)
    ]
    others = [label for label in labels if label not in offered]
    if others and question.options and not question.other:
        offers = [option.label for option in question.options]
        raise _not_offered(others[0], offers, more=more)
    if question.multi_select:
        return tuple(dict.fromkeys(labels))
    if len(labels) > 1:
        raise BadRequest(f"{name} takes one answer, not {len(labels)}", code=ErrorCode.WRONG_KIND)
    return labels[0] if labels else ""


def _offered_label(question: Question, text: str) -> str:
    """Return the label that the text names in other case or as a terminal draws it, or the text."""
    labels = [option.label for option in question.options]
    own_case = text.strip().casefold()
    # The first of several labels that differ in case only wins.
    if named := next((label for label in labels if label.casefold() == own_case), None):
        return named
    named_alike = {label for label in labels if _as_compared(label) == _as_compared(text)}
    if len(named_alike) == 1:
        return named_alike.pop()
    own_words = strip_control_chars(text)
    if own_words in named_alike:
        # It was written as neither of them: with a tab, where one has a blank.
        raise _not_offered(text, labels, more=False)
    return own_words


def _as_compared(text: str) -> str:
    """Return the text without what a terminal drops or adds: invisible signs, blanks of a wrap."""
    return squeeze(as_drawn(text)).casefold()


def _json_labels(text: str) -> Answer:
    try:
        labels = json.loads(text)
    except ValueError:
        return text
    if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
        return tuple(labels)
    return text


def _not_offered(label: str, offered: list[str], *, more: bool) -> BadRequest:
    hidden = "; the list hides more, expand it first" if more else ""
    return BadRequest(
        f"{label!r} is not offered (offered: {_listed(offered)}{hidden})",
        code=ErrorCode.NOT_OFFERED,
        details={"offered": offered},
    )


def _listed(labels: list[str]) -> str:
    # "Yes, and don't ask again" would read as two.
    return ("; " if any("," in label for label in labels) else ", ").join(labels) or "nothing"
