"""Search over sessions, messages and stored conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

from clawtap_core.host import Adapter, Host
from clawtap_core.model import (
    Event,
    MessageMatch,
    PromptForm,
    Response,
    SearchPage,
    Session,
    SessionMatch,
)
from clawtap_core.model.search import MOST_FOUND_SESSIONS
from clawtap_core.runtime.search.indexer import Indexer
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Timings
from clawtap_core.search.api import FoundMessage, IndexedConversation, Key, SearchIndex
from clawtap_core.search.query import Query, parse_query
from clawtap_core.search.snippet import snippet
from clawtap_core.transcripts.library import Library
from clawtap_core.transport import bad_cursor

_LARGEST = 2**63 - 1


class Search:
    """Finds sessions by their titles and messages by the index; without one, only sessions."""

    def __init__(
        self,
        store: StateStore,
        host: Host,
        index: SearchIndex | None,
        library: Callable[[Adapter], Library],
        timings: Timings,
    ) -> None:
        self._store = store
        self._host = host
        self._index = index
        self._indexer = Indexer(index, host, library, timings) if index else None

    def find(self, text: str, cursor: str | None, limit: int) -> SearchPage:
        """Return the sessions and messages with all the words of the text, newest first."""
        query = parse_query(text)
        before = _position(cursor)
        index = self._index
        indexed = {each.key: each for each in index.conversations()} if index else {}
        matching = list(index.find(query, before=before, limit=limit + 1)) if index else []
        latest = {key: session.id for key, session in self._by_conversation().items()}
        shown = matching[:limit]
        return SearchPage(
            tuple(self._sessions(query, indexed)) if cursor is None else (),
            tuple(
                _match(entry, indexed.get(entry.key), latest.get(entry.key), query)
                for entry in shown
            ),
            str(shown[-1].position) if len(matching) > limit else None,
            self._indexer is None or self._indexer.complete,
        )

    def on_event(self, event: Event, session: Session) -> None:
        """Read a conversation soon after it changed."""
        path = self._store.marker(session.id, "transcript") if event.type == "message" else None
        if path and self._indexer:
            self._indexer.changed(session.adapter, Path(path))

    def hide_secrets(self, form: PromptForm, response: Response) -> None:
        """Keep the answers to secret questions out of the index."""
        for number, question in enumerate(form.questions):
            answer = response.answers.get(str(number)) if question.secret else None
            for text in (answer,) if isinstance(answer, str) else answer or ():
                if self._indexer:
                    self._indexer.hide(text)

    def close(self) -> None:
        """Stop, and close the index."""
        if self._indexer and self._index:
            self._indexer.close()
            self._index.close()

    def _by_conversation(self) -> dict[Key, Session]:
        """Return the session of each conversation: a running one, else the latest."""
        sessions = sorted(
            self._store.sessions(),
            key=lambda session: (not session.state.over, session.last_activity),
        )
        return {
            (session.adapter, session.cli_session_id): session
            for session in sessions
            if session.cli_session_id
        }

    def _sessions(
        self, query: Query, indexed: dict[Key, IndexedConversation]
    ) -> list[SessionMatch]:
        matches = sorted(
            self._matches(query, indexed), key=lambda match: match.last_activity, reverse=True
        )
        return matches[:MOST_FOUND_SESSIONS]

    def _matches(
        self, query: Query, indexed: dict[Key, IndexedConversation]
    ) -> Iterator[SessionMatch]:
        names = {adapter.id: adapter.info.name for adapter in self._host.adapters}
        listed = set()
        for session in self._store.sessions():
            key = (session.adapter, session.cli_session_id or "")
            listed.add(key)
            title = _title(session, indexed.get(key))
            name = names.get(session.adapter, session.adapter)
            if query.is_in(f"{session.title}\n{title}\n{session.cwd}\n{name}"):
                yield SessionMatch(
                    session.adapter,
                    title,
                    session.last_activity,
                    session.cwd,
                    session.id,
                    session.cli_session_id,
                    session.archived,
                )
        for key, stored in indexed.items():
            name = names.get(key[0], key[0])
            if key not in listed and query.is_in(f"{stored.title}\n{stored.cwd or ''}\n{name}"):
                yield SessionMatch(
                    key[0], stored.title, stored.changed_at, stored.cwd, cli_session_id=key[1]
                )


def _title(session: Session, stored: IndexedConversation | None) -> str:
    """Return the title that somebody gave, else the CLI's own."""
    renamed = session.title not in ("", PurePath(session.cwd).name, session.cwd)
    return session.title if renamed or not stored else stored.title or session.title


def _match(
    entry: FoundMessage, stored: IndexedConversation | None, session_id: str | None, query: Query
) -> MessageMatch:
    message = entry.message
    return MessageMatch(
        *entry.key,
        message.id,
        message.role,
        message.at,
        stored.title if stored else "",
        stored.cwd if stored else None,
        session_id,
        snippet(message.text, query),
        str(entry.position),
    )


def _position(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdecimal() or len(cursor) > 19:
        raise bad_cursor()
    return min(int(cursor), _LARGEST)
