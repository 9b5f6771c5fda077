"""The text that an answer or a thought gains while it is being written."""

from __future__ import annotations

from clawtap_core.model import SeenState, SessionState
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore


class StreamingText:
    """One session's streaming text. It is published, not kept: the transcript has it all."""

    def __init__(self, store: StateStore, session_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._last = SeenState(SessionState.STARTING)

    def publish_new(self, seen: SeenState) -> None:
        """Publish the text since the last screen."""
        for kind, old, new in (
            ("text_delta", self._last.streaming, seen.streaming),
            ("thinking", self._last.thinking, seen.thinking),
        ):
            if new and new != old:
                delta = new[len(old) :] if new.startswith(old) else None
                data = {"text": new} if delta is None else {"text": new, "delta": delta}
                now = self._store.now()
                self._store.publish_transient(
                    events.session_event(kind, self._session_id, now, **data)
                )
        self._last = seen
