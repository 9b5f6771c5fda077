"""`HttpTransport`: the agent side of a server elsewhere, over REST and SSE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, TypeVar
from urllib.parse import quote

import requests

from clawtap_core import errors
from clawtap_core.client.replies import decoded, refused
from clawtap_core.client.stream import read_events
from clawtap_core.host import PluginStatus
from clawtap_core.model import (
    Event,
    LaunchRequest,
    PaneInfo,
    Prompt,
    QueuedMessage,
    Response,
    Screen,
    Session,
)
from clawtap_core.schemas import dump, load
from clawtap_core.transport import (
    AdapterStatus,
    Folder,
    JournalPage,
    MessagePage,
    Sent,
    Snapshot,
    StoredConversation,
    StoredSession,
)

T = TypeVar("T")
TIMEOUT = (5.0, 60.0)
"""Seconds to connect, and to wait: an answer is delivered and seen before its reply comes."""
SILENCE = 45.0
"""A stream that says nothing for three of its comments is dead."""


class HttpTransport:
    """A `Transport` to the server at `url`. `verify`: as requests has it, for own certificates."""

    def __init__(self, url: str, token: str, *, verify: bool | str = True) -> None:
        self._url = url.rstrip("/")
        self._http = requests.Session()
        self._http.headers["Authorization"] = f"Bearer {token}"
        self._http.verify = verify
        # Proxies and .netrc of the environment would carry the token elsewhere.
        self._http.trust_env = False

    def adapters(self) -> Sequence[AdapterStatus]:
        """Every adapter with its capabilities."""
        return self._list(AdapterStatus, "/adapters", "List adapters")

    def plugins(self) -> Sequence[PluginStatus]:
        """Every plugin's health."""
        return self._list(PluginStatus, "/plugins", "List plugins")

    def panes(self) -> Sequence[PaneInfo]:
        """Panes that could be adopted."""
        return self._list(PaneInfo, "/panes", "List panes")

    def folders(self) -> Sequence[Folder]:
        """Folders used before, newest first."""
        return self._list(Folder, "/folders", "List folders")

    def sessions(self) -> Sequence[Session]:
        """Every session, newest activity first."""
        return self._list(Session, "/sessions", "List sessions")

    def session(self, session_id: str) -> Session:
        """One session."""
        return load(Session, self._get(_path(session_id), "Read session"))

    def start(self, request: LaunchRequest) -> Session:
        """Start a CLI in a pane of its own."""
        return load(Session, self._post("/sessions", "Start session", dump(request)))

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        """Watch a pane that a user started."""
        body = {"adopt": pane, **({"adapter": adapter} if adapter else {})}
        return load(Session, self._post("/sessions", "Adopt pane", body))

    def rename(self, session_id: str, title: str) -> Session:
        """Give a session another title."""
        body = {"title": title}
        return load(Session, self._call("PATCH", _path(session_id), "Rename session", body))

    def end(self, session_id: str) -> None:
        """End a launched session; let go of an adopted one."""
        self._call("DELETE", _path(session_id), "End session")

    def message(self, session_id: str, text: str) -> Sent:
        """Send a message, or queue it."""
        return load(Sent, self._post(_path(session_id, "message"), "Send", {"message": text}))

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> MessagePage:
        """The last messages of the conversation, those before one id, or those after one."""
        query = {"before": before, "after": after, "limit": limit}
        path = _path(session_id, "messages")
        return load(MessagePage, self._get(path, "Read messages", query))

    def history(
        self, *, adapter: str | None = None, cwd: str | None = None, limit: int = 50
    ) -> Sequence[StoredSession]:
        """The conversations that the CLIs keep, newest first."""
        query = {"adapter": adapter, "cwd": cwd, "limit": limit}
        found = self._get("/history", "List stored sessions", query)
        return [load(StoredSession, each) for each in found]

    def stored(
        self, adapter: str, cli_session_id: str, *, before: str | None = None, limit: int = 50
    ) -> StoredConversation:
        """One stored conversation and its last messages, or those before one id."""
        path = f"/history/{_quoted(adapter)}/{_quoted(cli_session_id)}"
        query = {"before": before, "limit": limit}
        return load(StoredConversation, self._get(path, "Read stored session", query))

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        """What is queued."""
        return self._list(QueuedMessage, _path(session_id, "queue"), "Read queue")

    def edit_queued(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        """Change a queued message."""
        path = _path(session_id, "queue", message_id)
        return load(QueuedMessage, self._call("PATCH", path, "Edit message", {"message": text}))

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        self._call("DELETE", _path(session_id, "queue", message_id), "Take message back")

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        """Prompts that wait, oldest first."""
        path = "/pending" if session_id is None else _path(session_id, "pending")
        return self._list(Prompt, path, "List prompts")

    def prompt(self, request_id: str) -> Prompt:
        """One prompt by its requestId or toolCallId, ended or not."""
        return load(Prompt, self._get(f"/prompts/{_quoted(request_id)}", "Read prompt"))

    def respond(self, session_id: str, response: Response) -> Prompt:
        """Deliver an answer and see it delivered; the resolved prompt."""
        action = "Submit answers" if response.answers else "Respond"
        answered = self._post(_path(session_id, "respond"), action, dump(response))
        return self.prompt(answered["requestId"])

    def expand(self, session_id: str, request_id: str) -> Prompt:
        """Read the options that a scrolling list hides."""
        body = {"requestId": request_id}
        return load(Prompt, self._post(_path(session_id, "expand"), "Expand", body))

    def screen(self, session_id: str) -> Screen:
        """What the session's pane shows now."""
        return load(Screen, self._get(_path(session_id, "screen"), "Read screen"))

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> Screen:
        """Press keys or type text, if the screen still has this revision; the screen after."""
        typed = {"keys": list(keys)} if keys else {"text": text}
        body = {**typed, "screenRev": revision}
        return load(Screen, self._post(_path(session_id, "keys"), "Press keys", body))

    def interrupt(self, session_id: str) -> Session:
        """Stop what a busy session does."""
        return load(Session, self._post(_path(session_id, "interrupt"), "Interrupt"))

    def permission_mode(self, session_id: str, mode: str) -> Session:
        """Switch the permission mode."""
        path = _path(session_id, "permission-mode")
        return load(Session, self._post(path, "Switch mode", {"mode": mode}))

    def model(self, session_id: str, model: str) -> Session:
        """Switch the model."""
        path = _path(session_id, "model")
        return load(Session, self._post(path, "Switch model", {"model": model}))

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        """What happened, oldest first."""
        query = {"after": after, "limit": limit, "sessionId": session_id}
        return load(JournalPage, self._get("/journal", "Read journal", query))

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        """All that is now: what a stream without a past begins with."""
        events = self.events(session_id=session_id)
        with closing(events):  # type: ignore[type-var]
            for event in events:
                if event and event.type == "snapshot":
                    return load(Snapshot, event.data)
        raise errors.Unavailable(f"{self._url} sent no snapshot")

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[Event | None]:
        """Events as they come, None for each of the server's comments (every 15 s)."""
        path = "/events" if session_id is None else _path(session_id, "events")
        query = {"after": after, "screen": "true" if screens else None}
        with self._open("GET", path, "Watch events", query=query, stream=True) as answer:
            try:
                yield from read_events(answer.iter_lines(chunk_size=1, decode_unicode=False))
            except requests.RequestException:
                return

    def _list(self, kind: type[T], path: str, action: str) -> list[T]:
        return [load(kind, each) for each in self._get(path, action)]

    def _get(self, path: str, action: str, query: Mapping[str, Any] | None = None) -> Any:
        return decoded(self._open("GET", path, action, query=query), action)

    def _post(self, path: str, action: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._call("POST", path, action, body)

    def _call(
        self, method: str, path: str, action: str, body: Mapping[str, Any] | None = None
    ) -> Any:
        return decoded(self._open(method, path, action, body=body), action)

    def _open(
        self,
        method: str,
        path: str,
        action: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        stream: bool = False,
    ) -> requests.Response:
        url, timeout = f"{self._url}/api{path}", (TIMEOUT[0], SILENCE) if stream else TIMEOUT
        try:
            answer = self._http.request(
                method,
                url,
                json=body,
                params=query,
                stream=stream,
                timeout=timeout,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            raise errors.Unavailable(
                f"{action} failed: no answer from {self._url} ({type(error).__name__});"
                " is `clawtap serve` running?",
                code="server_unreachable",
            ) from error
        if not answer.ok or answer.is_redirect:
            raise refused(answer, action)
        return answer


def _path(session_id: str, *rest: str) -> str:
    return "/".join(("/sessions", *map(_quoted, (session_id, *rest))))


def _quoted(part: str) -> str:
    if not part.strip("."):
        # Dots alone would be taken as steps in the path, quoted or not.
        raise errors.NotFound(f"there is nothing by the id {part!r}")
    return quote(part, safe="")
