"""Search results as rows of the search page and of the command palette."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from clawtap_core.model import (
    Machine,
    MachineStatus,
    MessageMatch,
    SearchPage,
    SessionMatch,
    SnippetPart,
)
from clawtap_core.model.moments import wire_time
from clawtap_core.search.query import Query, parse_query
from clawtap_core.search.snippet import marked
from clawtap_core.server.request_input import MACHINE
from webui.markup.sanitizer import visible
from webui.viewmodels.session_row import short_path

PAGES = (
    ("/", "bell", "Needs you"),
    ("/new", "plus", "New session"),
    ("/adopt", "link", "Connect a running session"),
    ("/history", "history", "History"),
    ("/archived", "archive", "Archived sessions"),
    ("/journal", "journal", "Journal"),
    ("/settings", "settings", "Settings"),
)
# Pages that only owners can open.
OWNERS = frozenset(("/new", "/adopt"))
# Each presses a button of the page, where it has that button.
ACTIONS = (
    ("stage", "terminal", "Show or hide the terminal"),
    ("rename", "pencil", "Rename this session"),
    ("archive", "archive", "Archive this session"),
)
_ROLES = {"user": "You", "system": "Notice"}


@dataclass(frozen=True, slots=True)
class Place:
    """A page to go to, or an action of the page that is open."""

    label: str
    icon: str
    href: str = ""
    action: str = ""

    @property
    def owner(self) -> bool:
        """Return whether only owners can open it."""
        return self.href in OWNERS


@dataclass(frozen=True, slots=True)
class Hit:
    """A session or a message. `words` and `machine` say where it is from; `snippet` is of messages.

    `machine` is a name, and empty where there is only one. `follows`: the row above has the title.
    """

    href: str
    adapter: str
    title: tuple[SnippetPart, ...]
    at: str
    words: tuple[str, ...]
    snippet: tuple[SnippetPart, ...] = ()
    machine: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """All matches of a text, and the machines whose part is missing."""

    text: str
    places: tuple[Place, ...] = ()
    sessions: tuple[Hit, ...] = ()
    messages: tuple[Hit, ...] = ()
    more: str = ""
    complete: bool = True
    missing: tuple[MachineStatus, ...] = ()

    @property
    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.places) + len(self.sessions) + len(self.messages)


def places(text: str) -> tuple[Place, ...]:
    """Return the pages and actions whose names have words that begin with those of the text."""
    typed = text.lower().split()

    def offered(label: str) -> bool:
        words = label.lower().split()
        return all(any(word.startswith(part) for word in words) for part in typed)

    pages = [Place(label, icon, href=path) for path, icon, label in PAGES if offered(label)]
    actions = [Place(label, icon, action=name) for name, icon, label in ACTIONS if offered(label)]
    return (*pages, *actions)


def session_hit(match: SessionMatch, query: Query) -> Hit:
    """Return a session, or a stored conversation, as a row."""
    href = (
        f"/sessions/{quote(match.session_id, safe='')}"
        if match.session_id
        else stored_url(match.adapter, match.cli_session_id or "", machine=match.machine)
    )
    folder = short_path(match.cwd) if match.cwd else ""
    words = (folder, "archived" if match.archived else "")
    title = _marked(match.title or folder or "Conversation", query)
    at = wire_time(match.last_activity)
    return Hit(href, match.adapter, title, at, _filled(*words), machine=_name(match.machine))


def message_hit(match: MessageMatch, name: str, query: Query, *, follows: bool = False) -> Hit:
    """Return a message as a row that opens its conversation there; `name` is the CLI's."""
    if match.session_id:
        at = urlencode({"message": match.message_id})
        href = f"/sessions/{quote(match.session_id, safe='')}?{at}"
    else:
        href = stored_url(
            match.adapter, match.cli_session_id, match.message_id, machine=match.machine
        )
    folder = short_path(match.cwd) if match.cwd else ""
    title = _marked(match.title or folder or "Conversation", query)
    text = _visible(match.snippet)
    if not follows and _words(text).startswith(_words(title).rstrip("…")):
        title, text = text, ()  # The conversation is named after this message.
    words = _filled(_ROLES.get(match.role, name), "" if follows else folder)
    machine = _name(match.machine)
    return Hit(href, match.adapter, title, wire_time(match.at), words, text, machine, follows)


def results(text: str, page: SearchPage, names: dict[str, str]) -> Results:
    """Return the results of a search as rows; the messages of a conversation follow each other."""
    query = parse_query(text)
    return Results(
        text,
        places(text),
        tuple(session_hit(match, query) for match in page.sessions),
        tuple(_messages(page.messages, names, query)),
        page.cursor or "",
        page.complete,
        page.missing,
    )


def stored_url(
    adapter: str, cli_session_id: str, message_id: str = "", *, machine: Machine | None = None
) -> str:
    """Return the address of a stored conversation on its machine, at a message if one is named."""
    named = {"message": message_id, MACHINE: machine.id if machine else ""}
    query = urlencode({name: value for name, value in named.items() if value})
    path = f"/history/{quote(adapter, safe='')}/{quote(cli_session_id, safe='')}"
    return f"{path}?{query}" if query else path


def _messages(
    matches: Sequence[MessageMatch], names: dict[str, str], query: Query
) -> Iterator[Hit]:
    conversations: dict[tuple[object, ...], list[MessageMatch]] = {}
    for match in matches:
        key = (match.adapter, match.cli_session_id, match.machine)
        conversations.setdefault(key, []).append(match)
    for conversation in conversations.values():
        for match in conversation:
            name = names.get(match.adapter, match.adapter)
            yield message_hit(match, name, query, follows=match is not conversation[0])


def _marked(title: str, query: Query) -> tuple[SnippetPart, ...]:
    return _visible(marked(" ".join(title.split()), query))


def _visible(parts: Iterable[SnippetPart]) -> tuple[SnippetPart, ...]:
    return tuple(SnippetPart(visible(part.text), part.match) for part in parts)


def _words(parts: Iterable[SnippetPart]) -> str:
    return "".join(part.text for part in parts).strip()


def _name(machine: Machine | None) -> str:
    return visible(machine.name) if machine else ""


def _filled(*words: str) -> tuple[str, ...]:
    def filled() -> Iterator[str]:
        yield from (word for word in words if word)

    return tuple(filled())
