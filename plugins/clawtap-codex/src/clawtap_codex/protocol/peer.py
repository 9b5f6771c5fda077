"""One conversation with `codex app-server`: a thread, its turns and its requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawtap_codex.info import DEFAULT, PLAN
from clawtap_codex.protocol import modes
from clawtap_codex.protocol.items import ItemStream
from clawtap_codex.protocol.pending_requests import PendingRequests
from clawtap_codex.protocol.permissions import PLAN_APPROVAL_MESSAGE, PLAN_APPROVED, plan_form
from clawtap_codex.text import USAGE_LIMIT_TEXT
from clawtap_core import (
    Ack,
    Action,
    AgentEvent,
    Interrupt,
    LaunchRequest,
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
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest
from clawtap_core.protocol_io.json_values import mapping, text
from clawtap_core.transcripts.usage_limit import limit_reached

CLIENT = {
    "clientInfo": {"name": "clawtap", "title": "ClawTap", "version": "0.1"},
    "capabilities": {"experimentalApi": True},
}
_VERSION = re.compile(r"/(\d+\.\d+\.\d+\S*)")
_UNKNOWN = "unknown variant"


@hookimpl
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return a peer of `codex app-server`."""
    return CodexPeer(request) if request.channel == "protocol" else None


@dataclass(frozen=True, slots=True)
class _BeforeTurn:
    """What a turn changes here before the server has taken it, and is as before if it does not."""

    mode: str | None
    settings_wait: bool
    proposed: str | None


class CodexPeer:
    """The only client of an app server with one thread."""

    def __init__(self, request: LaunchRequest) -> None:
        self._request = request
        self._rpc = JsonRpc(version=False)
        self._pending = PendingRequests(self._rpc, sole_client=True)
        self._items = ItemStream()
        self._thread: str | None = None
        self._turn: str | None = None
        self._ended: str | None = None
        self._plan = ""
        self._proposed: str | None = None
        self._sent = 0
        self._model = ""
        self._mode = PLAN if request.permission_mode == PLAN else None
        self._settings_wait = bool(self._mode)  # they go with the next turn

    def open(self) -> bytes:
        """Return the first request."""
        return self._rpc.request("initialize", CLIENT, self._initialized)

    def receive(self, data: bytes) -> Sequence[PeerEvent]:
        """Handle data from the server."""
        return [event for message in self._rpc.feed(data) for event in self._take(message)]

    def message(self, text: str) -> Write | None:
        """Start a turn, with the settings that changed since the last one."""
        return self._start_turn(text, self._before_turn())

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request or a plan."""
        if call != self._proposed:
            return self._pending.answer(call, response)
        before, self._proposed = self._before_turn(), None
        if response.selected_option != PLAN_APPROVED:
            return Write(b"")
        self._mode, self._settings_wait = DEFAULT, True
        return self._start_turn(PLAN_APPROVAL_MESSAGE, before)

    def control(self, action: Action) -> Write | None:
        """Interrupt the turn, or change the settings of all that follow."""
        if self._thread is None:
            return None
        if isinstance(action, Interrupt):
            return self._interrupt()
        if isinstance(action, SwitchMode):
            if not modes.is_supported(action.mode):
                return None
            mode, model = action.mode, self._model
        else:
            mode, model = self._mode or "", action.model
        ack_id = self._next_ack_id()
        fields = {"threadId": self._thread, **modes.settings(mode or None, model)}
        about = (self._settings_taken, ack_id, mode or None, model)
        return Write(self._rpc.request("thread/settings/update", fields, about), ack_id)

    def _take(self, message: RpcRequest | RpcNotice | RpcReply | BrokenLine) -> Iterator[PeerEvent]:
        if isinstance(message, RpcReply):
            yield from self._reply(message)
        elif isinstance(message, RpcRequest):
            yield self._pending.receive(message, self._thread)
        elif isinstance(message, RpcNotice):
            yield from self._notice(message.method, message.params)
        else:
            yield _session_error("broken_line", f"{message.why}: {message.beginning}")

    def _reply(self, reply: RpcReply) -> Iterator[PeerEvent]:
        about = reply.about
        if callable(about):
            yield from about(reply)
        elif isinstance(about, tuple):
            take, *rest = about
            yield from take(reply, *rest)

    def _initialized(self, reply: RpcReply) -> Iterator[PeerEvent]:
        if reply.error:
            yield from _failed_start("not_initialized", reply.error)
            return
        if found := _VERSION.search(text(reply.result, "userAgent")):
            yield SessionFacts(cli_version=found[1])
        fields = modes.start(self._request)
        method = "thread/start"
        if self._request.resume:
            method, fields = "thread/resume", {"threadId": self._request.resume, **fields}
        yield Write(
            self._rpc.notify("initialized") + self._rpc.request(method, fields, self._began)
        )

    def _began(self, reply: RpcReply) -> Iterator[PeerEvent]:
        if reply.error:
            yield from _failed_start("thread_not_started", reply.error)
            return
        thread = mapping(reply.result.get("thread"))
        self._thread = text(thread, "id")
        self._model = text(reply.result, "model")
        mode = self._mode or modes.mode_of(reply.result)
        yield SessionFacts(SessionState.IDLE, self._thread, None, mode, self._model or None)

    def _turn_started(
        self, reply: RpcReply, ack_id: str, mode: str | None, before: _BeforeTurn
    ) -> Iterator[PeerEvent]:
        if reply.error:
            self._mode, self._proposed = before.mode, before.proposed
            self._settings_wait |= before.settings_wait
        else:
            yield from self._turn_begun(text(mapping(reply.result.get("turn")), "id"))
            if mode:
                yield SessionFacts(mode=mode)
        yield Ack(ack_id, reply.error)

    def _settings_taken(
        self, reply: RpcReply, ack_id: str, mode: str | None, model: str
    ) -> Iterator[PeerEvent]:
        # 0.116 does not have this request: there the settings go with the next turn.
        unsupported = _UNKNOWN in (reply.error or "")
        if reply.error and not unsupported:
            yield Ack(ack_id, reply.error)
            return
        self._mode, self._model, self._settings_wait = mode, model, unsupported
        yield SessionFacts(mode=mode, model=model or None)
        yield Ack(ack_id)

    def _interrupt_taken(self, reply: RpcReply, ack_id: str) -> Iterator[PeerEvent]:
        yield Ack(ack_id, reply.error)

    def _notice(self, method: str, params: Mapping[str, Any]) -> Iterator[PeerEvent]:
        thread = text(params, "threadId")
        if method == "serverRequest/resolved":
            yield from self._pending.resolved(params)
        elif method in ("item/started", "item/completed"):
            item, done = mapping(params.get("item")), method == "item/completed"
            self._pending.item(thread, item, done=done)
            if thread != self._thread:
                return
            if done and item.get("type") == "plan":
                self._plan = text(item, "text")
            yield from self._items.completed(item) if done else self._items.started(item)
        elif method == "turn/completed":
            yield from self._turn_completed(thread, mapping(params.get("turn")))
        elif thread == self._thread:
            yield from self._thread_notice(method, params)

    def _thread_notice(self, method: str, params: Mapping[str, Any]) -> Iterator[PeerEvent]:
        if method == "turn/started":
            yield from self._turn_begun(text(mapping(params.get("turn")), "id"))
        elif method == "thread/tokenUsage/updated":
            yield from _usage_event(mapping(params.get("tokenUsage")))
        elif method == "thread/settings/updated":
            settings = mapping(params.get("threadSettings"))
            self._model = text(settings, "model") or self._model
            yield SessionFacts(mode=modes.mode_of(settings), model=self._model or None)
        elif method == "thread/name/updated" and (name := text(params, "threadName")):
            yield AgentEvent("status_update", {"title": name})
        else:
            yield from self._items.delta(method, params)

    def _turn_begun(self, turn: str) -> Iterator[PeerEvent]:
        # A turn is reported by a reply and by a notice, in either order.
        if turn in (self._turn, self._ended):
            return
        self._turn, self._plan = turn, ""
        if self._proposed:
            yield RequestCancelled(self._proposed, detail="another turn began")
            self._proposed = None
        yield SessionFacts(SessionState.BUSY)

    def _turn_completed(self, thread: str, turn: Mapping[str, Any]) -> Iterator[PeerEvent]:
        name = text(turn, "id")
        yield from self._pending.turn_completed(thread, name)
        if thread != self._thread or (self._turn and name != self._turn):
            return
        self._turn, self._ended = None, name
        if error := mapping(turn.get("error")):
            words = text(error, "message") or "the turn failed"
            limited = USAGE_LIMIT_TEXT.match(words)
            yield limit_reached(words, None) if limited else _session_error("turn_failed", words)
        if self._plan and turn.get("status") == "completed":
            self._proposed = f"plan:{name}"
            yield PromptRequested(self._proposed, plan_form(self._plan))
        self._plan = ""
        yield SessionFacts(SessionState.IDLE)

    def _before_turn(self) -> _BeforeTurn:
        return _BeforeTurn(self._mode, self._settings_wait, self._proposed)

    def _start_turn(self, message: str, before: _BeforeTurn) -> Write | None:
        if self._thread is None:
            return None
        fields: dict[str, Any] = {"threadId": self._thread}
        fields["input"] = [{"type": "text", "text": message}]
        if self._settings_wait:
            fields.update(modes.settings(self._mode, self._model))
            self._settings_wait = False
        ack_id = self._next_ack_id()
        about = (self._turn_started, ack_id, self._mode, before)
        return Write(self._rpc.request("turn/start", fields, about), ack_id)

    def _interrupt(self) -> Write | None:
        if self._turn is None:
            return None
        ack_id = self._next_ack_id()
        params = {"threadId": self._thread, "turnId": self._turn}
        return Write(
            self._rpc.request("turn/interrupt", params, (self._interrupt_taken, ack_id)), ack_id
        )

    def _next_ack_id(self) -> str:
        self._sent += 1
        return f"sent:{self._sent}"


def _failed_start(code: str, error: str) -> Iterator[PeerEvent]:
    yield _session_error(code, error)
    yield SessionFacts(SessionState.ENDED)


def _session_error(code: str, error: str) -> AgentEvent:
    return AgentEvent("session_error", {"code": code, "error": error})


def _usage_event(usage: Mapping[str, Any]) -> Iterator[AgentEvent]:
    last, window = mapping(usage.get("last")), usage.get("modelContextWindow")
    tokens = {name: value for name, value in last.items() if isinstance(value, int)}
    if not tokens:
        return
    data: dict[str, Any] = {"tokens": tokens}
    if isinstance(window, int) and window > 0:
        data["contextPercent"] = round(100 * tokens.get("totalTokens", 0) / window, 1)
    yield AgentEvent("status_update", data)
