"""Call the hooks of an adapter as the core does, with all that can be answered or asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clawtap_core.model import (
    Interrupt,
    PromptForm,
    Response,
    Screen,
    Steps,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.testing.responses import every_response


def look(hooks: Any, screen: Screen) -> PromptForm | None:
    """Read a screen; return its prompt."""
    form: PromptForm | None = hooks.detect_prompt(screen=screen)
    hooks.detect_state(screen=screen, previous=None)
    return form


def use(hooks: Any, screen: Screen, form: PromptForm | None) -> Iterator[tuple[Response, Steps]]:
    """Answer, expand, write and control; yield each answer with its first steps."""
    if form:
        for _, response in every_response(form):
            steps = hooks.respond(prompt=form, response=response, screen=screen, progress=None)
            if steps is not None:
                yield response, steps
        hooks.reveal(prompt=form, screen=screen, seen=[form], progress=None)
    hooks.compose(text="a message", screen=screen, progress=None)
    for action in (Interrupt(), SwitchMode("plan"), SwitchModel("a model")):
        hooks.control(action=action, screen=screen, progress=None)


def asks(form: PromptForm | None) -> object:
    """Return what a form asks, without facts about the rest of the screen."""
    return form and (form.kind, form.title, form.options, form.questions, form.text_input)
