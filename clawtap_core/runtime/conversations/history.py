"""The conversations that the CLIs keep on this machine, ClawTap's and others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.host import Adapter, Host
from clawtap_core.model import MessagePage, StoredConversation, StoredSession
from clawtap_core.runtime.conversations import matching
from clawtap_core.runtime.conversations.service import Conversations
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.transcripts.library import Transcript
from clawtap_core.transcripts.pages import Pages


class History:
    """Stored sessions of every CLI, read from their files."""

    def __init__(self, store: StateStore, host: Host, conversations: Conversations) -> None:
        self._store = store
        self._host = host
        self._conversations = conversations

    def list(self, adapter: str | None, cwd: str | None, limit: int) -> list[StoredSession]:
        """Return stored sessions, newest first, optionally of one adapter or folder."""
        adapters = [self._host.adapter(adapter)] if adapter else self._host.adapters
        folder = str(Path(cwd)) if cwd else None
        stored = [
            (each_adapter, transcript)
            for each_adapter in adapters
            if each_adapter.has("transcript_sources")
            for transcript in _largest(self._conversations.library(each_adapter).find())
            if folder is None or transcript.info.cwd == folder
        ]
        stored.sort(key=lambda pair: pair[1].changed_at, reverse=True)
        return [self._stored(*pair) for pair in stored[:limit]]

    def read(
        self, adapter: str, cli_session_id: str, before: str | None, limit: int
    ) -> StoredConversation:
        """Return a stored session with its last messages, or those before one."""
        chosen = self._host.adapter(adapter)
        library = self._conversations.library(chosen)
        transcript = matching.by_id(cli_session_id, library.find())
        if transcript is None:
            raise NotFound(
                f"no such stored session: {cli_session_id!r}",
                code=ErrorCode.STORED_SESSION_NOT_FOUND,
            )
        pages = Pages(transcript.path, chosen.parse_transcript, rewritten=transcript.rewritten)
        piece = pages.last(limit) if before is None else pages.before(before, limit)
        if piece is None:
            raise NotFound(f"no such message: {before!r}", code=ErrorCode.MESSAGE_NOT_FOUND)
        page = MessagePage(tuple(piece[0]), piece[1])
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


def _largest(transcripts: Iterable[Transcript]) -> Iterable[Transcript]:
    """Return the largest file of each conversation, without those of subagents."""
    own: dict[str, Transcript] = {}
    for transcript in transcripts:
        largest = own.get(transcript.info.cli_session_id)
        if not transcript.info.origin and (largest is None or transcript.size > largest.size):
            own[transcript.info.cli_session_id] = transcript
    return own.values()
