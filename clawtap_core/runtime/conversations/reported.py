"""Conversations that CLIs without a transcript report over their protocol.

They are kept in memory, the last messages of each: after a restart nothing is left of them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from clawtap_core.model import Event, Message, MessagePage
from clawtap_core.runtime.conversations.conversation_events import message_events
from clawtap_core.runtime.conversations.follower import KEEP
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.conversation import Conversation


class ReportedConversations:
    """What CLIs said, by session."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._conversations: dict[str, Conversation] = {}
        self._processes: Counter[str] = Counter()
        self._lock = threading.Lock()

    def begin(self, session_id: str) -> None:
        """Keep the messages of a new process apart from earlier ones: it counts from one again."""
        with self._lock:
            self._processes[session_id] += 1
            self._conversations.setdefault(session_id, Conversation(KEEP))

    def add(self, session_id: str, message: Message) -> Iterator[Event]:
        """Add or update a message; yield the events of the change."""
        at = self._store.now()
        with self._lock:
            conversation = self._conversations[session_id]
            name = f"{self._processes[session_id]}:{message.id}"
            changes = conversation.apply([replace(message, id=name, at=message.at or at)])
        for change in changes:
            yield from message_events(session_id, change, at)

    def page(
        self, session_id: str, before: str | None, after: str | None, limit: int
    ) -> MessagePage | None:
        """Return a page of a session's conversation; None if its message is not there."""
        with self._lock:
            conversation = self._conversations.get(session_id) or Conversation()
            # Nothing has the older messages any more.
            conversation.cut = False
            if after is not None:
                later = conversation.after(after, limit)
                return None if later is None else MessagePage(tuple(later), more=True)
            piece = (
                conversation.last(limit) if before is None else conversation.before(before, limit)
            )
        return MessagePage(tuple(piece[0]), piece[1]) if piece else None

    def forget(self, session_id: str) -> None:
        """Drop the conversation of a session that was removed."""
        with self._lock:
            self._conversations.pop(session_id, None)
            self._processes.pop(session_id, None)
