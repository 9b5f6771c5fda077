"""Finding the transcript of a session whose CLI has not named it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta

from clawtap_core.model import Session
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.follower import spoken
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Timings
from clawtap_core.transcripts.library import Library
from clawtap_core.transcripts.transcript import Transcript

_MOST = 10


class TranscriptFinder:
    """Finds transcripts by the session's id, or by the text on its screen."""

    def __init__(
        self, store: StateStore, running: Callable[[str], PaneSession | None], timings: Timings
    ) -> None:
        self._store = store
        self._running = running
        self._timings = timings

    def find(
        self, session: Session, library: Library, taken: Collection[str], *, rivals: bool
    ) -> Transcript | None:
        """Return the session's transcript, or None if it has none yet or in doubt.

        `taken` are the ids and paths that other sessions have; `rivals`: another session of this
        CLI and folder has no transcript either.
        """
        if session.cli_session_id:
            return matching.by_id(session.cli_session_id, library.find(session.cwd))
        slack = self._timings.file_clock_slack
        launched = session.origin == "launched"
        since = session.created_at.timestamp() - slack if launched else 0.0
        candidates = matching.possible(
            session, library.find(session.cwd, since=since), taken, timedelta(seconds=slack)
        )
        pane_session = self._running(session.id)
        if not candidates or pane_session is None:
            return None

        def words(transcript: Transcript) -> list[matching.Words]:
            return spoken(library.tail(transcript))

        screen = pane_session.pane.look().text
        if shown := matching.shown(candidates[:_MOST], screen, words, rivals=rivals):
            return shown
        # A screen may show nothing of it, for instance when the CLI was cleared.
        newest = candidates[0]
        alone = launched and not rivals and len(candidates) == 1 and words(newest)
        age = self._store.now() - newest.changed_at
        return newest if alone and age > timedelta(seconds=self._timings.transcript_alone) else None
