"""What a user does to a session beside answering: keys, a look at more options, switches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawtap_core.agent import events
from clawtap_core.agent.delivery import Delivered, Delivery, Guard
from clawtap_core.agent.guards import BusyGuard, ComposerGuard, PromptGuard
from clawtap_core.agent.ledger import Ledger
from clawtap_core.agent.live import LiveSession
from clawtap_core.errors import BadRequest, ClawTapError, Conflict, Impossible, NotConfirmed
from clawtap_core.model import (
    Action,
    Actor,
    Interrupt,
    Press,
    Previous,
    Prompt,
    PromptForm,
    PromptState,
    Screen,
    Steps,
    is_key,
)

KEYS_AT_MOST = 50
AFTER_KEYS = 0.4


def keys(
    ledger: Ledger, live: LiveSession, actor: Actor, revision: int, names: Sequence[str], text: str
) -> Screen:
    """Press keys or type a line, if the screen is still the one that the user saw."""
    _check_keys(names, text)
    with live.turn:
        screen = live.pane.look()
        if screen.revision != revision:
            raise Conflict(
                "the screen changed; nothing was typed",
                code="screen_changed",
                details={"revision": screen.revision},
            )
        if not live.pane.runs_cli():
            raise Conflict("the CLI is not in the foreground of its pane", code="cli_not_there")
        told = events.done(
            "keys", live.id, ledger.now(), actor, keys=list(names), characters=len(text)
        )
        ledger.write([told])
        live.keys_pressed(actor)
        if text:
            live.pane.type(text)
        for name in names:
            live.pane.press(name)
        return live.pane.wait(revision, AFTER_KEYS)


def _check_keys(names: Sequence[str], text: str) -> None:
    if not names and not text:
        raise BadRequest("keys or text is required", code="keys_required")
    if len(names) > KEYS_AT_MOST:
        raise BadRequest(f"at most {KEYS_AT_MOST} keys at once", code="too_many_keys")
    if wrong := [name for name in names if not is_key(name)]:
        raise BadRequest(f"not a key: {wrong[0]!r}", code="bad_key")
    if not text.isprintable():
        raise BadRequest("text is one line, without control characters", code="bad_text")


def expand(live: LiveSession, prompt: Prompt) -> Prompt:
    """Move through a list that scrolls and back; the prompt with all its options."""
    if prompt.state is not PromptState.PENDING:
        raise Conflict("this prompt is no longer open", code="already_answered")
    if not prompt.form.more_options:
        return prompt
    seen: list[PromptForm] = []
    adapter = live.adapter

    def more(screen: Screen, progress: Any) -> Steps | None:
        if form := adapter.detect_prompt(screen):
            seen.append(form)
        steps = adapter.reveal(prompt.form, screen, tuple(seen), progress)
        return None if steps and _decides(steps) else steps

    delivery = _run(live, PromptGuard(adapter, prompt.form), more)
    if delivery.form is None:
        raise NotConfirmed("the list could not be read whole", code="not_expanded")
    return live.update(delivery.form) or prompt


def act(ledger: Ledger, live: LiveSession, action: Action, actor: Actor) -> None:
    """Interrupt, or switch mode or model; only from the state in which it is safe."""
    guard: Guard = (
        BusyGuard(live.adapter, Previous(live.seen, 0.0))
        if isinstance(action, Interrupt)
        else ComposerGuard(live.adapter)
    )
    name = type(action).__name__
    values = {key: getattr(action, key) for key in action.__slots__}
    ledger.write([events.done("action", live.id, ledger.now(), actor, action=name, **values)])
    _run(
        live,
        guard,
        lambda screen, progress: live.adapter.control(action, screen, progress),
        what=name,
    )


def _run(live: LiveSession, guard: Guard, more: Any, what: str = "expand") -> Delivery:
    delivery = Delivery(live.pane, guard, more, lambda steps: None)
    with live.turn:
        live.hold()
        try:
            outcome = delivery.run()
        finally:
            live.let_go()
    if outcome is not Delivered.DONE:
        raise _refused(live, outcome, what)
    return delivery


def _refused(live: LiveSession, outcome: Delivered, what: str) -> ClawTapError:
    if outcome is Delivered.CHANGED:
        state = live.seen.state.value
        return Conflict(
            f"not possible now: the session is {state}, or its composer holds a draft",
            code="not_now",
            details={"state": state},
        )
    if outcome is Delivered.NOT_CONFIRMED:
        return NotConfirmed("the keys were sent, but nothing was seen to come of them")
    name = live.adapter.info.name
    return Impossible(f"{name} cannot do this here: {what}", code="cannot_act")


def _decides(steps: Steps) -> bool:
    return any(isinstance(step, Press) and step.deciding for step in steps.steps)
