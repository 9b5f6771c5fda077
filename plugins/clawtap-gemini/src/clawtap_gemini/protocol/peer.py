"""Gemini CLI over ACP (agent client protocol): a session, its turns, and what it asks for.

The package `agent-client-protocol` is not used: its connection is bound to asyncio streams and
to pydantic, and has no side that takes bytes and gives bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clawtap_core import (
    Ack,
    Action,
    AgentEvent,
    Block,
    Interrupt,
    LaunchRequest,
    Message,
    Peer,
    PeerEvent,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
    Write,
    hookimpl,
)
from clawtap_core.protocol_io.json_lines import BrokenLine
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest, mapping
from clawtap_core.transcripts.usage_limit import limit_reached
from clawtap_gemini.protocol.permissions import CANCELLED, Permission, permission
from clawtap_gemini.protocol.tool_calls import text
from clawtap_gemini.protocol.updates import MODES, TurnUpdates
from clawtap_gemini.transcript.conversation import LIMIT

HELLO = {
    "protocolVersion": 1,
    "clientInfo": {"name": "clawtap", "title": "ClawTap", "version": "0.1"},
    "clientCapabilities": {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    },
}
_MODE_IDS = {ours: theirs for theirs, ours in MODES.items()}
_OLD = "0.34."
_CANCEL = "cancel"


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return the peer of `gemini --acp`."""
    return GeminiPeer(request) if request.channel == "protocol" else None


class GeminiPeer:
    """One session with `gemini --acp`."""

    def __init__(self, request: LaunchRequest) -> None:
        self._request = request
        self._rpc = JsonRpc()
        self._updates = TurnUpdates()
        self._permissions: dict[str, Permission] = {}
        self._session: str | None = None
        self._version = ""
        self._loading = False
        self._cancelled: list[str] = []
        self._unreported: Message | None = None
        self._busy = False
        self._count = 0

    def open(self) -> bytes:
        """Introduce ourselves; we offer neither files nor terminals."""
        return self._rpc.request("initialize", HELLO, (self._initialized,))

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """Return the events in what the CLI wrote."""
        events: list[PeerEvent] = []
        for message in self._rpc.feed(data):
            if self._unreported:
                events.append(self._unreported)
                self._unreported = None
            events += self._handle(message)
        return events

    def message(self, text: str) -> Write | None:
        """Start a turn; the CLI replies to the request when the turn is over."""
        if self._session is None or self._busy:
            return None
        self._busy = True
        self._count += 1
        self._unreported = Message(f"user:{self._count}", "user", (Block("text", text),))
        prompt = [{"type": "text", "text": text}]
        fields = {"sessionId": self._session, "prompt": prompt}
        return Write(self._rpc.request("session/prompt", fields, (self._turn_over,)))

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request for permission."""
        request = self._permissions.get(call)
        result = request.result(response) if request else None
        if request is None or result is None:
            return None
        del self._permissions[call]
        return Write(self._rpc.reply(request.id, result))

    def control(self, action: Action) -> Write | None:
        """Cancel the turn, or switch the mode or the model."""
        if self._session is None:
            return None
        session = {"sessionId": self._session}
        if isinstance(action, Interrupt):
            return self._cancel(session) if self._busy else None
        if isinstance(action, SwitchMode):
            if action.mode not in _MODE_IDS:
                return None
            method, fields = "session/set_mode", {"modeId": _MODE_IDS[action.mode]}
            facts = SessionFacts(mode=action.mode)
        else:
            method, fields = "session/set_model", {"modelId": action.model}
            facts = SessionFacts(model=action.model)
        self._count += 1
        ack = f"sent:{self._count}"
        context = (self._switched, ack, facts)
        return Write(self._rpc.request(method, {**session, **fields}, context), ack)

    def _handle(
        self, message: RpcRequest | RpcNotice | RpcReply | BrokenLine
    ) -> Iterator[PeerEvent]:
        if isinstance(message, RpcReply):
            take, *rest = message.about
            yield from take(message, *rest)
        elif isinstance(message, RpcRequest):
            yield from self._requested(message)
        elif isinstance(message, BrokenLine):
            yield _error("broken_line", f"{message.why}: {message.beginning}")
        elif message.method == "session/update" and not self._loading:
            yield from self._updates.take(mapping(message.params.get("update")))

    def _requested(self, request: RpcRequest) -> Iterator[PeerEvent]:
        if request.method != "session/request_permission":
            yield Write(self._rpc.refuse(request.id, f"{request.method} is not supported"))
            return
        yield from self._updates.permission_requested(mapping(request.params.get("toolCall")))
        name = json.dumps(request.id)
        plans = not self._version.startswith(_OLD)
        self._permissions[name] = permission(request.id, request.params, plans=plans)
        yield PromptRequested(name, self._permissions[name].form)

    def _initialized(self, reply: RpcReply) -> Iterator[PeerEvent]:
        if reply.error:
            yield from _fail_start("not_initialized", reply.error)
            return
        self._version = text(mapping(reply.result.get("agentInfo")), "version")
        if self._version:
            yield SessionFacts(cli_version=self._version)
        yield self._open_session(self._request.resume)

    def _open_session(self, resume: str | None) -> Write:
        fields: dict[str, Any] = {"cwd": self._request.cwd, "mcpServers": []}
        if resume is None:
            return Write(self._rpc.request("session/new", fields, (self._opened, None)))
        # While a session is loaded, the CLI repeats its whole conversation.
        self._loading = True
        fields["sessionId"] = resume
        return Write(self._rpc.request("session/load", fields, (self._opened, resume)))

    def _opened(self, reply: RpcReply, resumed: str | None) -> Iterator[PeerEvent]:
        self._loading = False
        if reply.error and resumed:
            # 0.61 finds no session that another process wrote.
            yield _error(
                "not_resumed", f"{reply.error}; the CLI continues without the earlier conversation"
            )
            yield self._open_session(None)
        elif reply.error:
            yield from _fail_start("session_not_started", reply.error)
        else:
            self._session = resumed or text(reply.result, "sessionId")
            yield SessionFacts(
                SessionState.IDLE,
                self._session,
                None,
                MODES.get(text(mapping(reply.result.get("modes")), "currentModeId")),
                text(mapping(reply.result.get("models")), "currentModelId") or None,
            )

    def _turn_over(self, reply: RpcReply) -> Iterator[PeerEvent]:
        yield from self._updates.flush()
        self._busy = False
        for call in (*self._cancelled, *self._permissions):
            yield RequestCancelled(call, detail="the turn ended")
        self._cancelled, self._permissions = [], {}
        if reply.error:
            limited = LIMIT.search(reply.error)
            # It says nowhere when a quota begins again.
            yield (
                limit_reached(reply.error, None) if limited else _error("turn_failed", reply.error)
            )
        quota = mapping(mapping(reply.result.get("_meta")).get("quota"))
        counts = mapping(quota.get("token_count"))
        if tokens := {name: value for name, value in counts.items() if isinstance(value, int)}:
            yield AgentEvent("status_update", {"tokens": tokens})
        yield SessionFacts(SessionState.IDLE)
        yield Ack(_CANCEL)

    def _switched(self, reply: RpcReply, ack: str, facts: SessionFacts) -> Iterator[PeerEvent]:
        if not reply.error:
            yield facts
        yield Ack(ack, reply.error)

    def _cancel(self, session: Mapping[str, Any]) -> Write:
        # The protocol demands a reply to every permission that the turn waits for.
        data = self._rpc.notify("session/cancel", session)
        for request in self._permissions.values():
            data += self._rpc.reply(request.id, CANCELLED)
        self._cancelled += self._permissions
        self._permissions = {}
        return Write(data, _CANCEL)


def _fail_start(code: str, error: str) -> Iterator[PeerEvent]:
    yield _error(code, error)
    yield SessionFacts(SessionState.ENDED)


def _error(code: str, error: str) -> AgentEvent:
    return AgentEvent("session_error", {"code": code, "error": error})
