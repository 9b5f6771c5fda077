"""Following one session's transcript, whose changes become events."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clawtap_core.host import Adapter
from clawtap_core.model import AgentEvent, Message, MessagePage, Parsed
from clawtap_core.model.ansi import plain
from clawtap_core.runtime.conversations import conversation_events
from clawtap_core.runtime.conversations.dedup import TRANSCRIPT, EventDeduplicator
from clawtap_core.runtime.conversations.skip_log import SkipLog
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.conversation import Change, Conversation
from clawtap_core.transcripts.conversation_builder import with_calls_cancelled
from clawtap_core.transcripts.library import Library
from clawtap_core.transcripts.pages import FIRST, Pages, Window, read_end
from clawtap_core.transcripts.reader import TranscriptFile
from clawtap_core.transcripts.transcript import Transcript

log = logging.getLogger(__name__)
KEEP = 2000  # messages of a session in memory; older ones are read on request


class TranscriptFollower:
    """The conversation of one session, from its transcript and those of its subagents.

    `deduplicator` filters the events that the CLI's protocol reports too.
    """

    def __init__(
        self,
        session_id: str,
        adapter: Adapter,
        store: StateStore,
        library: Library,
        skipping: SkipLog,
        deduplicator: EventDeduplicator | None = None,
    ) -> None:
        self.session_id = session_id
        self.adapter = adapter.for_session(session_id)
        self.transcript: Transcript | None = None
        self._store = store
        self._library = library
        self._skipping = skipping
        self._deduplicator = deduplicator or EventDeduplicator()
        self._lock = threading.RLock()
        self._conversation = Conversation(KEEP)
        self._status: dict[str, Any] = {}
        self._file: TranscriptFile | None = None
        self._pages: Pages | None = None
        self._companions: dict[Path, TranscriptFile] = {}

    @property
    def path(self) -> Path | None:
        """Return the path of the transcript."""
        return self.transcript.path if self.transcript else None

    def folders(self) -> set[Path]:
        """Return the folders to watch."""
        with self._lock:
            own = {self.transcript.folder} if self.transcript else set()
            return own | {path.parent for path in self._companions}

    def bind(self, transcript: Transcript, *, publish: bool) -> None:
        """Follow this transcript; `publish` what it already contains."""
        with self._lock:
            if self.path == transcript.path:  # both a hook and the regular check found it
                self.transcript = transcript
                return
            window = read_end(transcript, self.adapter.parse_transcript, FIRST)
            messages = window.conversation.messages()
            before = self._conversation if self._is_conversation_of(transcript) else Conversation()
            self.transcript, self._file = transcript, window.file
            self._pages = Pages(transcript, self.adapter.parse_transcript)
            gone = before.without(messages)
            self._conversation, self._companions = Conversation(KEEP), {}
            self._conversation.apply(messages)
            self._conversation.cut = window.conversation.cut
            self._status = {}
            self._apply_events(window.events(), publish=False)
            if publish:
                self._publish_removed(gone)
                self._publish(before.replace_all(messages))
                self._publish_status()
                self._apply_events(self._missed_errors(window), publish=True)
            self._read_companions(publish=publish)
            self._log_skipped()

    def _is_conversation_of(self, transcript: Transcript) -> bool:
        """Return True if a transcript holds the conversation that is followed."""
        held = self.transcript
        return held is not None and held.info.cli_session_id == transcript.info.cli_session_id

    def poll(self) -> bool:
        """Publish what is new; return True if the file should be read again soon."""
        with self._lock:
            if self._file is None:
                return False
            for parsed in self._file.read():
                self._take(self._file, parsed)
            self._read_companions(publish=True)
            self._log_skipped()
            return self._file.unfinished

    def cancel_calls(self) -> None:
        """Publish that the pending calls of a CLI that has ended are cancelled."""
        with self._lock:
            messages = map(with_calls_cancelled, self._conversation.messages())
            self._publish(self._conversation.apply(messages))

    def page(self, before: str | None, after: str | None, limit: int) -> MessagePage | None:
        """Return a page of the conversation; None if the message is unknown."""
        with self._lock:
            page = self._find(before, after, limit)
            if page is None:
                return None
            messages, more = page
            return MessagePage(tuple(messages), more, dict(self._status) or None)

    def _find(
        self, before: str | None, after: str | None, limit: int
    ) -> tuple[Sequence[Message], bool] | None:
        if after is not None:
            later = self._conversation.after(after, limit)
            return (later, True) if later is not None else None
        if before is None:
            messages, more = self._conversation.last(limit)
            if len(messages) < limit and more and self._pages:
                return self._pages.last(limit)
            return messages, more
        held = self._conversation.before(before, limit)
        return held or (self._pages.before(before, limit) if self._pages else None)

    def _take(self, file: TranscriptFile, parsed: Parsed) -> None:
        messages = parsed.messages
        if self.transcript and self.transcript.rewritten:
            messages = messages[-KEEP:]  # older ones, repeated, would count as new
        if file.replaced:
            file.replaced = False
            self._publish_removed(self._conversation.without(messages))
            self._publish(self._conversation.replace_all(messages))
        else:
            self._publish_removed(self._conversation.remove_from(parsed.removed_from))
            self._publish(self._conversation.apply(messages))
        self._apply_events(parsed.events, publish=True)

    def _publish(self, changes: Iterable[Change]) -> None:
        at = self._store.now()
        for change in changes:
            for event in conversation_events.message_events(self.session_id, change, at):
                if self._deduplicator.accepts(event, TRANSCRIPT):
                    self._store.publish_transient(event)

    def _publish_removed(self, messages: Sequence[Message]) -> None:
        if messages:
            event = conversation_events.removed(self.session_id, messages, self._store.now())
            self._store.publish_transient(event)

    def _apply_events(self, parsed: Iterable[AgentEvent], *, publish: bool) -> None:
        window = self.adapter.info.capabilities.max_context_window
        for event in parsed:
            if event.type == "status_update":
                self._status.update(conversation_events.with_context(event, window))
                if publish:
                    self._publish_status()
            elif publish and event.type == "session_error":
                data = {**event.data, "error": plain(str(event.data.get("error", "")))}
                at = self._store.now()
                error = events.session_event(event.type, self.session_id, at, **data)
                self._store.commit([error], happened=True)

    def _missed_errors(self, window: Window) -> list[AgentEvent]:
        """Return this session's errors from before its transcript was found."""
        since = self._store.session(self.session_id).created_at
        fresh = {
            block.text
            for message in window.conversation.messages()
            if message.notice == "error" and message.at and message.at >= since
            for block in message.content
        }
        return [event for event in window.events() if plain(str(event.data.get("error"))) in fresh]

    def _publish_status(self) -> None:
        if self._status:
            at = self._store.now()
            self._store.publish_transient(
                events.session_event("status_update", self.session_id, at, **self._status)
            )

    def _log_skipped(self) -> None:
        if self.transcript is None:
            return
        version = self.transcript.info.version or self._store.session(self.session_id).cli_version
        for file in filter(None, (self._file, *self._companions.values())):
            self._skipping.log(file.path, file.skipped, self.adapter, version)

    def _read_companions(self, *, publish: bool) -> None:
        if self.transcript is None or not self.transcript.info.companions:
            return
        for companion in self._library.companions(self.transcript):
            name = companion.info.origin
            if companion.path not in self._companions:
                window = read_end(companion, self.adapter.parse_transcript, FIRST)
                self._companions[companion.path] = window.file
                self._merge(window.conversation.messages(), name, publish=publish)
            for parsed in self._companions[companion.path].read():
                self._merge(parsed.messages, name, publish=publish)

    def _merge(self, messages: Sequence[Message], name: str | None, *, publish: bool) -> None:
        """Merge what a subagent wrote, under its name."""
        named = [replace(message, origin=name or message.origin) for message in messages]
        changes = self._conversation.merge(named)
        if publish:
            self._publish(changes)


def spoken(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Return the role and text of each message."""
    return [
        (message.role, block.text)
        for message in messages
        for block in message.content
        if block.type == "text" and message.role in ("user", "assistant") and block.text.strip()
    ]
