"""The text that an answer or a thought gains while it is being written."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from operator import eq

from clawtap_core.model import SeenState, SessionState
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

# Each event has the whole text, which is rendered each time.
_MOST_ROWS = 200
# The rows at the end of a text that the CLI may still lay out differently.
_UNSTEADY = 4


class StreamingText:
    """One session's streaming text. It is published, not kept: the transcript has it all.

    A screen has only the last rows of a long answer; what stood above them is joined to them.
    """

    def __init__(self, store: StateStore, session_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._last = SeenState(SessionState.STARTING)

    def publish_new(self, seen: SeenState) -> None:
        """Publish the text since the last screen."""
        seen = replace(seen, streaming=_joined(self._last.streaming, seen.streaming))
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


def _joined(before: str, visible: str) -> str:
    """Return the visible rows below those that have left the screen, as `before` has them."""
    rows, shown = before.split("\n"), visible.split("\n")
    # At most as many rows as the screen shows can have stayed.
    for start in range(max(len(rows) - len(shown) - _UNSTEADY, 0), len(rows) - _UNSTEADY):
        stays = rows[start:]
        same = len(list(takewhile(bool, map(eq, stays, shown))))
        if same >= max(len(stays) - _UNSTEADY, _UNSTEADY):
            return "\n".join((rows[:start] + shown)[-_MOST_ROWS:])
    return visible
