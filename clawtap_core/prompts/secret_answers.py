"""Answers to secret questions, which are neither stored nor sent on."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import PromptForm, Response


def without_secret_answers(form: PromptForm, response: Response) -> Response:
    """Return the response as it may be stored."""
    secret = {str(index) for index, question in enumerate(form.questions) if question.secret}
    if not secret:
        return response
    kept = {key: answer for key, answer in response.answers.items() if key not in secret}
    notes = {key: note for key, note in response.notes.items() if key not in secret}
    return replace(response, answers=kept, notes=notes, text_value=None)
