"""The turn that a session's screens show, from its first busy screen to its end."""

from __future__ import annotations

from clawtap_core.errors import ErrorCode
from clawtap_core.model import SeenState, SessionState
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.committed_events import Markers
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.screens import drawn
from clawtap_core.transcripts.usage_limit import USAGE_LIMIT, with_end


class Turn:
    """One session's turn, and what the screen showed in it: a usage limit, a refused message."""

    def __init__(self, store: StateStore, session_id: str) -> None:
        self._store, self._session_id = store, session_id
        self._was_busy = False
        self._shown_limit: SeenState | None = None
        self._seen = SeenState(SessionState.STARTING)
        self._message = self._message_id = ""

    def sent(self, text: str, message_id: str) -> None:
        """Note the last message of ours, which a hook may refuse."""
        self._message, self._message_id = text, message_id

    def update(self, seen: SeenState) -> None:
        """Take in the state of a new screen."""
        self._seen = seen
        busy, shown = seen.state is SessionState.BUSY, self._shown_limit
        if seen.limit:
            self._shown_limit = seen
        elif busy and shown and (shown.state is SessionState.IDLE or not self._was_busy):
            self._shown_limit = None  # of an earlier turn
        self._was_busy |= busy

    def end(self) -> None:
        """Report the end of the turn, if there was one, and the limit or the hook that ended it."""
        # A hook may refuse a message so soon that no screen was busy with it, or after a screen
        # that seemed idle. It may have refused another one, which the desk sent.
        refusal = self._seen.refusal
        if refusal and self._message and drawn(refusal.message) == drawn(self._message):
            self._report_refusal(refusal.reason)
        if self._was_busy:
            self._was_busy = False
            done = events.session_event("done", self._session_id, self._store.now())
            self._store.commit([done], happened=True)
            self._report_limit()

    def _report_refusal(self, reason: str) -> None:
        """Report that a hook refused our message; what is back in the composer of it is ours."""
        text, message_id, now = self._message, self._message_id, self._store.now()
        self._message = ""
        data = {
            "error": f"a hook refused the message “{text[:200]}”: {reason}",
            "code": ErrorCode.MESSAGE_REFUSED.value,
            **({"messageId": message_id} if message_id else {}),
        }
        typed = {"message": message_id, "text": text, "at": now.isoformat()}
        markers: Markers = {(self._session_id, "typed"): typed} if self._seen.draft else {}
        error = events.session_event("session_error", self._session_id, now, **data)
        self._store.commit([error], markers=markers, happened=True)

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
