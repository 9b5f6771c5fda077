"""The turn that a session's screens show, from its first busy screen to its end."""

from __future__ import annotations

from clawtap_core.model import SeenState, SessionState
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.usage_limit import USAGE_LIMIT, with_end


class Turn:
    """One session's turn, and the usage limit that the screen showed in it."""

    def __init__(self, store: StateStore, session_id: str) -> None:
        self._store, self._session_id = store, session_id
        self._was_busy = False
        self._shown_limit: SeenState | None = None

    def update(self, seen: SeenState) -> None:
        """Take in the state of a new screen."""
        busy, shown = seen.state is SessionState.BUSY, self._shown_limit
        if seen.limit:
            self._shown_limit = seen
        elif busy and shown and (shown.state is SessionState.IDLE or not self._was_busy):
            self._shown_limit = None  # of an earlier turn
        self._was_busy |= busy

    def end(self) -> None:
        """Report the end of the turn, if there was one, and the limit that ended it."""
        if self._was_busy:
            self._was_busy = False
            done = events.session_event("done", self._session_id, self._store.now())
            self._store.commit([done], happened=True)
            self._report_limit()

    def _report_limit(self) -> None:
        if not (shown := self._shown_limit):
            return
        now, limit = self._store.now(), self._store.session(self._session_id).limit
        data = with_end({"error": shown.limit, "code": USAGE_LIMIT}, now)
        # The transcript reports limits, too, and knows more. A dialog may have been answered by
        # continuing, which only the transcript shows.
        news = (
            limit.ends_at is None and "endsAt" in data
            if limit
            else shown.state is SessionState.IDLE
        )
        if news:
            error = events.session_event("session_error", self._session_id, now, **data)
            self._store.commit([error], happened=True)
