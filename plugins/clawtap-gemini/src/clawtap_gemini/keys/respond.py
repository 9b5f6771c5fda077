"""Answer a prompt, up to the review page after the last question."""

from __future__ import annotations

import unicodedata
from typing import Any

from clawtap_core import PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    answers_all,
    choose,
    has_next_page,
    label_on_page,
    open_question,
    page_by_page,
    select_many,
    write,
)
from clawtap_core.screens import ParsedPrompt
from clawtap_gemini.keys.profile import KEY_PROFILE, TRIES
from clawtap_gemini.screen.free_text import ALL
from clawtap_gemini.screen.prompt import parse_prompt
from clawtap_gemini.screen.questions import CANCEL
from clawtap_gemini.words import WORDS

_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_MARKS = ("Mn", "Mc", "Me")
_UNANSWERED = WORDS.pattern("respond.unanswered")


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress),
        follows=lambda parsed: has_next_page(prompt, parsed),
        review=_submit_review,
        answers_all=answers_all(prompt, response),
        back="Left",
        again=TRIES,
    )
    return page_by_page(prompt, parse_prompt(screen), progress, pages)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    if response.decision == "deny" and response.reason and parsed.form.takes_reason:
        return write(parsed, response.reason, progress, KEY_PROFILE)
    if response.decision == "deny":
        return KEY_PROFILE.decide("Escape") if parsed.escape_denies else None
    if parsed.review:
        return KEY_PROFILE.decide("Escape" if CANCEL in response.labels() else "Enter")
    if prompt.questions:
        return _answer_question(prompt, response, parsed, progress)
    if option := prompt.option(response.selected_option or ""):
        return choose(parsed, option.label, KEY_PROFILE) if not response.text_value else None
    if response.text_value and prompt.text_input:
        return write(parsed, response.text_value, progress, KEY_PROFILE)
    return None


def _answer_question(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    at = open_question(prompt, parsed)
    if at is None:
        return None
    question, labels = prompt.questions[at], response.labels(at)
    offers = {option.label for option in question.options}
    # The field keeps a mark of a letter that is typed in two characters, where it was taken out.
    own = (unicodedata.normalize("NFC", label) for label in labels if label not in offers)
    others = list(own)
    if any(map(_breaks_the_box, others)):
        return None
    offered = [label_on_page(question, parsed, label) for label in labels if label in offers]
    if question.multi_select:
        if not parsed.may_have_rows(offered):
            return None  # the rest alone would be another answer
        chosen = frozenset(offered)
        return select_many(
            parsed,
            lambda label: ALL in chosen or label in chosen,
            ", ".join(others),
            progress,
            KEY_PROFILE,
        )
    if question.options and not others:
        return choose(parsed, offered[0], KEY_PROFILE) if offered else None
    return write(parsed, others[0] if others else "", progress, KEY_PROFILE)


def _submit_review(parsed: ParsedPrompt) -> Steps | None:
    # A review with gaps is left to the user.
    return None if _UNANSWERED.search(parsed.form.description) else KEY_PROFILE.decide()


def _breaks_the_box(text: str) -> bool:
    """Return True if the CLI takes the text for wider or narrower than a terminal draws it.

    Its row then breaks in two, and nobody can read the prompt any more.
    """
    return any(char in _SKIN_TONES or unicodedata.category(char) in _MARKS for char in text)
