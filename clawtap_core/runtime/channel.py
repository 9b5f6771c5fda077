"""The interface of the four kinds of sessions: terminal, protocol, hook and external."""

from __future__ import annotations

from typing import Protocol

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible
from clawtap_core.model import Action, Actor, LaunchRequest, Prompt, Response, Session, SessionState
from clawtap_core.prompts.validation import FormCheck, any_form
from clawtap_core.runtime.actions.message_target import MessageTarget

TERMINAL, PROTOCOL, HOOK, EXTERNAL = "terminal", "protocol", "hook", "external"
RELEASED = "released"  # the detail of a session that ended while its CLI runs on


class Channel(Protocol):
    """The sessions that are reached in one way."""

    def start(self, request: LaunchRequest) -> tuple[Session, bool]:
        """Start a session; return it, and whether its arguments carried its first message."""

    def end(self, session: Session, actor: Actor) -> None:
        """End a session, or remove an ended one."""

    def respond(
        self, prompt: Prompt, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Deliver an answer and return the resolved prompt, if the answer still `fits` it."""

    def took_reason(self, prompt: Prompt) -> bool:
        """Return True if the reason went with the answer, or cannot be sent as a message."""

    def control(self, session: Session, action: Action, actor: Actor) -> None:
        """Interrupt, or switch mode or model."""

    def message_target(self, session: Session) -> MessageTarget | None:
        """Return the target of messages, or None; Impossible if this channel never has one."""

    def wake(self, session: Session) -> bool:
        """Restart the CLI of an ended session if possible, and return True."""

    def recover(self) -> None:
        """Recover the sessions of the last run."""

    def close(self) -> None:
        """Release every session."""


def not_running(session: Session) -> ClawTapError:
    """Return the error for an action on a session without a pane or a child."""
    if session.pane is None and not session.state.over:
        return Impossible("this session has no screen", code=ErrorCode.NO_SCREEN)
    how = {SessionState.ENDED: "has ended", SessionState.LOST: "was lost"}
    why = f": {session.detail}" if session.detail else ""
    return Conflict(
        f"the session {how.get(session.state, 'does not run')}{why}", code=ErrorCode.SESSION_ENDED
    )


def not_started(channel: str) -> Impossible:
    """Return the error for a request to start what only its user, or a program, can start."""
    return Impossible(
        f"sessions of channel {channel!r} cannot be started here", code=ErrorCode.NO_SUCH_CHANNEL
    )
