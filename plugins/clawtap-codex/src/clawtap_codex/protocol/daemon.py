"""The daemon that 0.169's TUI runs through; we are a second client of its threads.

Joining a thread while its prompt is open makes the daemon send us its requests too. The first
answer closes the prompt in both clients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from clawtap_codex.protocol.peer import CLIENT
from clawtap_codex.protocol.pending_requests import PendingRequests
from clawtap_core import Action, Daemon, PeerEvent, Response, Write, hookimpl
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest
from clawtap_core.protocol_io.json_values import mapping, objects_in, text

_SOCKET = ("app-server-control", "app-server-control.sock")
_LAST_TURN = {"limit": 1, "itemsView": "full"}


@hookimpl
def open_daemon(env: Mapping[str, str], cwd: str, cli_session_id: str | None) -> Daemon | None:
    """Return the daemon of this CODEX_HOME."""
    home = env.get("CODEX_HOME") or (f"{env['HOME']}/.codex" if env.get("HOME") else None)
    if home is None:
        return None
    socket = str(PurePosixPath(home, *_SOCKET))
    return Daemon(socket, DaemonPeer(cwd, cli_session_id))


class DaemonPeer:
    """A client of the thread in one pane and of its sub-agents.

    Without the thread's id it is the only one in this folder that waits for the user.
    """

    def __init__(self, cwd: str, thread: str | None) -> None:
        self._cwd = cwd
        self._thread = thread
        self._rpc = JsonRpc(version=False)
        self._pending = PendingRequests(self._rpc, sole_client=False)
        self._loaded = 0
        self._threads: dict[str, Mapping[str, Any]] = {}
        self._joined: set[str] = set()

    def open(self) -> bytes:
        """Return the first request."""
        return self._rpc.request("initialize", CLIENT, (self._initialized,))

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """Handle data from the daemon."""
        return [event for message in self._rpc.feed(data) for event in self._take(message)]

    def message(self, text: str) -> Write | None:
        """Return None: messages are typed into the pane."""
        return None

    def control(self, action: Action) -> Write | None:
        """Return None: actions are keys in the pane."""
        return None

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request of the thread in the pane."""
        # A sub-agent's is left to keys: the TUI would go on showing its prompt.
        if self._pending.thread_of(call) != self._thread:
            return None
        return self._pending.answer(call, response)

    def _take(self, message: object) -> Iterator[PeerEvent]:
        if isinstance(message, RpcReply) and isinstance(message.about, tuple):
            take, *rest = message.about
            yield from take(message, *rest)
        elif isinstance(message, RpcRequest):
            # Requests of other threads are for other clients.
            if text(message.params, "threadId") in self._joined:
                event = self._pending.receive(message, self._thread)
                if not isinstance(event, Write):
                    yield event
        elif isinstance(message, RpcNotice):
            yield from self._notice(message.method, message.params)

    def _notice(self, method: str, params: Mapping[str, Any]) -> Iterator[PeerEvent]:
        thread = text(params, "threadId")
        if method == "serverRequest/resolved":
            yield from self._pending.resolved(params)
        elif method in ("item/started", "item/completed"):
            item = mapping(params.get("item"))
            self._pending.item(thread, item, done=method == "item/completed")
        elif method == "turn/completed":
            yield from self._pending.turn_completed(thread, text(mapping(params.get("turn")), "id"))

    def _initialized(self, reply: RpcReply) -> Iterator[PeerEvent]:
        if reply.error is None:
            loaded = self._rpc.request("thread/loaded/list", {}, (self._listed,))
            yield Write(self._rpc.notify("initialized") + loaded)

    def _listed(self, reply: RpcReply) -> Iterator[PeerEvent]:
        loaded = reply.result.get("data")
        ids = [name for name in loaded if isinstance(name, str)] if isinstance(loaded, list) else []
        self._loaded = len(ids)
        for thread in ids:
            about = (self._described, thread)
            yield Write(self._rpc.request("thread/read", {"threadId": thread}, about))

    def _described(self, reply: RpcReply, thread: str) -> Iterator[PeerEvent]:
        self._threads[thread] = mapping(reply.result.get("thread"))
        if len(self._threads) < self._loaded:
            return
        roots = {
            name: self._root(name)
            for name, described in self._threads.items()
            if mapping(described.get("status")).get("activeFlags")
            and described.get("cwd") == self._cwd
        }
        if self._thread is None and len(set(roots.values())) == 1:
            self._thread = next(iter(roots.values()))
        for name in sorted(roots):
            if roots[name] == self._thread:
                yield self._join(name)

    def _root(self, thread: str) -> str:
        # The thread of a pane is the one that its sub-agents' threads descend from.
        for _ in self._threads:
            parent = text(self._threads.get(thread, {}), "parentThreadId")
            if not parent:
                break
            thread = parent
        return thread

    def _join(self, thread: str) -> Write:
        described = self._threads[thread]
        name = text(described, "agentNickname") or text(described, "agentRole")
        if name:
            self._pending.names.setdefault(thread, name)
        self._joined.add(thread)
        fields = {"threadId": thread, "excludeTurns": True, "initialTurnsPage": _LAST_TURN}
        return Write(self._rpc.request("thread/resume", fields, (self._resumed, thread)))

    def _resumed(self, reply: RpcReply, thread: str) -> Iterator[PeerEvent]:
        # Pending requests refer to items that started before we joined.
        for turn in objects_in(mapping(reply.result.get("initialTurnsPage")), "data"):
            for item in objects_in(turn, "items"):
                self._pending.item(thread, item, done=item.get("status") == "completed")
        yield from ()
