"""Keys, expanding a list, interrupting, and switching mode or model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    ErrorCode,
    Impossible,
    NotConfirmed,
)
from clawtap_core.host import Adapter
from clawtap_core.model import (
    Action,
    Actor,
    Event,
    Interrupt,
    Pause,
    Previous,
    Prompt,
    PromptForm,
    PromptState,
    Screen,
    SessionState,
    Step,
    Steps,
    SwitchMode,
    SwitchModel,
    is_key,
)
from clawtap_core.runtime.delivery.api import Delivered, Guard, Next
from clawtap_core.runtime.delivery.executor import Delivery, look_until, reason_withheld
from clawtap_core.runtime.delivery.guards import BusyGuard, ComposerGuard, PromptGuard
from clawtap_core.runtime.panes.session import COMPOSER_COVERED, PaneSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

KEYS_AT_MOST = 50
_MOMENT = 0.1
_KEYS = {
    Interrupt.name: "an interrupt",
    SwitchMode.name: "the keys that switch the mode",
    SwitchModel.name: "the keys that switch the model",
}


def keys(
    store: StateStore,
    session: PaneSession,
    actor: Actor,
    revision: int,
    names: Sequence[str],
    text: str,
) -> Screen:
    """Press keys or type a line, if the screen is still the one that the user saw."""
    _check_keys(names, text)
    with session.typing():
        screen = look_until(
            session.pane, lambda now: session.shown.same(revision, now), session.timings.repaint
        )
        if screen is None:
            raise Conflict(
                "the screen changed; nothing was typed",
                code=ErrorCode.SCREEN_CHANGED,
                details={"revision": session.pane.look().revision},
            )
        if not session.pane.runs_cli():
            raise Conflict(
                "another program is in the foreground of the pane", code=ErrorCode.CLI_NOT_THERE
            )
        pressed = {"keys": list(names), "characters": len(text)}
        store.commit([events.user_action("keys", session.id, store.now(), actor, **pressed)])
        session.current_prompt.keys_pressed(session.pane.desk_keys, actor)
        if text:
            session.pane.type(text)
        for name in names:
            session.pane.press(name)
        return session.shown.add(
            session.pane.wait(screen.revision, session.timings.keys_take_effect)
        )


def _check_keys(names: Sequence[str], text: str) -> None:
    if not names and not text:
        raise BadRequest("keys or text are required", code=ErrorCode.KEYS_REQUIRED)
    if len(names) > KEYS_AT_MOST:
        raise BadRequest(
            f"at most {KEYS_AT_MOST} keys can be pressed at once", code=ErrorCode.TOO_MANY_KEYS
        )
    if wrong := [name for name in names if not is_key(name)]:
        raise BadRequest(f"not a key: {wrong[0]!r}", code=ErrorCode.BAD_KEY)
    if not text.isprintable():
        raise BadRequest(
            "text must be one line without control characters", code=ErrorCode.BAD_TEXT
        )


def expand(store: StateStore, session: PaneSession, prompt: Prompt) -> Prompt:
    """Show what the screen hides of a prompt: options of a long list, the rest of a cut text."""
    if prompt.state is not PromptState.PENDING:
        raise _no_longer(prompt)
    form = prompt.form
    if not (form.more_options or (form.truncated and form.expandable)):
        return prompt
    seen: list[PromptForm] = []
    adapter = session.adapter

    def more(screen: Screen, progress: Any) -> Steps | None:
        if form := adapter.detect_prompt(screen):
            seen.append(form)
        steps = adapter.reveal(prompt.form, screen, tuple(seen), progress)
        # Reading a list must not answer it, so an adapter that tries to is stopped.
        return None if steps and steps.deciding else steps

    with session.typing():
        guard = PromptGuard(
            adapter, prompt.form, sighting=session.sighting, timings=session.timings
        )
        delivery = _delivery(store, session, guard, more, "expand", "")
        shown = session.prompt and session.prompt.request_id == prompt.request_id
        outcome = delivery.run() if shown else Delivered.CHANGED
        opened = delivery.form
        whole = session.current_prompt.update(prompt.request_id, opened) if opened else None
    if outcome is Delivered.CHANGED:
        raise _no_longer(store.find_prompt(prompt.request_id))
    if whole is None:
        raise NotConfirmed(
            "the whole prompt could not be read; look at it in its terminal",
            code=ErrorCode.NOT_EXPANDED,
        )
    return whole


def check_action(adapter: Adapter, action: Action) -> None:
    """Raise BadRequest for a mode that the CLI does not have, or a model that is not one line."""
    if isinstance(action, SwitchMode):
        offered = {choice.id for choice in adapter.info.permission_modes}
        if action.mode not in offered:
            raise BadRequest(
                f"no such permission mode: {action.mode!r} (offered: {', '.join(sorted(offered))})",
                code=ErrorCode.UNKNOWN_PERMISSION_MODE,
            )
    if isinstance(action, SwitchModel) and not action.model.isprintable():
        raise BadRequest("a model must be one line of text", code=ErrorCode.BAD_MODEL)


def perform(store: StateStore, session: PaneSession, action: Action, actor: Actor) -> None:
    """Interrupt, or switch mode or model, only from a state in which it is safe."""
    name, patience = action.name, 0.0
    asked = events.control_action(action, session.id, store.now(), actor)
    if isinstance(action, Interrupt):
        action, patience = Interrupt(session.sent), session.timings.turn_begins

    def more(screen: Screen, progress: Any) -> Steps | None:
        steps = session.adapter.control(action, screen, progress)
        if steps is None and time.monotonic() < until:
            return Steps((Pause(_MOMENT),), progress=progress)
        return steps

    with session.typing(actor=actor):
        until, key = time.monotonic() + patience, _KEYS[name]
        guard: Guard = (
            BusyGuard(session.adapter, Previous(session.seen, 0.0))
            if isinstance(action, Interrupt)
            else ComposerGuard(session.adapter, timings=session.timings)
        )
        # What is refused before its first key did not happen: the conversation must not report it.
        delivery = _delivery(store, session, guard, more, name, key, first=asked)
        outcome = delivery.run()
        if outcome is Delivered.DONE and not delivery.journalled:
            store.commit([asked])
    if outcome is not Delivered.DONE:
        raise _refused(session, outcome, name, reason_withheld(delivery))


def _delivery(
    store: StateStore,
    session: PaneSession,
    guard: Guard,
    more: Next,
    what: str,
    own_key: str,
    *,
    first: Event | None = None,
) -> Delivery:
    def journal(steps: Sequence[Step], *, withheld: str = "") -> None:
        typed = events.steps_typed(
            "action_typed", session.id, store.now(), steps, withheld, action=what
        )
        before = [first] if first and not delivery.journalled and not withheld else []
        store.commit([*before, typed])

    delivery: Delivery = session.delivery(guard, more, journal, own_key=own_key)
    return delivery


def _no_longer(prompt: Prompt) -> Conflict:
    state = prompt.state.value
    return Conflict(
        f"this prompt cannot be expanded: it is {state.replace('_', ' ')}"
        if prompt.state is not PromptState.PENDING
        else "the screen changed while the list was read; try again",
        code=ErrorCode.PROMPT_CHANGED,
        details={"requestId": prompt.request_id, "state": state},
    )


def _why_not_stopped(session: PaneSession) -> str:
    """Return why an interrupt was refused, by what the pane shows: a turn may go on unseen."""
    screen, before = session.pane.look(), Previous(session.seen, 0.0)
    covered = session.adapter.detect_state(screen, before) is None
    if covered or session.seen.state is SessionState.BUSY:
        return COMPOSER_COVERED
    return f"{session.adapter.info.name} is {session.seen.state.value}: there is nothing to stop"


def _refused(session: PaneSession, outcome: Delivered, what: str, withheld: str) -> ClawTapError:
    if outcome is Delivered.CHANGED:
        state, name = session.seen.state.value, session.adapter.info.name
        return Conflict(
            f"{_why_not_stopped(session)}{withheld}"
            if what == Interrupt.name
            else f"you can change this when {name} is idle and its composer is empty{withheld}",
            code=ErrorCode.NOT_NOW,
            details={"state": state},
        )
    if outcome in (Delivered.NOT_CONFIRMED, Delivered.GONE):
        return NotConfirmed("the keys were sent, but had no visible effect")
    name, why = session.adapter.info.name, ""
    if what == Interrupt.name:
        why = "; something else in the terminal would take the key"
    what = what.replace("_", " ")
    return Impossible(
        f"{name} cannot do this here: {what}{why}{withheld}", code=ErrorCode.CANNOT_ACT
    )
