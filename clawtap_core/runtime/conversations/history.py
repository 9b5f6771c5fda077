"""The conversations that the CLIs keep on this machine, ClawTap's and others."""

from __future__ import annotations

import os
from datetime import datetime
from operator import itemgetter
from pathlib import Path

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.host import Adapter, Host
from clawtap_core.model import HistoryPage, StoredConversation, StoredSession, stored_place
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.pages import MessagePlace, Pages
from clawtap_core.transcripts.transcript import Transcript
from clawtap_core.transport import bad_cursor


class History:
    """Stored sessions of every CLI, read from their files."""

    def __init__(self, store: StateStore, host: Host, conversations: Conversations) -> None:
        self._store = store
        self._host = host
        self._conversations = conversations

    def page(
        self, adapter: str | None, cwd: str | None, cursor: str | None, limit: int
    ) -> HistoryPage:
        """Return stored sessions, newest first, optionally of one adapter or folder.

        A cursor is the place of the last session of the page before.
        """
        if cursor is not None and not _is_place(cursor):
            raise bad_cursor()
        adapters = [self._host.adapter(adapter)] if adapter else self._host.adapters
        folders = (str(Path(cwd)), os.path.realpath(cwd)) if cwd else ()
        stored = [
            (
                stored_place(
                    transcript.changed_at, each_adapter.id, transcript.info.cli_session_id
                ),
                each_adapter,
                transcript,
            )
            for each_adapter in adapters
            if each_adapter.has("transcript_sources")
            for transcript in self._conversations.library(each_adapter).conversations()
            if not folders or transcript.info.cwd in folders
        ]
        rows = [row for row in stored if cursor is None or row[0] < cursor]
        rows.sort(key=itemgetter(0), reverse=True)
        more = rows[limit - 1][0] if len(rows) > limit else None
        return HistoryPage(tuple(self._stored(*row[1:]) for row in rows[:limit]), more)

    def read(
        self, adapter: str, cli_session_id: str, place: MessagePlace, limit: int
    ) -> StoredConversation:
        """Return a stored session with its last messages, or those at a place."""
        chosen = self._host.adapter(adapter)
        library = self._conversations.library(chosen)
        transcript = matching.by_id(cli_session_id, library.find())
        if transcript is None:
            raise NotFound(
                f"no such stored session: {cli_session_id!r}",
                code=ErrorCode.STORED_SESSION_NOT_FOUND,
            )
        page = Pages(transcript, chosen.parse_transcript).at(place, limit)
        if page is None:
            raise NotFound(f"no such message: {place.name!r}", code=ErrorCode.MESSAGE_NOT_FOUND)
        return StoredConversation(self._stored(chosen, transcript), page)

    def _stored(self, adapter: Adapter, transcript: Transcript) -> StoredSession:
        info = transcript.info
        library = self._conversations.library(adapter)
        status = library.latest_status(transcript) if adapter.has("parse_transcript") else {}
        identity = (adapter.id, info.cli_session_id)
        running = (s for s in self._store.sessions() if (s.adapter, s.cli_session_id) == identity)
        return StoredSession(
            adapter.id,
            info.cli_session_id,
            transcript.changed_at,
            info.cwd,
            info.title,
            info.started_at,
            next((session.id for session in running if not session.state.over), None),
            status.get("model"),
            status.get("summary"),
        )


def _is_place(cursor: str) -> bool:
    try:
        return datetime.fromisoformat(cursor.partition(" ")[0]).tzinfo is not None
    except ValueError:
        return False
