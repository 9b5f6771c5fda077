"""Replay a recorded exchange over a machine protocol, with the CLI's side from the file.

One JSON object a line: `from` is "server", "agent" (the CLI) or "client" (us), `said` the message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawtap_core.model import Peer, PeerEvent, PromptRequested, Response, Write

Payload = Mapping[str, Any]
# Return the bytes for a recorded message that a person caused, or None.
Does = Callable[[Peer, Payload], Write | None]


@dataclass(frozen=True)
class Exchange:
    """The lines of a recording."""

    lines: tuple[tuple[bool, Payload], ...]

    @classmethod
    def load(cls, path: Path) -> Exchange:
        """Read a recording."""
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return cls(tuple((line["from"] == "client", line["said"]) for line in lines))

    @property
    def theirs(self) -> tuple[Payload, ...]:
        """The messages of the CLI."""
        return tuple(message for ours, message in self.lines if not ours)


@dataclass
class Replay:
    """A peer in a recorded exchange: `heard` are its events, `wrote` its own messages."""

    peer: Peer
    does: Does
    heard: list[PeerEvent] = field(default_factory=list)
    wrote: list[Payload] = field(default_factory=list)
    asked: list[PromptRequested] = field(default_factory=list)

    def run(
        self,
        exchange: Exchange,
        responses: Sequence[Response] = (),
        *,
        until: PromptRequested | None = None,
    ) -> Replay:
        """Replay the exchange, answering the CLI's requests with these responses in order.

        `until`: stop as soon as this was asked.
        """
        answers = iter(responses)
        self._write(self.peer.open())
        for ours, message in exchange.lines:
            if not ours:
                self._hear(line_of(message))
            elif "method" not in message:
                # A refusal is the peer's own: it was written when the request was heard.
                if "error" not in message:
                    self._answer(message, answers)
            elif outgoing := self.does(self.peer, message):
                self._write(outgoing.data)
            if until is not None and until in self.heard:
                break
        return self

    def _answer(self, message: Payload, answers: Iterator[Response]) -> None:
        call = next(request for request in self.asked if request.call == json.dumps(message["id"]))
        self.asked.remove(call)
        outgoing = self.peer.answer(call.call, next(answers))
        assert outgoing is not None, f"not answered: {call}"
        self._write(outgoing.data)

    def _hear(self, data: bytes) -> None:
        events = list(self.peer.receive(data))
        self.heard += events
        for item in events:
            if isinstance(item, Write):
                self._write(item.data)
            elif isinstance(item, PromptRequested):
                self.asked.append(item)

    def _write(self, data: bytes) -> None:
        self.wrote += map(json.loads, data.splitlines())


def line_of(message: Payload) -> bytes:
    """Return a message as the CLI writes it."""
    return json.dumps(message).encode() + b"\n"
