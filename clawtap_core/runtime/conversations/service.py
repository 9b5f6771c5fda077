"""The conversations of all sessions: each finds its transcript and follows it.

A hook (`follow`) or the id that the CLI was started with binds a session to its transcript for
certain. Otherwise it is matched by the text on the screen (`finder`), also when the user switches
conversations in the terminal (`switching`). A marker (`transcript`) finds the file after a restart.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound
from clawtap_core.host import Adapter, Host
from clawtap_core.model import Event, MessagePage, Session, SessionState, TranscriptInfo
from clawtap_core.runtime.channel import RELEASED
from clawtap_core.runtime.cli_versions import CliVersions
from clawtap_core.runtime.conversations.dedup import EventDeduplicator
from clawtap_core.runtime.conversations.finder import TranscriptFinder
from clawtap_core.runtime.conversations.follower import TranscriptFollower
from clawtap_core.runtime.conversations.poll_loop import PollLoop
from clawtap_core.runtime.conversations.reported import ReportedConversations
from clawtap_core.runtime.conversations.skip_log import SkipLog
from clawtap_core.runtime.conversations.switching import SwitchDetector
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, REAL_TIME, Scheduler, Timings
from clawtap_core.transcripts.conversation_builder import with_calls_cancelled
from clawtap_core.transcripts.folder_watch import Watcher
from clawtap_core.transcripts.library import Library
from clawtap_core.transcripts.transcript import Transcript

log = logging.getLogger(__name__)
_RECENT = 50  # messages


@dataclass(eq=False)
class _Followed:
    """A follower, its watched folders, and when its transcript is searched for.

    `binding` is held by who names its conversation or binds it to a transcript.
    """

    follower: TranscriptFollower
    binding: threading.RLock = field(default_factory=threading.RLock)
    folders: set[Path] = field(default_factory=set)
    eager_until: float = float("-inf")
    searched_at: float = float("-inf")


class Conversations:
    """The conversations of all sessions; `running` returns a running one or None."""

    def __init__(
        self,
        store: StateStore,
        host: Host,
        env: Mapping[str, str],
        running: Callable[[str], PaneSession | None],
        versions: CliVersions,
        timings: Timings = DEFAULT_TIMINGS,
        scheduler: Scheduler = REAL_TIME,
    ) -> None:
        self._store = store
        self._host = host
        self._env = env
        self._running = running
        self._versions = versions
        self._timings = timings
        self._clock = scheduler.now
        self._libraries: dict[str, Library] = {}
        self._followed: dict[str, _Followed] = {}
        self._ended: dict[str, TranscriptFollower] = {}
        self._lock = threading.RLock()
        self._skipping = SkipLog(versions)
        self.reported = ReportedConversations(store)
        self._finder = TranscriptFinder(store, running, timings)
        self._switches = SwitchDetector(store, running, timings)
        self._watcher = Watcher(self._on_write)
        self._loop = PollLoop(self._poll)

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
        follower = TranscriptFollower(
            session.id, adapter, self._store, library, self._skipping, deduplicator
        )
        with self._lock:
            followed = self._followed[session.id] = _Followed(follower)
        path = self._store.marker(session.id, "transcript")
        if path and (transcript := library.at(Path(path))):
            self._bind(followed, transcript, publish=False)
        self._wake(session.id)

    def follow(self, session_id: str, cli_session_id: str, path: str | None = None) -> None:
        """Bind a session to the conversation that its CLI named, and to its transcript.

        A path outside the CLI's own folders is ignored. Safe to call with every hook.
        """
        self._switches.trust_cli(session_id)
        followed = self._followed.get(session_id)
        with followed.binding if followed else nullcontext():
            session = self._store.session(session_id)
            if session.cli_session_id != cli_session_id:
                self._rekey(session, cli_session_id)
            if followed is None:
                return
            follower = followed.follower
            if path and (follower.path is None or Path(path) != follower.path):
                transcript = self.library(follower.adapter).at(Path(path))
                if transcript and not transcript.info.origin:
                    self._bind(followed, transcript, publish=True)
        self._wake(session_id)

    def doubt(self, session_id: str, cli_session_id: str) -> None:
        """Note that a hook in a session's pane named another conversation.

        It may be that of a CLI which a tool runs; the screen decides.
        """
        self._switches.doubt_cli(session_id, cli_session_id)
        self._wake(session_id)

    def on_event(self, event: Event, session: Session) -> None:
        """Look at a session's transcript when its state changes."""
        self._switches.on_event(event, session)
        if event.type == "session_status":
            if session.state.over:
                follower = self._stop(session.id)
                if follower and self._has_ended(session):
                    self._ended[session.id] = follower
                    self._loop.wake(session.id)
            elif session.state is not SessionState.STARTING:
                self._wake(session.id)

    def close(self) -> None:
        """Stop following."""
        self._watcher.close()
        self._loop.close()

    # Messages

    def messages(
        self, session_id: str, before: str | None, after: str | None, limit: int
    ) -> MessagePage:
        """Return a page of a session's conversation, empty while nothing is known of it."""
        session = self._store.session(session_id)
        followed = self._followed.get(session_id)
        follower = followed.follower if followed else self._follower_of_ended(session)
        if follower is None:
            page = self.reported.page(session_id, before, after, limit)
        elif follower.transcript is None:
            return MessagePage()
        else:
            if followed:
                follower.poll()
            page = follower.page(before, after, limit)
        if page is None:
            raise NotFound(
                f"no such message: {before or after!r}", code=ErrorCode.MESSAGE_NOT_FOUND
            )
        if self._has_ended(session):
            return replace(page, messages=tuple(map(with_calls_cancelled, page.messages)))
        return page

    def said_since(self, session_id: str, at: datetime) -> list[str]:
        """Return what the user said in a session's conversation from this second on."""
        page = self.messages(session_id, None, None, _RECENT)
        second = at.replace(microsecond=0)  # some CLIs write no fractions
        return [
            "\n".join(block.text for block in message.content if block.type == "text")
            for message in page.messages
            if message.role == "user" and message.origin is None
            if message.at and message.at >= second
        ]

    def library(self, adapter: Adapter) -> Library:
        """Return the transcripts of an adapter's CLI."""
        with self._lock:
            if adapter.id not in self._libraries:
                self._libraries[adapter.id] = Library(adapter, self._env)
            return self._libraries[adapter.id]

    def _has_ended(self, session: Session) -> bool:
        """Return True if no CLI is in the session's conversation: its calls have ended, too."""
        if not session.state.over or session.detail == RELEASED:
            return False
        conversation = (session.adapter, session.cli_session_id)
        return not any(
            (other.adapter, other.cli_session_id) == conversation and not other.state.over
            for other in self._store.sessions()
        )

    def _follower_of_ended(self, session: Session) -> TranscriptFollower | None:
        try:
            adapter = self._host.adapter(session.adapter)
        except ClawTapError:
            return None
        path = self._store.marker(session.id, "transcript")
        library = self.library(adapter)
        if path is None or (transcript := library.at(Path(path))) is None:
            return None
        follower = TranscriptFollower(session.id, adapter, self._store, library, self._skipping)
        follower.bind(transcript, publish=False)
        return follower

    # Binding

    def _bind(self, followed: _Followed, transcript: Transcript, *, publish: bool) -> None:
        session_id, before = followed.follower.session_id, followed.follower.transcript
        followed.follower.bind(transcript, publish=publish)
        self._store.mark(session_id, "transcript", str(transcript.path), happened=True)
        self._watch_folders(followed)
        session = self._store.session(session_id)
        if before and _began_elsewhere(session, transcript.info):
            # The user began it in another folder, where its commands run from now on.
            self._store.change_session(session_id, cwd=transcript.info.cwd)
        if session.cli_session_id != transcript.info.cli_session_id:
            self._rekey(session, transcript.info.cli_session_id)

    def _bind_found(self, followed: _Followed, transcript: Transcript, searched: Session) -> None:
        """Bind what a search found, unless the CLI has named another conversation meanwhile."""
        with followed.binding:
            if self._store.session(searched.id).cli_session_id == searched.cli_session_id:
                self._bind(followed, transcript, publish=True)

    def _rekey(self, session: Session, cli_session_id: str) -> None:
        at, before = self._store.now(), session.cli_session_id
        self._store.change_session(session.id, cli_session_id=cli_session_id)
        previous = {"previous": before} if before else {}
        data = {"cliSessionId": cli_session_id, **previous}
        rekeyed = events.session_event("session_rekeyed", session.id, at, **data)
        self._store.commit([rekeyed], happened=True)

    def _search(self, followed: _Followed) -> float:
        """Search for the transcript if it is time; return after how many seconds to look again."""
        now, timings = self._clock(), self._timings
        eager = now < followed.eager_until
        if eager or now - followed.searched_at > timings.transcript_search_idle:
            followed.searched_at = now
            session = self._store.session(followed.follower.session_id)
            library, rivals = self.library(followed.follower.adapter), self._has_rivals(session)
            taken = self._bound_transcripts()
            transcript = self._finder.find(session, library, taken, rivals=rivals)
            if transcript is None:
                transcript = self._switches.find_taken_up(session, library, taken)
            if transcript:
                self._bind_found(followed, transcript, session)
        searching = eager and self._is_unbound(followed.follower)
        return timings.transcript_search if searching else self._check_interval(followed)

    def _read_state_file(self, session_id: str) -> None:
        """Take over the conversation that the CLI's state file names."""
        pane_session = self._running(session_id)
        state_file = pane_session.read_state_file() if pane_session else None
        named = state_file.cli_session_id if state_file else None
        session = self._store.session(session_id)
        if named and named != session.cli_session_id:
            self._rekey(session, named)

    def _goes_on_in(self, follower: TranscriptFollower, library: Library) -> Transcript | None:
        """Return the transcript in which a session goes on, if it left the one that is followed."""
        moved = follower.transcript and library.moved(follower.transcript)
        return moved or self._switches.find_switch(follower, library, self._bound_transcripts())

    def _learn_version(self, follower: TranscriptFollower) -> None:
        """Record the CLI's version, from its transcript or else from the installed program."""
        session = self._store.session(follower.session_id)
        version = follower.transcript.info.version if follower.transcript else None
        if version is None and session.cli_version is None and session.origin == "launched":
            version = self._versions.version(follower.adapter.info)
        if version and version != session.cli_version:
            self._store.change_session(session.id, cli_version=version)

    def _is_unbound(self, follower: TranscriptFollower) -> bool:
        """Return True if no transcript, or another conversation's, is followed."""
        bound = follower.transcript
        name = self._store.session(follower.session_id).cli_session_id
        return bound is None or (name is not None and bound.info.cli_session_id != name)

    def _bound_transcripts(self) -> set[str]:
        with self._lock:
            followers = [followed.follower for followed in self._followed.values()]
        bound = [follower.transcript for follower in followers if follower.transcript]
        ids = {transcript.info.cli_session_id for transcript in bound}
        return ids | {str(transcript.path) for transcript in bound}

    def _has_rivals(self, session: Session) -> bool:
        """Return True if another session of this CLI and folder has no transcript either."""
        with self._lock:
            unbound = [
                name
                for name, followed in self._followed.items()
                if followed.follower.transcript is None
                and followed.follower.adapter.id == session.adapter
                and name != session.id
            ]
        return any(self._store.session(name).cwd == session.cwd for name in unbound)

    # In the thread that reads

    def _on_write(self, path: str) -> None:
        folder = Path(path).parent
        with self._lock:
            names = [name for name, each in self._followed.items() if folder in each.folders]
        for name in names:
            self._wake(name)

    def _wake(self, session_id: str) -> None:
        if followed := self._followed.get(session_id):
            followed.eager_until = self._clock() + self._timings.transcript_search_for
            self._loop.wake(session_id)

    def _poll(self, session_id: str) -> float | None:
        """Read what is new of one session; return after how many seconds to look again."""
        if ended := self._ended.pop(session_id, None):
            self._read_end(ended)
        followed = self._followed.get(session_id)
        if followed is None:
            return None
        follower = followed.follower
        try:
            if self._clock() < followed.eager_until:
                self._read_state_file(session_id)
            self._learn_version(follower)
            if self._is_unbound(follower):
                return self._search(followed)
            session, library = self._store.session(session_id), self.library(follower.adapter)
            if other := self._goes_on_in(follower, library):
                self._bind_found(followed, other, session)
            unfinished = follower.poll()
            self._watch_folders(followed)
            return (
                self._timings.transcript_unfinished
                if unfinished
                else self._check_interval(followed)
            )
        except ClawTapError as error:
            log.debug("could not follow: %s", error.message, extra={"session": session_id})
        except Exception:
            log.warning("could not follow", exc_info=True, extra={"session": session_id})
        return self._timings.transcript_check

    def _check_interval(self, followed: _Followed) -> float:
        """Return for how long a session is left alone that nobody reports to have changed."""
        state = self._store.session(followed.follower.session_id).state
        if state is SessionState.IDLE and self._clock() >= followed.eager_until:
            return self._timings.transcript_check_idle
        return self._timings.transcript_check

    def _watch_folders(self, followed: _Followed) -> None:
        with self._lock:
            if self._followed.get(followed.follower.session_id) is not followed:
                return
            before, after = followed.folders, followed.follower.folders()
            followed.folders = after
        for folder in after - before:
            self._watcher.add(folder)
        for folder in before - after:
            self._watcher.remove(folder)

    def _read_end(self, follower: TranscriptFollower) -> None:
        """Publish what a CLI that has ended wrote last, and the end of its calls."""
        try:
            follower.poll()
            follower.cancel_calls()
        except Exception:
            extra = {"session": follower.session_id}
            log.warning("could not read the end", exc_info=True, extra=extra)

    def _stop(self, session_id: str) -> TranscriptFollower | None:
        with self._lock:
            followed = self._followed.pop(session_id, None)
        self._switches.forget(session_id)
        for folder in followed.folders if followed else ():
            self._watcher.remove(folder)
        return followed.follower if followed else None


def _began_elsewhere(session: Session, info: TranscriptInfo) -> bool:
    """Return True if a conversation began while the session ran, in another folder."""
    if info.cwd is None or info.started_at is None or info.started_at < session.created_at:
        return False
    return os.path.realpath(info.cwd) != os.path.realpath(session.cwd)
