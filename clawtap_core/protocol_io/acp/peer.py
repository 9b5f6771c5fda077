"""One session over ACP: its turns, and what it asks for.

The package `agent-client-protocol` is not used: its connection is bound to asyncio streams and
to pydantic, and has no side that takes bytes and gives bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from clawtap_core.model import (
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
    SwitchModel,
    Write,
)
from clawtap_core.protocol_io.acp.dialect import Dialect
from clawtap_core.protocol_io.acp.permissions import CANCELLED, Permission, permission
from clawtap_core.protocol_io.acp.tool_calls import Payload
from clawtap_core.protocol_io.acp.updates import TurnUpdates
from clawtap_core.protocol_io.json_lines import BrokenLine
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest
from clawtap_core.protocol_io.json_values import mapping, objects_in, text

HELLO = {
    "protocolVersion": 1,
    "clientInfo": {"name": "clawtap", "title": "ClawTap", "version": "0.1"},
    "clientCapabilities": {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    },
}
LOGIN_REQUIRED = "login_required"
_CANCEL = "cancel"
_AUTH_REQUIRED = -32000  # of the protocol
_NO_ANSWER = "the CLI ended the turn without an answer, and does not say why"
_NOT_SENT = "the message reached no model, and the CLI does not say why: a hook may have refused it"


class AcpPeer:
    """One session with a CLI that speaks ACP in its dialect."""

    def __init__(self, request: LaunchRequest, dialect: Dialect) -> None:
        self._request, self._dialect = request, dialect
        self._mode_ids = {ours: theirs for theirs, ours in dialect.modes.items()}
        self._rpc = JsonRpc()
        self._updates = TurnUpdates(dialect)
        self._permissions: dict[str, Permission] = {}
        self._session: str | None = None
        self._version = ""
        self._repeats = False
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
        self._busy, self._updates.spoke, self._repeats = True, False, False
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
        if isinstance(action, Interrupt):
            return self._cancel() if self._busy else None
        if isinstance(action, SwitchMode) and action.mode not in self._mode_ids:
            return None
        self._count += 1
        ack = f"sent:{self._count}"
        return Write(self._switch(action, (self._switched, ack)), ack)

    def _switch(self, action: SwitchMode | SwitchModel, context: tuple[Any, ...]) -> bytes:
        if isinstance(action, SwitchMode):
            method, fields = "session/set_mode", {"modeId": self._mode_ids[action.mode]}
            facts = SessionFacts(mode=action.mode)
        else:
            method, fields = "session/set_model", {"modelId": action.model}
            facts = SessionFacts(model=action.model)
        params = {"sessionId": self._session, **fields}
        return self._rpc.request(method, params, (*context, facts))

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
        elif message.method == "session/update":
            update = mapping(message.params.get("update"))
            switches = text(update, "sessionUpdate") == "current_mode_update" and self._session
            if switches or not self._repeats:
                yield from self._updates.take(update)

    def _requested(self, request: RpcRequest) -> Iterator[PeerEvent]:
        if request.method != "session/request_permission":
            yield Write(self._rpc.refuse(request.id, f"{request.method} is not supported"))
            return
        asked = mapping(request.params.get("toolCall"))
        yield from self._updates.permission_requested(asked)
        name, call = json.dumps(request.id), self._updates.call(asked)
        self._permissions[name] = permission(
            request.id, request.params, call, self._dialect, self._version
        )
        yield PromptRequested(name, self._permissions[name].form)

    def _initialized(self, reply: RpcReply) -> Iterator[PeerEvent]:
        if reply.error:
            yield from _fail_start("not_initialized", reply)
            return
        self._version = text(mapping(reply.result.get("agentInfo")), "version")
        if self._version:
            yield SessionFacts(cli_version=self._version)
        yield self._open_session(self._request.resume)

    def _open_session(self, resume: str | None) -> Write:
        fields: dict[str, Any] = {"cwd": self._request.cwd, "mcpServers": []}
        if resume is None:
            return Write(self._rpc.request("session/new", fields, (self._opened, None)))
        # The CLI repeats the whole conversation; Gemini says that it is ready before the last text.
        self._repeats = True
        fields["sessionId"] = resume
        return Write(self._rpc.request("session/load", fields, (self._opened, resume)))

    def _opened(self, reply: RpcReply, resumed: str | None) -> Iterator[PeerEvent]:
        if reply.error and resumed:
            self._repeats = False
            yield _error(
                "not_resumed", f"{reply.error}; the CLI continues without the earlier conversation"
            )
            yield self._open_session(None)
        elif reply.error:
            yield from _fail_start("session_not_started", reply)
        else:
            self._session = resumed or text(reply.result, "sessionId")
            facts = SessionFacts(
                SessionState.IDLE,
                self._session,
                None,
                self._dialect.modes.get(_current(reply.result, "mode")),
                _current(reply.result, "model") or None,
            )
            yield from self._begin(facts, self._wishes(facts))

    def _wishes(self, facts: SessionFacts) -> list[SwitchMode | SwitchModel]:
        """Return what the command line could not choose, and the session does not have."""
        request, late = self._request, self._dialect.switched_at_start
        wishes: list[SwitchMode | SwitchModel] = []
        if "mode" in late and request.permission_mode not in (None, facts.mode):
            wishes.append(SwitchMode(str(request.permission_mode)))
        if "model" in late and request.model not in (None, facts.model):
            wishes.append(SwitchModel(str(request.model)))
        return wishes

    def _begin(
        self, facts: SessionFacts, wishes: list[SwitchMode | SwitchModel]
    ) -> Iterator[PeerEvent]:
        """Switch to the mode and the model that were asked for, then report the session as idle."""
        if wishes:
            yield Write(self._switch(wishes[0], (self._wish_done, facts, wishes[1:])))
        else:
            yield facts

    def _wish_done(
        self,
        reply: RpcReply,
        facts: SessionFacts,
        wishes: list[SwitchMode | SwitchModel],
        switched: SessionFacts,
    ) -> Iterator[PeerEvent]:
        if reply.error:
            yield from _fail_start("session_not_started", reply)
            return
        mode, model = switched.mode or facts.mode, switched.model or facts.model
        yield from self._begin(replace(facts, mode=mode, model=model), wishes)

    def _turn_over(self, reply: RpcReply) -> Iterator[PeerEvent]:
        yield from self._updates.flush()
        self._busy = False
        for call in (*self._cancelled, *self._permissions):
            yield RequestCancelled(call, detail="the turn ended")
        self._cancelled, self._permissions = [], {}
        if reply.error:
            yield self._dialect.failure(reply.error)
        elif text(reply.result, "stopReason") == "end_turn" and not self._updates.spoke:
            if self._dialect.asked_no_model(reply.result):
                yield _error("message_refused", _NOT_SENT)
            elif self._dialect.hides_errors(self._version):
                yield self._dialect.failure(_NO_ANSWER)
        if tokens := self._dialect.tokens(reply.result):
            yield AgentEvent("status_update", {"tokens": tokens})
        yield SessionFacts(SessionState.IDLE)
        yield Ack(_CANCEL)

    def _switched(self, reply: RpcReply, ack: str, facts: SessionFacts) -> Iterator[PeerEvent]:
        if not reply.error:
            yield facts
        yield Ack(ack, reply.error)

    def _cancel(self) -> Write:
        # The protocol demands a reply to every permission that the turn waits for.
        data = self._rpc.notify("session/cancel", {"sessionId": self._session})
        for request in self._permissions.values():
            data += self._rpc.reply(request.id, CANCELLED)
        self._cancelled += self._permissions
        self._permissions = {}
        return Write(data, _CANCEL)


def _current(opened: Payload, what: str) -> str:
    """Return the mode or the model of a session; some CLIs name it among their options only."""
    if current := text(mapping(opened.get(f"{what}s")), f"current{what.title()}Id"):
        return current
    options = (each for each in objects_in(opened, "configOptions") if text(each, "id") == what)
    return next((text(option, "currentValue") for option in options), "")


def _fail_start(code: str, reply: RpcReply) -> Iterator[PeerEvent]:
    yield _error(LOGIN_REQUIRED if reply.code == _AUTH_REQUIRED else code, reply.error or "")
    yield SessionFacts(SessionState.ENDED)


def _error(code: str, error: str) -> AgentEvent:
    return AgentEvent("session_error", {"code": code, "error": error})
