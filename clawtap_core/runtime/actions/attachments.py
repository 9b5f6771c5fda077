"""The files that users attach to sessions, and how a message names them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clawtap_core.errors import Conflict, ErrorCode
from clawtap_core.model import Attachment, Event, QueuedMessage, Session
from clawtap_core.runtime.actions.attachment_store import Attachments
from clawtap_core.runtime.state.store import StateStore

_PLAIN = re.compile(r"[\w./-]+")


@dataclass(frozen=True)
class SessionAttachments:
    """The files of all sessions; `can_continue` says if an ended session takes messages again."""

    store: StateStore
    kept: Attachments
    can_continue: Callable[[Session], bool]

    def take(self, session_id: str, name: str, data: bytes) -> Attachment:
        """Store a file for a session that can still use it."""
        session = self.store.session(session_id)
        if session.state.over and not self.can_continue(session):
            raise Conflict(
                "the session has ended; resume it to continue", code=ErrorCode.SESSION_ENDED
            )
        return self.kept.keep(session_id, name, data)

    def find(self, session_id: str, names: Sequence[str]) -> tuple[Attachment, ...]:
        """Return the session's files with these ids."""
        self.store.session(session_id)
        return self.kept.find(session_id, names)

    def remove(self, session_id: str, name: str) -> None:
        """Delete a file; Conflict if a queued message needs it."""
        (found,) = self.find(session_id, [name])
        if any(found in message.attachments for message in self.store.queue(session_id)):
            raise Conflict("a queued message needs this file", code=ErrorCode.ATTACHMENT_IN_USE)
        self.kept.remove(session_id, name)

    def on_event(self, event: Event, session: Session) -> None:
        """Delete the files of a session that ended for good."""
        if event.type == "session_status" and session.state.over and not self.can_continue(session):
            self.kept.drop(session.id)

    def tidy(self) -> None:
        """Delete the files of sessions that are no longer listed."""
        self.kept.sweep({session.id for session in self.store.sessions()})


def whole(message: QueuedMessage, mention: str) -> str:
    """Return the text that the CLI gets: the message, then its files as this CLI takes them."""
    named = [
        mention.replace("{path}", each.path) if _PLAIN.fullmatch(each.path) else f'"{each.path}"'
        for each in message.attachments
    ]
    break_ = "\n" if "\n" in message.message else " "
    return break_.join(part for part in (message.message, " ".join(named)) if part)
