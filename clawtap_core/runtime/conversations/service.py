"""The conversations of all sessions: each finds its transcript and follows it.

A hook (`follow`) or the id that the CLI was started with binds a session to its transcript for
certain. Otherwise it is matched by the text on the screen, also when the user switches
conversations in the terminal (`switching`). One thread reads; a marker (`transcript`) finds the
file after a restart.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound
from clawtap_core.host import Adapter, Host
from clawtap_core.model import Event, MessagePage, Session, SessionState
from clawtap_core.runtime.cli_versions import CliVersions
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.dedup import EventDeduplicator
from clawtap_core.runtime.conversations.follower import TranscriptFollower, spoken
from clawtap_core.runtime.conversations.skip_log import SkipLog
from clawtap_core.runtime.conversations.switching import SwitchDetector
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.folder_watch import Watcher
from clawtap_core.transcripts.library import Library, Transcript

log = logging.getLogger(__name__)
SLOW = 2.0
"""Seconds between checks of every file, for changes that nobody reported."""
SOON = 0.05
SEEKING, EAGER, RARELY = 0.5, 10.0, 30.0
"""Seconds between searches for a transcript, for how long after an event of its session, and
between searches afterwards, so that idle sessions cost nothing.
"""
ALONE = 5.0
"""A transcript without rivals is taken after this many seconds, though no screen shows it."""


class Conversations:
    """The conversations of all sessions; `live` returns a running one or None."""

    def __init__(
        self,
        store: StateStore,
        host: Host,
        env: Mapping[str, str],
        live: Callable[[str], PaneSession | None],
        versions: CliVersions,
    ) -> None:
        self._store = store
        self._host = host
        self._env = env
        self._live = live
        self._libraries: dict[str, Library] = {}
        self._followed: dict[str, TranscriptFollower] = {}
        self._folders: dict[str, set[Path]] = {}
        self._lock = threading.RLock()
        self._wake = threading.Condition()
        self._dirty: set[str] = set()
        self._eager: dict[str, float] = {}
        self._sought: dict[str, float] = {}
        self._versions = versions
        self._skipping = SkipLog(versions)
        self._moving = SwitchDetector(store, live)
        self._closed = False
        self._watcher = Watcher(self._written)
        self._thread = threading.Thread(target=self._run, name="clawtap-transcripts", daemon=True)
        self._thread.start()

    # Who is followed

    def begin(
        self, session: Session, adapter: Adapter, deduplicator: EventDeduplicator | None = None
    ) -> None:
        """Find the transcript of a session that started, now or when it is written.

        `deduplicator` filters the events that the CLI's protocol reports too.
        """
        if not adapter.has("parse_transcript") or session.id in self._followed:
            return
        library = self.library(adapter)
        following = TranscriptFollower(
            session.id, adapter, self._store, library, self._skipping, deduplicator
        )
        with self._lock:
            self._followed[session.id] = following
        path = self._store.marker(session.id, "transcript")
        if path and (transcript := library.at(Path(path))):
            self._bind(following, transcript, tell=False)
        self._poke(session.id)

    def follow(self, session_id: str, cli_session_id: str, path: str | None = None) -> None:
        """Bind a session to the conversation that its CLI named, and to its transcript.

        A path outside the CLI's own folders is ignored. Safe to call with every hook.
        """
        session = self._store.session(session_id)
        self._moving.certain(session_id)
        if session.cli_session_id != cli_session_id:
            self._rekey(session, cli_session_id)
        following = self._followed.get(session_id)
        if following is None:
            return
        if path and (following.path is None or Path(path) != following.path):
            transcript = self.library(following.adapter).at(Path(path))
            if transcript and not transcript.info.origin:
                self._bind(following, transcript, tell=True)
        self._poke(session_id)

    def on_event(self, event: Event, session: Session) -> None:
        """Look at a session's transcript when its state changes."""
        self._moving.on_event(event, session)
        if event.type == "session_status":
            if session.state.over:
                self._stop(session.id)
            elif session.state is not SessionState.STARTING:
                self._poke(session.id)

    def close(self) -> None:
        """Stop following."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        self._watcher.close()
        self._thread.join(2)

    # Messages

    def messages(
        self, session_id: str, before: str | None, after: str | None, limit: int
    ) -> MessagePage:
        """Return a page of a session's conversation, empty while its transcript is unknown."""
        session = self._store.session(session_id)
        following = self._followed.get(session_id) or self._ended(session)
        if following is None or following.transcript is None:
            return MessagePage()
        if self._followed.get(session_id) is following:
            following.poll()
        page = following.page(before, after, limit)
        if page is None:
            raise NotFound(
                f"no such message: {before or after!r}", code=ErrorCode.MESSAGE_NOT_FOUND
            )
        return page

    def library(self, adapter: Adapter) -> Library:
        """Return the transcripts of an adapter's CLI."""
        with self._lock:
            if adapter.id not in self._libraries:
                self._libraries[adapter.id] = Library(adapter, self._env)
            return self._libraries[adapter.id]

    def _ended(self, session: Session) -> TranscriptFollower | None:
        """Return a follower for a session that ended."""
        try:
            adapter = self._host.adapter(session.adapter)
        except ClawTapError:
            return None
        path = self._store.marker(session.id, "transcript")
        library = self.library(adapter)
        if path is None or (transcript := library.at(Path(path))) is None:
            return None
        following = TranscriptFollower(session.id, adapter, self._store, library, self._skipping)
        following.bind(transcript, tell=False)
        return following

    # Binding

    def _bind(self, following: TranscriptFollower, transcript: Transcript, *, tell: bool) -> None:
        session_id = following.session_id
        following.bind(transcript, tell=tell)
        self._store.mark(session_id, "transcript", str(transcript.path))
        self._watch_folders(following)
        session = self._store.session(session_id)
        if session.cli_session_id != transcript.info.cli_session_id:
            self._rekey(session, transcript.info.cli_session_id)

    def _rekey(self, session: Session, cli_session_id: str) -> None:
        at, before = self._store.now(), session.cli_session_id
        self._store.change_session(session.id, cli_session_id=cli_session_id)
        known = {"previous": before} if before else {}
        data = {"cliSessionId": cli_session_id, **known}
        self._store.commit([events.session_event("session_rekeyed", session.id, at, **data)])

    def _seek_again(self, following: TranscriptFollower) -> float:
        """Search if it is time; return after how many seconds to look again."""
        now, name = time.monotonic(), following.session_id
        eager = now < self._eager.get(name, 0.0)
        if eager or now - self._sought.get(name, 0.0) > RARELY:
            self._sought[name] = now
            self._seek(following)
        return SEEKING if eager and self._unbound(following) else SLOW

    def _ask(self, session_id: str) -> None:
        """Take over the conversation that the CLI's state file names."""
        pane_session = (
            self._live(session_id) if time.monotonic() < self._eager.get(session_id, 0) else None
        )
        state_file = pane_session.own_word() if pane_session else None
        named = state_file.cli_session_id if state_file else None
        session = self._store.session(session_id)
        if named and named != session.cli_session_id:
            self._rekey(session, named)

    def _learn_version(self, following: TranscriptFollower) -> None:
        """Record the CLI's version, from its transcript or else from the installed program."""
        session = self._store.session(following.session_id)
        bound = following.transcript
        version = bound.info.version if bound else None
        if version is None and session.cli_version is None and session.origin == "launched":
            version = self._versions.version(following.adapter.info)
        if version and version != session.cli_version:
            self._store.change_session(session.id, cli_version=version)

    def _go_along(self, following: TranscriptFollower) -> None:
        """Follow a session whose user switched conversations in the terminal."""
        library = self.library(following.adapter)
        if found := self._moving.elsewhere(following, library, self._taken()):
            self._bind(following, found, tell=True)

    def _unbound(self, following: TranscriptFollower) -> bool:
        """Return True if no transcript, or another conversation's, is followed."""
        bound = following.transcript
        name = self._store.session(following.session_id).cli_session_id
        return bound is None or (name is not None and bound.info.cli_session_id != name)

    def _seek(self, following: TranscriptFollower) -> None:
        """Find and bind the transcript of a session that has none yet."""
        session = self._store.session(following.session_id)
        library = self.library(following.adapter)
        if session.cli_session_id:
            found = matching.by_id(session.cli_session_id, library.find(session.cwd))
            if found:
                self._bind(following, found, tell=True)
            return
        since = session.created_at.timestamp() - 2 if session.origin == "launched" else 0.0
        mine = matching.possible(session, library.find(session.cwd, since=since), self._taken())
        if mine and (chosen := self._choose(session, following, mine)):
            self._bind(following, chosen, tell=True)

    def _choose(
        self, session: Session, following: TranscriptFollower, mine: list[Transcript]
    ) -> Transcript | None:
        pane_session = self._live(session.id)
        if pane_session is None:
            return None

        library = self.library(following.adapter)

        def words(transcript: Transcript) -> list[matching.Words]:
            return spoken(library.tail(transcript))

        rivals = self._rivals(session)
        if found := matching.shown(mine[:10], pane_session.pane.look().text, words, rivals=rivals):
            return found
        alone = len(mine) == 1 and not rivals and bool(words(mine[0]))
        old = time.time() - mine[0].changed_at.timestamp() > ALONE
        return mine[0] if alone and old and session.origin == "launched" else None

    def _taken(self) -> set[str]:
        with self._lock:
            bound = [each.transcript for each in self._followed.values() if each.transcript]
        ids = {each.info.cli_session_id for each in bound}
        return ids | {str(each.path) for each in bound}

    def _rivals(self, session: Session) -> bool:
        """Return True if another session of this CLI and folder has no transcript either."""
        with self._lock:
            waiting = [each.session_id for each in self._followed.values() if not each.transcript]
        others = [self._store.session(name) for name in waiting if name != session.id]
        return any(each.adapter == session.adapter and each.cwd == session.cwd for each in others)

    # The thread that reads

    def _written(self, path: str) -> None:
        folder = Path(path).parent
        with self._lock:
            named = [name for name, folders in self._folders.items() if folder in folders]
        for name in named:
            self._poke(name)

    def _poke(self, session_id: str) -> None:
        with self._wake:
            self._dirty.add(session_id)
            self._eager[session_id] = time.monotonic() + EAGER
            self._wake.notify_all()

    def _run(self) -> None:
        soon: dict[str, float] = {}
        due = time.monotonic()
        while not self._closed:
            with self._wake:
                if not self._dirty:
                    rest = min((due - time.monotonic(), *soon.values()))
                    self._wake.wait(max(rest, 0.0))
                named, self._dirty = self._dirty | soon.keys(), set()
            if time.monotonic() >= due:  # however much is written in some, all have their turn
                named, due = set(self._followed), time.monotonic() + SLOW
            rests = {name: self._look(name) for name in named}
            soon = {name: rest for name, rest in rests.items() if rest < SLOW}

    def _look(self, session_id: str) -> float:
        """Read what is new of one session; return after how many seconds to look again."""
        following = self._followed.get(session_id)
        if following is None or self._closed:
            return SLOW
        try:
            self._ask(session_id)
            self._learn_version(following)
            if self._unbound(following):
                return self._seek_again(following)
            self._go_along(following)
            again = SOON if following.poll() else SLOW
            self._watch_folders(following)
        except ClawTapError as error:
            log.debug("could not follow: %s", error.message, extra={"session": session_id})
        except Exception:
            log.warning("could not follow", exc_info=True, extra={"session": session_id})
        else:
            return again
        return SLOW

    def _watch_folders(self, following: TranscriptFollower) -> None:
        with self._lock:
            if self._followed.get(following.session_id) is not following:
                return
            before = self._folders.get(following.session_id, set())
            after = following.folders()
            self._folders[following.session_id] = after
        for folder in after - before:
            self._watcher.add(folder)
        for folder in before - after:
            self._watcher.remove(folder)

    def _stop(self, session_id: str) -> None:
        with self._lock:
            self._followed.pop(session_id, None)
            folders = self._folders.pop(session_id, set())
            self._eager.pop(session_id, None)
            self._sought.pop(session_id, None)
        self._moving.forget(session_id)
        for folder in folders:
            self._watcher.remove(folder)
