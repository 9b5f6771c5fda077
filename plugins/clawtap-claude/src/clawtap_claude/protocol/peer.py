"""Speak Claude Code's stream-json: one JSON object per line, with requests both ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from clawtap_claude.protocol.control_requests import Request, request_of
from clawtap_claude.protocol.streaming import Streaming
from clawtap_claude.transcript.parse import LIMIT
from clawtap_core import (
    Ack,
    Action,
    AgentEvent,
    Interrupt,
    LaunchRequest,
    PeerEvent,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
    SwitchModel,
    Write,
    hookimpl,
)
from clawtap_core.protocol_io.json_lines import BrokenLine, JsonLines, json_line
from clawtap_core.protocol_io.json_values import mapping, text
from clawtap_core.transcripts.usage_limit import limit_reached

_HELLO = "clawtap-hello"
_INTERRUPTED = ("error_during_execution",)


@hookimpl
def open_protocol(request: LaunchRequest) -> ClaudePeer:
    """Open a conversation over stdio."""
    return ClaudePeer()


class ClaudePeer:
    """One conversation; `_requests` holds the CLI's pending requests by id."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._streaming = Streaming()
        self._requests: dict[str, Request] = {}
        self._acts: dict[str, Action] = {}
        self._messages: list[str] = []
        self._agents: dict[str, str] = {}
        self._interrupting = False

    # Messages to the CLI

    def open(self) -> bytes:
        """Return the greeting; the CLI's answer to it shows that it is ready."""
        return _request(_HELLO, subtype="initialize", hooks=None)

    def message(self, text: str) -> Write:
        """Send a user's message with an id that the CLI repeats when it takes it."""
        name = str(uuid4())
        self._messages.append(name)
        self._interrupting = False
        line = {
            "type": "user",
            "uuid": name,
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
            "parent_tool_use_id": None,
            "session_id": "",
        }
        return Write(json_line(line), receipt=name)

    def answer(self, call: str, response: Response) -> Write | None:
        """Answer a request, or return None if the answer does not fit."""
        request = self._requests.get(call)
        reply = request.reply(response) if request else None
        if reply is None:
            return None
        del self._requests[call]
        return Write(_reply(call, reply))

    def control(self, action: Action) -> Write:
        """Interrupt, or switch mode or model; the CLI acknowledges it."""
        name = f"clawtap-{uuid4()}"
        self._acts[name] = action
        if isinstance(action, Interrupt):
            self._interrupting = True
            return Write(_request(name, subtype="interrupt"), receipt=name)
        if isinstance(action, SwitchMode):
            data = _request(name, subtype="set_permission_mode", mode=action.mode)
        else:
            data = _request(name, subtype="set_model", model=action.model)
        return Write(data, receipt=name)

    # What the CLI says

    def receive(self, data: bytes) -> Iterator[PeerEvent]:
        """Yield the events in new bytes."""
        for line in self._lines.feed(data):
            if isinstance(line, BrokenLine):
                error_text = f"{line.why}: {line.beginning}"
                yield AgentEvent("session_error", {"code": "not_understood", "error": error_text})
            else:
                yield from self._read(line)

    def _read(self, line: Mapping[str, Any]) -> Iterator[PeerEvent]:
        kind = line.get("type")
        if kind == "control_request":
            yield from self._asked(line)
        elif kind == "control_cancel_request":
            call = line.get("request_id")
            if isinstance(call, str) and call in self._requests:
                del self._requests[call]
                yield RequestCancelled(call)
        elif kind == "control_response":
            yield from self._replied(mapping(line.get("response")))
        elif kind == "system":
            yield from self._system(line)
        elif kind == "stream_event" and not line.get("parent_tool_use_id"):
            yield from self._streaming.read(mapping(line.get("event")))
        elif kind == "user" and line.get("isReplay"):
            yield from self._taken(line.get("uuid"))
        elif kind == "command_lifecycle":
            yield from self._taken(line.get("command_uuid"))
        elif kind == "result":
            yield from self._ended(line)

    def _asked(self, line: Mapping[str, Any]) -> Iterator[PeerEvent]:
        call, requested_fields = line.get("request_id"), mapping(line.get("request"))
        if not isinstance(call, str):
            return
        if requested_fields.get("subtype") == "hook_callback":
            yield Write(_reply(call, {"continue": True}))
        elif request := request_of(requested_fields, self._agents):
            self._requests[call] = request
            yield PromptRequested(call, request.form)
        else:
            why = f"ClawTap does not know {requested_fields.get('subtype')!r}"
            yield Write(_response(subtype="error", request_id=call, error=why))

    def _replied(self, response: Mapping[str, Any]) -> Iterator[PeerEvent]:
        name = response.get("request_id")
        if not isinstance(name, str):
            return
        refused = response.get("subtype") == "error"
        error = str(response.get("error") or "it gave no reason") if refused else None
        if name == _HELLO:
            # A CLI that is too old to be greeted is ready all the same.
            yield SessionFacts(SessionState.IDLE)
        action, fields = self._acts.pop(name, None), mapping(response.get("response"))
        if isinstance(action, SwitchMode) and not error:
            yield SessionFacts(mode=text(fields, "mode") or action.mode)
        elif isinstance(action, SwitchModel) and not error:
            yield SessionFacts(model=text(fields, "model") or action.model)
        yield Ack(name, error)

    def _system(self, line: Mapping[str, Any]) -> Iterator[PeerEvent]:
        kind, mode = line.get("subtype"), text(line, "permissionMode") or None
        if kind == "init":
            yield SessionFacts(
                SessionState.BUSY,
                text(line, "session_id") or None,
                text(line, "claude_code_version") or None,
                mode,
                text(line, "model") or None,
            )
            # Without names these are all that were sent: 2.1.85 repeats a message only after its
            # whole answer.
            named = line.get("user_message_uuids")
            for name in named if isinstance(named, list) else list(self._messages):
                yield from self._taken(name)
        elif kind == "status" and mode:
            yield SessionFacts(mode=mode)
        elif mapping(line.get("prompt_submit_outcome")).get("kind") == "blocked_by_hook":
            reason = text(mapping(line["prompt_submit_outcome"]), "reason")
            error = f"a hook refused the message: {reason or 'it gave no reason'}"
            yield AgentEvent("session_error", {"code": "message_refused", "error": error})
        elif kind == "task_started":
            agent, task = text(line, "task_id") or None, text(line, "description") or None
            if agent and task:
                self._agents[agent] = task

    def _taken(self, name: object) -> Iterator[PeerEvent]:
        if isinstance(name, str) and name in self._messages:
            self._messages.remove(name)
            yield Ack(name)

    def _ended(self, line: Mapping[str, Any]) -> Iterator[PeerEvent]:
        # A message that was a command of the CLI was taken, too.
        for name in list(self._messages):
            yield from self._taken(name)
        self._streaming = Streaming()
        interrupted, self._interrupting = self._interrupting, False
        cost = line.get("total_cost_usd")
        if isinstance(cost, (int, float)):
            yield AgentEvent("status_update", {"cost": cost})
        if line.get("is_error") and not interrupted and line.get("subtype") not in _INTERRUPTED:
            error = str(line.get("result") or line.get("subtype") or "the turn failed")
            failed = AgentEvent("session_error", {"code": "turn_failed", "error": error})
            yield limit_reached(error, None) if LIMIT.match(error) else failed
        yield SessionFacts(SessionState.IDLE)


def _request(name: str, **request: Any) -> bytes:
    return json_line({"type": "control_request", "request_id": name, "request": request})


def _reply(call: str, response: Mapping[str, Any]) -> bytes:
    return _response(subtype="success", request_id=call, response=response)


def _response(**response: Any) -> bytes:
    return json_line({"type": "control_response", "response": response})
