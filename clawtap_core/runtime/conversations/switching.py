"""Detecting that the user switched conversations in the terminal when the CLI does not report it.

The last message of the other transcript is on this pane, and the old transcript is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Event, Message, Session, SessionState
from clawtap_core.prompts.identity import squeeze
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.follower import TranscriptFollower
from clawtap_core.runtime.conversations.matching import PaneText, Spoke
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.library import Library, Transcript

AWAKE = timedelta(seconds=10)
"""How long after an event of a session its switch is looked for."""
_AT_WORK = (SessionState.BUSY, SessionState.WAITING)
_HAPPENS = ("session_status", "message_sent")
_MANY = 200


class SwitchDetector:
    """A detector of switches; `live` returns a running session or None."""

    def __init__(self, store: StateStore, live: Callable[[str], PaneSession | None]) -> None:
        self._store = store
        self._live = live
        self._stirred: dict[str, datetime] = {}
        self._began: dict[str, datetime] = {}
        self._certain: set[str] = set()

    def on_event(self, event: Event, session: Session) -> None:
        """Remember the time of a session's activity."""
        if event.type in _HAPPENS:
            self._stirred[session.id] = event.at
        if session.state in _AT_WORK:
            self._began.setdefault(session.id, event.at)
        else:
            self._began.pop(session.id, None)

    def certain(self, session_id: str) -> None:
        """Trust the CLI of this session to name its conversation."""
        self._certain.add(session_id)

    def forget(self, session_id: str) -> None:
        """Forget a session that is over."""
        self._stirred.pop(session_id, None)
        self._began.pop(session_id, None)
        self._certain.discard(session_id)

    def elsewhere(
        self, following: TranscriptFollower, library: Library, taken: Collection[str]
    ) -> Transcript | None:
        """Return the transcript that a session switched to, or None."""
        name, bound = following.session_id, following.path
        pane_session, stirred = self._live(name), self._stirred.get(name)
        if pane_session is None or stirred is None or bound is None or name in self._certain:
            return None
        now = self._store.now()
        if name not in self._began and now - stirred > AWAKE:
            return None
        old = library.at(bound)
        if old is None or old.changed_at >= now - matching.SLACK:
            return None
        if matching.works_in(old.changed_at, self._began.get(name)):
            return None
        session, since = self._store.session(name), old.changed_at.timestamp()
        candidates = matching.free(session, library.find(session.cwd, since=since), taken)
        if not candidates or _says_itself(pane_session):
            return None
        sight = PaneText(
            squeeze(pane_session.pane.look().text),
            [squeeze(screen) for screen in self._other_screens(session)],
            squeeze(pane_session.sent),
            _own(following),
            old.changed_at,
            stirred,
            self._began.get(name),
            now,
        )
        return matching.gone_on(
            sight, candidates, lambda transcript: _last(library.tail(transcript))
        )

    def _other_screens(self, session: Session) -> list[str]:
        screens = []
        for other in self._store.sessions():
            same = other.adapter == session.adapter and other.id != session.id
            if same and not other.state.over and (pane_session := self._live(other.id)):
                try:
                    screens.append(pane_session.pane.look().text)
                except ClawTapError:
                    continue
        return screens


def _says_itself(session: PaneSession) -> bool:
    state_file = session.own_word()
    return state_file is not None and state_file.cli_session_id is not None


def _own(following: TranscriptFollower) -> set[str]:
    page = following.page(None, None, _MANY)
    return {squeeze(spoke.text) for spoke in _spoken(page.messages if page else ())}


def _last(messages: Sequence[Message]) -> Spoke | None:
    return next(reversed(_spoken(messages)), None)


def _spoken(messages: Sequence[Message]) -> list[Spoke]:
    """Return the user's messages and their times."""
    return [
        Spoke(block.text, message.at)
        for message in messages
        for block in message.content
        if message.role == "user" and block.type == "text" and block.text.strip()
    ]
