"""A recorded exchange over a machine protocol, replayed: the CLI's side stands in the file.

One JSON object a line: `from` is "server", "agent" (the CLI) or "client" (us), `said` the message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawtap_core.model import Peer, PeerEvent, PromptRequested, Response, Write

Said = Mapping[str, Any]
Does = Callable[[Peer, Said], Write | None]
"""What of our side a person did: the bytes for a message of the recording, None for the rest."""


@dataclass(frozen=True)
class Exchange:
    """The lines of a recording."""

    lines: tuple[tuple[bool, Said], ...]

    @classmethod
    def load(cls, path: Path) -> Exchange:
        """Read a recording."""
        found = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return cls(tuple((line["from"] == "client", line["said"]) for line in found))

    @property
    def theirs(self) -> tuple[Said, ...]:
        """What the CLI said."""
        return tuple(said for ours, said in self.lines if not ours)


@dataclass
class Replay:
    """A peer in a recorded exchange: `heard` is what it heard, `wrote` what it said itself."""

    peer: Peer
    does: Does
    heard: list[PeerEvent] = field(default_factory=list)
    wrote: list[Said] = field(default_factory=list)
    asked: list[PromptRequested] = field(default_factory=list)

    def run(
        self,
        exchange: Exchange,
        responses: Sequence[Response] = (),
        *,
        until: PromptRequested | None = None,
    ) -> Replay:
        """Play it; the requests of the CLI get these responses, in the recording's order.

        `until`: stop as soon as this was asked.
        """
        answers = iter(responses)
        self._write(self.peer.open())
        for ours, said in exchange.lines:
            if not ours:
                self._hear(line_of(said))
            elif "method" not in said:
                self._answer(said, answers)
            elif outgoing := self.does(self.peer, said):
                self._write(outgoing.data)
            if until is not None and until in self.heard:
                break
        return self

    def _answer(self, said: Said, answers: Iterator[Response]) -> None:
        call = next(each for each in self.asked if each.call == json.dumps(said["id"]))
        self.asked.remove(call)
        outgoing = self.peer.answer(call.call, next(answers))
        assert outgoing is not None, f"not answered: {call}"
        self._write(outgoing.data)

    def _hear(self, data: bytes) -> None:
        found = list(self.peer.receive(data))
        self.heard += found
        for item in found:
            if isinstance(item, Write):
                self._write(item.data)
            elif isinstance(item, PromptRequested):
                self.asked.append(item)

    def _write(self, data: bytes) -> None:
        self.wrote += map(json.loads, data.splitlines())


def line_of(said: Said) -> bytes:
    """A message as the CLI writes it."""
    return json.dumps(said).encode() + b"\n"
