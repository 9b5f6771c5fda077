"""One conversation with `gemini --acp`: a session, its turns, and the permissions it asks for."""

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
    PeerEvent,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
    Write,
)
from clawtap_core.protocol_io.json_lines import BrokenLine
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest, mapping
from clawtap_gemini.protocol.permissions import CANCELLED, Permission, permission
from clawtap_gemini.protocol.tool_calls import text
from clawtap_gemini.protocol.updates import MODES, Updates

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


class GeminiPeer:
    """A session of its own."""

    def __init__(self, request: LaunchRequest) -> None:
        self._request = request
        self._rpc = JsonRpc()
        self._updates = Updates()
        self._waiting: dict[str, Permission] = {}
        self._session: str | None = None
        self._version = ""
        self._loading = False
        self._cancelled: list[str] = []
        self._said: Message | None = None
        self._busy = False
        self._sent = 0

    def open(self) -> bytes:
        """Say who we are, and that we offer neither files nor terminals."""
        return self._rpc.request("initialize", HELLO, (self._initialized,))

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """What the CLI says."""
        heard: list[PeerEvent] = []
        for message in self._rpc.feed(data):
            if self._said:
                heard.append(self._said)
                self._said = None
            heard += self._take(message)
        return heard

    def message(self, text: str) -> Write | None:
        """A turn: the CLI answers it only when it is over."""
        if self._session is None or self._busy:
            return None
        self._busy = True
        self._sent += 1
        self._said = Message(f"user:{self._sent}", "user", (Block("text", text),))
        prompt = [{"type": "text", "text": text}]
        fields = {"sessionId": self._session, "prompt": prompt}
        return Write(self._rpc.request("session/prompt", fields, (self._turn_over,)))

    def answer(self, call: str, response: Response) -> Write | None:
        """The answer to a request for permission."""
        waiting = self._waiting.get(call)
        result = waiting.result(response) if waiting else None
        if waiting is None or result is None:
            return None
        del self._waiting[call]
        return Write(self._rpc.reply(waiting.id, result))

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
        self._sent += 1
        receipt = f"sent:{self._sent}"
        about = (self._switched, receipt, facts)
        return Write(self._rpc.request(method, {**session, **fields}, about), receipt)

    # What the CLI says

    def _take(self, message: RpcRequest | RpcNotice | RpcReply | BrokenLine) -> Iterator[PeerEvent]:
        if isinstance(message, RpcReply):
            take, *rest = message.about
            yield from take(message, *rest)
        elif isinstance(message, RpcRequest):
            yield from self._asked(message)
        elif isinstance(message, BrokenLine):
            yield _error("broken_line", f"{message.why}: {message.beginning}")
        elif message.method == "session/update" and not self._loading:
            yield from self._updates.take(mapping(message.params.get("update")))

    def _asked(self, request: RpcRequest) -> Iterator[PeerEvent]:
        if request.method != "session/request_permission":
            yield Write(self._rpc.refuse(request.id, f"{request.method} is not supported"))
            return
        yield from self._updates.asked(mapping(request.params.get("toolCall")))
        name = json.dumps(request.id)
        plans = not self._version.startswith(_OLD)
        self._waiting[name] = permission(request.id, request.params, plans=plans)
        yield PromptRequested(name, self._waiting[name].form)

    def _initialized(self, reply: RpcReply) -> Iterator[PeerEvent]:
        if reply.error:
            yield from _refused("not_initialized", reply.error)
            return
        self._version = text(mapping(reply.result.get("agentInfo")), "version")
        if self._version:
            yield SessionFacts(cli_version=self._version)
        yield self._open_session(self._request.resume)

    def _open_session(self, resume: str | None) -> Write:
        fields: dict[str, Any] = {"cwd": self._request.cwd, "mcpServers": []}
        if resume is None:
            return Write(self._rpc.request("session/new", fields, (self._began, None)))
        # What was said before is told again while a session is loaded.
        self._loading = True
        fields["sessionId"] = resume
        return Write(self._rpc.request("session/load", fields, (self._began, resume)))

    def _began(self, reply: RpcReply, resumed: str | None) -> Iterator[PeerEvent]:
        self._loading = False
        if reply.error and resumed:
            # 0.61 finds no session that another process wrote.
            yield _error("not_resumed", f"{reply.error}; the CLI goes on without what was said")
            yield self._open_session(None)
        elif reply.error:
            yield from _refused("session_not_started", reply.error)
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
        for call in (*self._cancelled, *self._waiting):
            yield RequestCancelled(call, detail="the turn ended")
        self._cancelled, self._waiting = [], {}
        if reply.error:
            yield _error("turn_failed", reply.error)
        yield from _usage(reply.result)
        yield SessionFacts(SessionState.IDLE)
        yield Ack(_CANCEL)

    def _switched(self, reply: RpcReply, receipt: str, facts: SessionFacts) -> Iterator[PeerEvent]:
        if not reply.error:
            yield facts
        yield Ack(receipt, reply.error)

    def _cancel(self, session: Mapping[str, Any]) -> Write:
        """Cancel the turn, and every permission that it waits for, as the protocol demands."""
        data = self._rpc.notify("session/cancel", session)
        for waiting in self._waiting.values():
            data += self._rpc.reply(waiting.id, CANCELLED)
        self._cancelled += self._waiting
        self._waiting = {}
        return Write(data, _CANCEL)


def _refused(code: str, error: str) -> Iterator[PeerEvent]:
    """The CLI does not begin."""
    yield _error(code, error)
    yield SessionFacts(SessionState.ENDED)


def _error(code: str, error: str) -> AgentEvent:
    return AgentEvent("session_error", {"code": code, "error": error})


def _usage(result: Mapping[str, Any]) -> Iterator[AgentEvent]:
    quota = mapping(mapping(result.get("_meta")).get("quota"))
    counted = mapping(quota.get("token_count"))
    tokens = {name: value for name, value in counted.items() if isinstance(value, int)}
    if tokens:
        yield AgentEvent("status_update", {"tokens": tokens})
