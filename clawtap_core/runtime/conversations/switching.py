"""Detecting that the user switched conversations in the terminal when the CLI does not report it.

The last message of the other transcript is on this pane, and the old transcript is silent. One
that a new session took up, by an argument of its CLI or from a list, ends on its screen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Event, Message, Session, SessionState
from clawtap_core.prompts.identity import squeeze
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.follower import TranscriptFollower, spoken
from clawtap_core.runtime.conversations.matching import PaneText, UserMessage
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Timings
from clawtap_core.transcripts.library import Library
from clawtap_core.transcripts.transcript import Transcript

_WORKING = (SessionState.BUSY, SessionState.WAITING)
_ACTIVITY = ("session_status", "message_sent")
_MANY = 200
_MOST = 10  # older conversations that may have been taken up


class SwitchDetector:
    """A detector of switches; `running` returns a running session or None."""

    def __init__(
        self, store: StateStore, running: Callable[[str], PaneSession | None], timings: Timings
    ) -> None:
        self._store = store
        self._running = running
        self._awake = timedelta(seconds=timings.switch_search)
        self._slack = timedelta(seconds=timings.file_clock_slack)
        self._active_at: dict[str, datetime] = {}
        self._turn_began: dict[str, datetime] = {}
        self._rested: set[str] = set()
        self._worked: set[str] = set()
        self._trusted: set[str] = set()
        self._named: dict[str, str] = {}

    def on_event(self, event: Event, session: Session) -> None:
        """Remember the time of a session's activity."""
        if event.type in _ACTIVITY:
            self._active_at[session.id] = event.at
        # While a CLI starts it may look busy.
        if session.state is SessionState.IDLE:
            self._rested.add(session.id)
        elif session.state is SessionState.BUSY and session.id in self._rested:
            self._worked.add(session.id)
        if event.type == "message_sent":
            self._worked.add(session.id)
        if session.state in _WORKING:
            self._turn_began.setdefault(session.id, event.at)
        else:
            self._turn_began.pop(session.id, None)

    def trust_cli(self, session_id: str) -> None:
        """Trust the CLI of this session to name its conversation."""
        self._trusted.add(session_id)
        self._named.pop(session_id, None)

    def doubt_cli(self, session_id: str, cli_session_id: str) -> None:
        """Look for a switch, also to this conversation, until the CLI names that of before."""
        self._trusted.discard(session_id)
        self._named[session_id] = cli_session_id

    def forget(self, session_id: str) -> None:
        """Forget a session that is over."""
        self._active_at.pop(session_id, None)
        self._turn_began.pop(session_id, None)
        self._rested.discard(session_id)
        self._worked.discard(session_id)
        self._trusted.discard(session_id)
        self._named.pop(session_id, None)

    def find_taken_up(
        self, session: Session, library: Library, taken: Collection[str]
    ) -> Transcript | None:
        """Return the older conversation that a new session took up, or None.

        A list of conversations, which may show the ends of several, is no idle screen.
        """
        pane_session = self._running(session.id)
        if pane_session is None or session.id in self._trusted:
            return None
        if session.origin != "launched" or session.state is not SessionState.IDLE:
            return None
        # What was said since the session began is in the conversation that it is in.
        worked = session.id in self._worked
        since = (session.created_at - self._slack).timestamp() if worked else 0.0
        older = matching.free(session, library.find(session.cwd, since=since), taken)[:_MOST]
        if not older or _names_conversation(pane_session):
            return None

        def words(transcript: Transcript) -> list[matching.Words]:
            return spoken(library.tail(transcript))

        screen, others = pane_session.pane.look().text, self._other_screens(session)
        return matching.taken_up(older, screen, others, words)

    def find_switch(
        self, following: TranscriptFollower, library: Library, taken: Collection[str]
    ) -> Transcript | None:
        """Return the transcript that a session switched to, or None."""
        name, bound = following.session_id, following.path
        pane_session, active_at = self._running(name), self._active_at.get(name)
        if pane_session is None or active_at is None or bound is None or name in self._trusted:
            return None
        # The cheap tests come first: this is called for each poll of each session.
        now = self._store.now()
        if name not in self._turn_began and now - active_at > self._awake:
            return None
        old = library.at(bound)
        # A transcript that was just written is the one in use.
        if old is None or old.changed_at >= now - self._slack:
            return None
        if matching.works_in(old.changed_at, self._turn_began.get(name), self._slack):
            return None
        session, since = self._store.session(name), old.changed_at.timestamp()
        later = library.find(session.cwd, since=since)
        same = matching.by_id(old.info.cli_session_id, [old, *later])
        if same and same.path != old.path:
            return same
        named = self._named.get(name)
        candidates = matching.free(session, later, taken, forked=bound, named=named, worktrees=True)
        if not candidates:
            return None
        if _names_conversation(pane_session):
            return None
        page = following.page(None, None, _MANY)
        own = {squeeze(spoke.text) for spoke in _spoken(page.messages if page else ())}
        sight = PaneText(
            squeeze(pane_session.pane.look().text),
            [squeeze(screen) for screen in self._other_screens(session)],
            squeeze(pane_session.sent),
            own,
            old.changed_at,
            active_at,
            self._turn_began.get(name),
            now,
            self._slack,
        )

        def last(transcript: Transcript) -> UserMessage | None:
            return next(reversed(_spoken(library.tail(transcript))), None)

        return matching.switched_to(sight, candidates, last)

    def _other_screens(self, session: Session) -> list[str]:
        screens = []
        for other in self._store.sessions():
            same = other.adapter == session.adapter and other.id != session.id
            if same and not other.state.over and (pane_session := self._running(other.id)):
                try:
                    screens.append(pane_session.pane.look().text)
                except ClawTapError:
                    continue
        return screens


def _names_conversation(pane_session: PaneSession) -> bool:
    """Return True if the CLI names its conversation in a file, so that nothing is guessed."""
    state_file = pane_session.read_state_file()
    return bool(state_file and state_file.cli_session_id)


def _spoken(messages: Sequence[Message]) -> list[UserMessage]:
    """Return the user's messages and their times."""
    return [
        UserMessage(block.text, message.at)
        for message in messages
        for block in message.content
        if message.role == "user" and block.type == "text" and block.text.strip()
    ]
