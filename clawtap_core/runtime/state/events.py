"""What happened, as events for the journal and the stream."""

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
    Screen,
    Session,
    Step,
)
from clawtap_core.schemas import dump


def appeared(prompt: Prompt, at: datetime) -> Event:
    """A prompt waits."""
    kind = "question_prompt" if prompt.form.kind is Kind.QUESTION else "approval_required"
    return _of_prompt(kind, prompt, at)


def updated(prompt: Prompt, at: datetime, steps: Sequence[Step] = ()) -> Event:
    """More is known of a prompt, or it is being answered, by these steps."""
    secret = any(question.secret for question in prompt.form.questions)
    extra = {"steps": [_step(step, secret) for step in steps]} if steps else {}
    return _of_prompt("prompt_updated", prompt, at, extra)


def by_hook(prompt: Prompt, at: datetime, via: str = "hook") -> Event:
    """A prompt is being answered by the hook that waits for it, or a daemon: nothing is typed."""
    return _of_prompt("prompt_updated", prompt, at, {"via": via})


def resolved(prompt: Prompt, at: datetime) -> Event:
    """A prompt ended."""
    return _of_prompt("prompt_resolved", prompt, at)


def session_status(session: Session, at: datetime) -> Event:
    """A session's state, mode, title or numbers changed."""
    return Event("session_status", at, session.id, {"sessionId": session.id, **dump(session)})


def queue_update(session_id: str, queue: Sequence[QueuedMessage], at: datetime) -> Event:
    """The queue of a session changed."""
    data = {"sessionId": session_id, "queue": [dump(message) for message in queue]}
    return Event("queue_update", at, session_id, data)


def noted(kind: str, session_id: str, at: datetime, **data: Any) -> Event:
    """Anything else that happened to a session."""
    return Event(kind, at, session_id, {"sessionId": session_id, **data})


def done(kind: str, session_id: str, at: datetime, actor: Actor, **data: Any) -> Event:
    """Something that somebody did to a session."""
    return noted(kind, session_id, at, by=actor.by, device=actor.device, **data)


def acted(action: Action, session_id: str, at: datetime, actor: Actor) -> Event:
    """Somebody interrupts a session, or switches its mode or model."""
    asked = {name: value for name in action.__slots__ if (value := getattr(action, name))}
    return done("action", session_id, at, actor, action=type(action).__name__, **asked)


def typed(kind: str, session_id: str, at: datetime, steps: Sequence[Step], **data: Any) -> Event:
    """Steps that are about to be typed into a session's pane."""
    return noted(kind, session_id, at, **data, steps=described(steps))


def screen_changed(session_id: str, screen: Screen, at: datetime) -> Event:
    """What a watched pane shows; the server renders it. Streamed, never kept."""
    return Event("screen", at, session_id, {"sessionId": session_id, "revision": screen.revision})


def _of_prompt(
    kind: str, prompt: Prompt, at: datetime, extra: Mapping[str, Any] | None = None
) -> Event:
    return Event(kind, at, prompt.session_id, {**dump(prompt), **(extra or {})})


def described(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Steps as the journal keeps them."""
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
