"""JSON-RPC over lines, without I/O: both sides ask, replies come in any order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.protocol_io.json_lines import BrokenLine, JsonLines, json_line
from clawtap_core.protocol_io.json_values import mapping

METHOD_NOT_FOUND = -32601
_VERSION = {"jsonrpc": "2.0"}


@dataclass(frozen=True, slots=True)
class RpcRequest:
    """A request of the other side; its reply must carry `id`."""

    id: int | str
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RpcNotice:
    """A notification of the other side."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RpcReply:
    """The reply to our request, with the `about` value of that request.

    `error` is a sentence, or None on success; `code` is the number of an error.
    """

    about: Any
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    code: int | None = None


class JsonRpc:
    """One side of a conversation; `version` adds the JSON-RPC version to messages."""

    def __init__(self, *, version: bool = True) -> None:
        self._lines = JsonLines()
        self._begin = _VERSION if version else {}
        self._asked: dict[int, Any] = {}
        self._last = 0

    def request(self, method: str, params: Mapping[str, Any], about: Any = None) -> bytes:
        """Send a request; its reply will carry `about`."""
        self._last += 1
        self._asked[self._last] = about
        return self._line(id=self._last, method=method, params=params)

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> bytes:
        """Send a notification."""
        return self._line(method=method, **({} if params is None else {"params": params}))

    def reply(self, request: int | str, result: Mapping[str, Any]) -> bytes:
        """Reply to a request of the other side."""
        return self._line(id=request, result=result)

    def refuse(self, request: int | str, why: str, code: int = METHOD_NOT_FOUND) -> bytes:
        """Reply to a request with an error."""
        return self._line(id=request, error={"code": code, "message": why})

    def feed(self, data: bytes) -> Iterator[RpcRequest | RpcNotice | RpcReply | BrokenLine]:
        """Yield the messages that these bytes complete; b"" ends the stream.

        A reply to no request of ours is a broken line.
        """
        for line in self._lines.feed(data):
            yield line if isinstance(line, BrokenLine) else self._read(line)

    def _read(self, line: Mapping[str, Any]) -> RpcRequest | RpcNotice | RpcReply | BrokenLine:
        method, number = line.get("method"), line.get("id")
        named = isinstance(number, (int, str)) and not isinstance(number, bool)
        if isinstance(method, str):
            params = mapping(line.get("params"))
            if named:
                return RpcRequest(number, method, params)  # type: ignore[arg-type]
            return RpcNotice(method, params)
        if named and number in self._asked:
            about = self._asked.pop(number)
            code = mapping(line.get("error")).get("code")
            known = code if isinstance(code, int) else None
            return RpcReply(about, mapping(line.get("result")), _error(line), known)
        return BrokenLine("neither a request nor a reply to one", str(line)[:200])

    def _line(self, **members: Any) -> bytes:
        return json_line({**self._begin, **members})


def _error(line: Mapping[str, Any]) -> str | None:
    if line.get("error") is None:
        return None
    error = mapping(line["error"])
    details = mapping(error.get("data")).get("details")
    texts = [text for text in (error.get("message"), details) if isinstance(text, str) and text]
    return ": ".join(texts) or f"an error without words: {line['error']!r:.200}"
