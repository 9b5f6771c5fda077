"""An MCP server over stdio with one tool, `ask_human`.

It is too small to be worth the official package, which depends on a web framework. Each call
waits in its own thread, and a cancelled call withdraws its prompt.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TextIO

from clawtap_core import __version__
from clawtap_core.client.ask import Asking, question, spoken, wait_patiently
from clawtap_core.errors import BadRequest, ClawTapError, ErrorCode
from clawtap_core.model import Prompt

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
PIECE = 20.0
TOOL: dict[str, Any] = {
    "name": "ask_human",
    "description": (
        "Ask the user a question and wait for the answer. The user sees it in a browser, on a"
        " phone or on the command line. Use it for decisions that are the user's."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "one sentence"},
            "details": {"type": "string", "description": "what the user has to know to decide"},
            "options": {
                "type": "array",
                "items": {"type": "string"},
                "description": "answers to choose from; a text of the user's own is taken too",
            },
            "multiple": {"type": "boolean", "description": "several options may be chosen"},
        },
        "required": ["question"],
    },
}
_METHOD_NOT_FOUND, _BAD_PARAMS, _BAD_REQUEST, _BAD_JSON = -32601, -32602, -32600, -32700
Message = dict[str, Any]


class McpServer:
    """Serves JSON-RPC messages, one per line, until the input ends."""

    def __init__(self, transport: Asking, out: TextIO, *, asker: str | None = None) -> None:
        self._transport = transport
        self._out = out
        self._asker = asker
        self._writing = threading.Lock()
        self._calls: dict[Any, str | None] = {}
        self._changing = threading.Lock()

    def run(self, lines: Iterable[str]) -> None:
        """Serve, and withdraw every open prompt when the input ends."""
        for line in lines:
            if line.strip():
                self._receive(line)
        for call in list(self._calls):
            self._cancel(call)

    def _receive(self, line: str) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._refuse(None, _BAD_JSON, "not JSON")
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            if not (isinstance(message, dict) and ("result" in message or "error" in message)):
                self._refuse(None, _BAD_REQUEST, "not a request")
            return
        params = message.get("params")
        self._dispatch(message, params if isinstance(params, dict) else {})

    def _dispatch(self, message: Message, params: Message) -> None:
        method, call = message["method"], message.get("id")
        if method == "notifications/cancelled":
            self._cancel(params.get("requestId"))
        # Other notifications take no reply.
        elif call is None:
            return
        elif not isinstance(call, (str, int)):
            self._refuse(None, _BAD_REQUEST, "an id is a text or a number")
        elif method == "initialize":
            self._reply(call, _introduction(params))
        elif method == "ping":
            self._reply(call, {})
        elif method == "tools/list":
            self._reply(call, {"tools": [TOOL]})
        elif method != "tools/call":
            self._refuse(call, _METHOD_NOT_FOUND, f"no such method: {method}")
        elif params.get("name") != TOOL["name"]:
            self._refuse(call, _BAD_PARAMS, f"no such tool: {params.get('name')}")
        else:
            with self._changing:
                self._calls[call] = None
            threading.Thread(target=self._ask, args=(call, params), daemon=True).start()

    def _ask(self, call: Any, params: Message) -> None:
        try:
            result = _content(spoken(self._wait_for_answer(call, params)))
        except ClawTapError as error:
            result = {**_content(error.message), "isError": True}
        with self._changing:
            uncancelled = self._calls.pop(call, "") != ""
        # A cancelled call gets no reply: the protocol forbids it.
        if uncancelled:
            self._reply(call, result)

    def _wait_for_answer(self, call: Any, params: Message) -> Prompt:
        """Ask, and return the prompt once it ends; report progress to a client that asks for it."""
        prompt = self._transport.ask(_form(params.get("arguments")), asker=self._asker)
        with self._changing:
            if call in self._calls:
                self._calls[call] = prompt.request_id
        # It was cancelled before there was a prompt to withdraw.
        if call not in self._calls:
            return self._transport.withdraw(prompt.request_id)
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        waits = 0
        while prompt.state.open:
            prompt = wait_patiently(self._transport, prompt.request_id, PIECE)
            waits += 1
            if token is not None and prompt.state.open:
                progress = {"progressToken": token, "progress": waits}
                progress["message"] = "waiting for the user"
                self._write({"method": "notifications/progress", "params": progress})
        return prompt

    def _cancel(self, call: Any) -> None:
        with self._changing:
            request_id = self._calls.pop(call, None) if isinstance(call, (str, int)) else None
        if request_id:
            with suppress(ClawTapError):
                self._transport.withdraw(request_id)

    def _reply(self, call: Any, result: Message) -> None:
        self._write({"id": call, "result": result})

    def _refuse(self, call: Any, code: int, message: str) -> None:
        self._write({"id": call, "error": {"code": code, "message": message}})

    def _write(self, message: Message) -> None:
        # In ASCII: a client's half of a surrogate pair could not be encoded.
        line = json.dumps({"jsonrpc": "2.0", **message})
        with self._writing, suppress(BrokenPipeError):
            self._out.write(line + "\n")
            self._out.flush()


def _introduction(params: Message) -> Message:
    version = params.get("protocolVersion")
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "clawtap", "version": __version__},
    }


def _content(text: str) -> Message:
    return {"content": [{"type": "text", "text": text}]}


def _form(arguments: Any) -> Any:
    asked = arguments.get("question") if isinstance(arguments, Mapping) else None
    if not (isinstance(asked, str) and asked.strip()):
        raise BadRequest("question is required", code=ErrorCode.BAD_PROMPT)
    options = arguments.get("options") or ()
    if not isinstance(options, list | tuple) or not all(
        isinstance(option, str) for option in options
    ):
        raise BadRequest("options must be a list of strings", code=ErrorCode.BAD_PROMPT)
    return question(
        asked,
        details=str(arguments.get("details") or ""),
        options=options,
        multiple=bool(arguments.get("multiple")),
        own=True,
    )
