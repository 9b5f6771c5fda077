"""Events for the journal and the stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from clawtap_core.model import (
    Action,
    Actor,
    Event,
    Expect,
    Kind,
    Paste,
    Pause,
    Press,
    Prompt,
    QueuedMessage,
    Rule,
    Screen,
    ScreenEvent,
    Session,
    Step,
)
from clawtap_core.schemas import dump


def prompt_opened(prompt: Prompt, at: datetime) -> Event:
    """Return the event of a new prompt."""
    kind = "question_prompt" if prompt.form.kind is Kind.QUESTION else "approval_required"
    return _of_prompt(kind, prompt, at)


def prompt_updated(
    prompt: Prompt, at: datetime, steps: Sequence[Step] = (), withheld: str = ""
) -> Event:
    """Return the event of a prompt that changed, or that these steps answer, or did not."""
    secret = any(question.secret for question in prompt.form.questions)
    extra = _written([_step(step, secret) for step in steps], withheld) if steps else {}
    return _of_prompt("prompt_updated", prompt, at, extra)


def answered_by_hook(prompt: Prompt, at: datetime, via: str = "hook") -> Event:
    """Return the event of a prompt that a hook or daemon answers: nothing is typed."""
    return _of_prompt("prompt_updated", prompt, at, {"via": via})


def prompt_resolved(prompt: Prompt, at: datetime) -> Event:
    """Return the event of a prompt that ended."""
    return _of_prompt("prompt_resolved", prompt, at)


def session_status(session: Session, at: datetime) -> Event:
    """Return the event of a session's changed state, mode, title or numbers."""
    return Event("session_status", at, session.id, {"sessionId": session.id, **dump(session)})


def queue_update(session_id: str, queue: Sequence[QueuedMessage], at: datetime) -> Event:
    """Return the event of a changed queue."""
    data = {"sessionId": session_id, "queue": [dump(message) for message in queue]}
    return Event("queue_update", at, session_id, data)


def session_event(kind: str, session_id: str, at: datetime, **data: Any) -> Event:
    """Return any other event of a session."""
    return Event(kind, at, session_id, {"sessionId": session_id, **data})


def user_action(kind: str, session_id: str, at: datetime, actor: Actor, **data: Any) -> Event:
    """Return the event of something that a user did to a session."""
    if actor.device_id:
        data["deviceId"] = actor.device_id
    return session_event(kind, session_id, at, by=actor.by, device=actor.device, **data)


def control_action(action: Action, session_id: str, at: datetime, actor: Actor) -> Event:
    """Return the event of an interrupt, or of a switch of mode or model."""
    asked = {name: value for name in action.__slots__ if (value := getattr(action, name))}
    return user_action("action", session_id, at, actor, action=action.name, **asked)


def steps_typed(
    kind: str,
    session_id: str,
    at: datetime,
    steps: Sequence[Step],
    withheld: str = "",
    **data: Any,
) -> Event:
    """Return the event of steps that are about to be typed, or why these were not."""
    return session_event(kind, session_id, at, **data, **_written(steps_json(steps), withheld))


def _written(steps: list[dict[str, Any]], withheld: str) -> dict[str, Any]:
    return {"withheld": steps, "reason": withheld} if withheld else {"steps": steps}


def screen_changed(session_id: str, screen: Screen, at: datetime) -> ScreenEvent:
    """Return the event of a changed screen, which is never kept."""
    data = {"sessionId": session_id, "revision": screen.revision}
    return ScreenEvent("screen", at, session_id, data, screen=screen)


def rules_changed(kind: str, rule: Rule, at: datetime, actor: Actor) -> Event:
    """Return the event of a rule that was added or removed."""
    data = {"by": actor.by, "device": actor.device, "rule": dump(rule)}
    return Event(kind, at, None, data)


def _of_prompt(
    kind: str, prompt: Prompt, at: datetime, extra: Mapping[str, Any] | None = None
) -> Event:
    return Event(kind, at, prompt.session_id, {**dump(prompt), **(extra or {})})


def steps_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Return steps as the journal keeps them."""
    return [_step(step, False) for step in steps]


def _step(step: Step, secret: bool) -> dict[str, Any]:
    if isinstance(step, Press):
        return {"press": step.key, **({"deciding": True} if step.deciding else {})}
    if isinstance(step, Pause):
        return {"pause": step.seconds}
    text = "•••" if secret else step.text
    if isinstance(step, Expect):
        return {"gone" if step.gone else "expect": text}
    return {"paste" if isinstance(step, Paste) else "type": text}
