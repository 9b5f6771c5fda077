"""A second way into the prompts of a TUI: the server that runs in its process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clawtap_core import (
    Ack,
    Action,
    Daemon,
    HttpServer,
    PeerEvent,
    PromptRequested,
    RequestCancelled,
    Response,
    Write,
    hookimpl,
)
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply
from clawtap_core.protocol_io.json_values import mapping
from clawtap_opencode.protocol import requests
from clawtap_opencode.protocol.requests import Request
from clawtap_opencode.subagents import subagent_name

_USER = "opencode"
_MOST = 100
_ASKED = {"permission.asked": requests.permission, "question.asked": requests.question}
_OVER = {"permission.replied", "question.replied", "question.rejected"}


@hookimpl
def open_daemon(env: Mapping[str, str], argv: Sequence[str]) -> Daemon:
    """Return the server of this process, at the port of its arguments or of its settings."""
    user = env.get("OPENCODE_SERVER_USERNAME") or _USER
    password = env.get("OPENCODE_SERVER_PASSWORD") or ""
    server = HttpServer("/event", _port(argv), user, password)
    return Daemon(server, ServerPeer())


def _port(argv: Sequence[str]) -> int | None:
    """Return the port in the arguments; None where OpenCode chooses it."""
    for argument, value in zip(argv, (*argv[1:], ""), strict=False):
        name, equals, given = argument.partition("=")
        if name == "--port":
            port = given if equals else value
            return int(port) or None if port.isdecimal() and len(port) < 6 else None
    return None


class ServerPeer:
    """A client of the conversations in a TUI: the screen says which of them asks now."""

    def __init__(self) -> None:
        self._rpc = JsonRpc(version=False)
        self._waiting: dict[str, Request] = {}
        self._reported: set[str] = set()
        self._sessions: dict[str, Mapping[str, Any] | None] = {}
        self._given: dict[str, object] = {}

    def open(self) -> bytes:
        """Ask what waits; the events say what comes later."""
        permissions = self._get("/permission", (self._listed, requests.permission))
        return permissions + self._get("/question", (self._listed, requests.question))

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """Handle replies and events of the server."""
        return [event for message in self._rpc.feed(data) for event in self._take(message)]

    def message(self, text: str) -> Write | None:
        """Return None: messages are typed into the pane."""
        return None

    def control(self, action: Action) -> Write | None:
        """Return None: actions are keys in the pane."""
        return None

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request; its event confirms that."""
        request = self._waiting.get(call)
        if request is None or (answer := requests.reply(request, response)) is None:
            return None
        path, body = answer
        self._given[call] = body.get("reply") or body.get("answers")
        return Write(self._rpc.request(f"POST {path}", body, (self._replied, call)), receipt=call)

    def _get(self, path: str, about: tuple[Any, ...]) -> bytes:
        return self._rpc.request(f"GET {path}", {}, about)

    def _take(self, message: object) -> Iterator[PeerEvent]:
        if isinstance(message, RpcReply) and isinstance(message.about, tuple):
            take, *rest = message.about
            yield from take(message, *rest)
        elif isinstance(message, RpcNotice):
            kind, about = str(message.params.get("type")), mapping(message.params.get("properties"))
            if kind in _OVER:
                yield from self._over(about)
            elif read := _ASKED.get(kind):
                self._add(read(about))
                yield from self._report()

    def _listed(
        self, reply: RpcReply, read: Callable[[Mapping[str, Any]], Request | None]
    ) -> Iterator[PeerEvent]:
        listed = reply.result.get("body")
        for item in listed if isinstance(listed, list) else ():
            self._add(read(mapping(item)))
        yield from self._report()

    def _add(self, request: Request | None) -> None:
        if request and len(self._waiting) < _MOST:
            self._waiting.setdefault(request.id, request)

    def _report(self) -> Iterator[PeerEvent]:
        """Report what waits, in the order in which the TUI shows it."""
        for name in {request.session for request in self._waiting.values()} - set(self._sessions):
            self._sessions[name] = None
            yield Write(self._get(f"/session/{name}", (self._described, name)))
        for request in sorted(self._waiting.values(), key=lambda item: (item.session, item.id)):
            session = self._sessions[request.session]
            if session is None:
                continue
            if self._is_ambiguous(request):
                if request.id in self._reported:
                    yield RequestCancelled(request.id)
                self._reported.discard(request.id)
            elif request.id not in self._reported:
                self._reported.add(request.id)
                origin = _subagent(session) if session.get("parentID") else None
                yield PromptRequested(request.id, replace(request.form, origin=origin))

    def _described(self, reply: RpcReply, name: str) -> Iterator[PeerEvent]:
        self._sessions[name] = mapping(reply.result.get("body"))
        yield from self._report()

    def _is_ambiguous(self, request: Request) -> bool:
        """Return True if the screen does not tell this request from another one that waits.

        Those are the same call in another conversation, and another edit of the same file.
        """
        return any(
            other is not request
            and other.form.tool_name == request.form.tool_name
            and other.form.tool_input == request.form.tool_input
            and other.form.questions == request.form.questions
            and (
                other.form.description != request.form.description
                or self._root(other.session) != self._root(request.session)
            )
            for other in self._waiting.values()
        )

    def _root(self, name: str) -> str:
        parent = (self._sessions.get(name) or {}).get("parentID")
        return parent if isinstance(parent, str) else name

    def _over(self, about: Mapping[str, Any]) -> Iterator[PeerEvent]:
        call = str(about.get("requestID"))
        request = self._waiting.pop(call, None)
        self._reported.discard(call)
        if request is None:
            return
        if call in self._given:
            said = about.get("reply") or about.get("answers")
            if self._given.pop(call) == said:
                yield Ack(call)
                return
            yield Ack(call, "it was answered in the terminal")
        yield RequestCancelled(call, elsewhere=True)

    def _replied(self, reply: RpcReply, call: str) -> Iterator[PeerEvent]:
        if reply.error is not None and call in self._given:
            del self._given[call]
            yield Ack(call, error=reply.error)


def _subagent(session: Mapping[str, Any]) -> str:
    title, agent = session.get("title"), session.get("agent")
    return subagent_name(
        title if isinstance(title, str) else None, agent if isinstance(agent, str) else None
    )
