"""The requests that wait for the user."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clawtap_codex.protocol import permissions, questions
from clawtap_codex.protocol.requests import ServerRequest
from clawtap_core import Ack, PromptRequested, RequestCancelled, Response, Write
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcRequest
from clawtap_core.protocol_io.json_values import mapping, text

Reader = Callable[[Mapping[str, Any], Mapping[str, Any]], ServerRequest]
READERS: dict[str, Reader] = {
    "item/commandExecution/requestApproval": permissions.command,
    "item/fileChange/requestApproval": permissions.edits,
    "item/permissions/requestApproval": permissions.permissions,
    "item/tool/requestUserInput": questions.questions,
    "mcpServer/elicitation/request": questions.elicitation,
}
RequestEnd = Ack | RequestCancelled


@dataclass(frozen=True, slots=True)
class _PendingRequest:
    id: int | str
    thread: str
    turn: str
    call: ServerRequest
    answered: bool = False


class PendingRequests:
    """All open requests of one connection.

    `sole_client`: no other client can answer them. `names`: the sub-agents' names by thread id.
    """

    def __init__(self, rpc: JsonRpc, *, sole_client: bool) -> None:
        self.names: dict[str, str] = {}
        self._rpc = rpc
        self._alone = sole_client
        self._waiting: dict[str, _PendingRequest] = {}
        self._items: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def receive(self, request: RpcRequest, main: str | None) -> PromptRequested | Write:
        """Turn a request of the CLI into a prompt, or refuse an unsupported one."""
        reader = READERS.get(request.method)
        if reader is None:
            return Write(self._rpc.refuse(request.id, f"{request.method} is not supported"))
        thread = text(request.params, "threadId")
        call = reader(request.params, self._item(request.params, thread))
        if main is not None and thread != main:
            origin = self.names.get(thread) or thread[-6:]
            call = replace(call, form=replace(call.form, origin=origin))
        name = json.dumps(request.id)
        turn = text(request.params, "turnId")
        self._waiting[name] = _PendingRequest(request.id, thread, turn, call)
        return PromptRequested(name, call.form)

    def thread_of(self, name: str) -> str | None:
        """Return the thread of an open request."""
        waiting = self._waiting.get(name)
        return waiting.thread if waiting else None

    def answer(self, name: str, response: Response) -> Write | None:
        """Reply to a request, or interrupt its turn if it cannot be refused."""
        waiting = self._waiting.get(name)
        if waiting is None or waiting.answered:
            return None
        data = self._answer(waiting, response)
        if data is None:
            return None
        self._waiting[name] = replace(waiting, answered=True)
        return Write(data, receipt=name)

    def resolved(self, params: Mapping[str, Any]) -> Iterator[RequestEnd]:
        """Close a request that the CLI reports as resolved."""
        name = json.dumps(params.get("requestId"))
        if name in self._waiting:
            yield self._finish(name, elsewhere=not self._alone)

    def turn_completed(self, thread: str, turn: str) -> Iterator[RequestEnd]:
        """Close the requests of a turn that ended."""
        for name, waiting in list(self._waiting.items()):
            if waiting.thread == thread and waiting.turn in (turn, ""):
                yield self._finish(name, elsewhere=False, detail="the turn ended")
        self._items = {i: kept for i, kept in self._items.items() if kept[0] != thread}

    def item(self, thread: str, item: Mapping[str, Any], *, done: bool) -> None:
        """Record an item that requests may refer to, and the names of sub-agents in it."""
        if done:
            self._items.pop(text(item, "id"), None)
        else:
            self._items[text(item, "id")] = (thread, item)
        if item.get("type") == "subAgentActivity":
            name = text(item, "agentPath").rstrip("/").rpartition("/")[2]
            self.names[text(item, "agentThreadId")] = name
        if item.get("type") == "collabAgentToolCall" and item.get("tool") == "spawnAgent":
            for agent in item.get("receiverThreadIds") or ():
                self.names.setdefault(str(agent), text(item, "prompt")[:60])

    def _answer(self, waiting: _PendingRequest, response: Response) -> bytes | None:
        reply = waiting.call.reply(response)
        if reply is not None:
            return self._rpc.reply(waiting.id, reply)
        if response.decision == "deny" and waiting.call.refused_by_interrupt and waiting.turn:
            params = {"threadId": waiting.thread, "turnId": waiting.turn}
            return self._rpc.request("turn/interrupt", params)
        return None

    def _finish(self, name: str, *, elsewhere: bool, detail: str | None = None) -> RequestEnd:
        waiting = self._waiting.pop(name)
        return Ack(name) if waiting.answered else RequestCancelled(name, elsewhere, detail)

    def _item(self, params: Mapping[str, Any], thread: str) -> Mapping[str, Any]:
        if found := self._items.get(text(params, "itemId")):
            return found[1]
        # A request of an MCP server names no item, so it belongs to a call of that server.
        server = text(params, "serverName")
        tool = text(mapping(params.get("_meta")), "tool_name")
        for item_thread, item in reversed(self._items.values()):
            calls = item.get("type") == "mcpToolCall" and item.get("server") == server
            if calls and item_thread == thread and tool in ("", item.get("tool")):
                return item
        return {}
