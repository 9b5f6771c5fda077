"""A program's question to a person, and the answer as text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from clawtap_core.errors import Conflict, ErrorCode, Unavailable
from clawtap_core.model import (
    BY_DEFAULT,
    Kind,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    Response,
)

RETRIES, RETRY_SECONDS = 120, 0.25


class Asking(Protocol):
    """The part of a Transport that asks questions."""

    def ask(
        self,
        form: PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> Prompt:
        """Ask something."""

    def wait(self, request_id: str, seconds: float) -> Prompt:
        """Return the prompt once it ends."""

    def withdraw(self, request_id: str) -> Prompt:
        """Withdraw it."""


def question(
    text: str,
    *,
    details: str = "",
    options: Sequence[str] = (),
    multiple: bool = False,
    own: bool = False,
    secret: bool = False,
) -> PromptForm:
    """Return a question with these options; `own` also accepts free text."""
    words = " ".join(text.split())
    choices = tuple(QuestionOption(label) for label in options)
    other = own or not options
    field = Question(words, options=choices, multi_select=multiple, other=other, secret=secret)
    return PromptForm(Kind.QUESTION, words[:500], details, questions=(field,))


def wait_patiently(transport: Asking, request_id: str, seconds: float) -> Prompt:
    """Return the prompt once it ends or after `seconds`; it outlives a restart of the server."""
    for _ in range(RETRIES):
        try:
            return transport.wait(request_id, seconds)
        except Unavailable:
            time.sleep(RETRY_SECONDS)
    return transport.wait(request_id, seconds)


def spoken(ended: Prompt) -> str:
    """Return the answer with one line for each label; raise Conflict without one."""
    resolution = ended.resolution
    if ended.state not in (PromptState.ANSWERED, PromptState.DENIED) or resolution is None:
        why = resolution.detail if resolution and resolution.detail else "nobody answered"
        raise Conflict(f"{ended.state.value}: {why}", code=ErrorCode(f"prompt_{ended.state.value}"))
    response = resolution.response or Response(ended.request_id)
    if ended.state is PromptState.DENIED:
        who = "default" if resolution.by == BY_DEFAULT else "user"
        return f"The {who} refused{f': {response.reason}' if response.reason else '.'}"
    if response.answers:
        return "\n".join(
            answer if isinstance(answer, str) else "\n".join(answer)
            for answer in response.answers.values()
        )
    option = ended.form.option(response.selected_option or "")
    return response.text_value or (option.label if option else "")
