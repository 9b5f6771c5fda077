"""A CLI with a machine protocol, and its peer: it asks COUNT times and logs each answer.

Run as a program it is the CLI: `spoken.py LOG COUNT [write]`; with `write` it then writes a reply,
25 words a second.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ != "__main__":
    from clawtap_core import (
        Action,
        AgentEvent,
        Effect,
        Kind,
        Option,
        PeerEvent,
        PromptForm,
        PromptRequested,
        Response,
        SessionFacts,
        SessionState,
        Write,
    )
    from clawtap_core.protocol_io.json_lines import BrokenLine, JsonLines, json_line

    OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))

    class BenchPeer:
        """One line asks, one answers."""

        def __init__(self) -> None:
            self._lines = JsonLines()

        def open(self) -> bytes:
            """Begin."""
            return json_line({"begin": True})

        def receive(self, data: bytes) -> Iterator[PeerEvent]:
            """Questions, then the end of them."""
            for line in self._lines.feed(data):
                if not isinstance(line, BrokenLine) and "ask" in line:
                    call = str(line["ask"])
                    yield PromptRequested(
                        call, PromptForm(Kind.PERMISSION, f"Question {call}?", options=OPTIONS)
                    )
                elif not isinstance(line, BrokenLine) and "write" in line:
                    yield AgentEvent("text_delta", {"text": line["write"]})
                else:
                    yield SessionFacts(SessionState.IDLE)

        def message(self, text: str) -> Write | None:
            """It takes none."""
            return None

        def answer(self, call: str, response: Response) -> Write:
            """One line."""
            return Write(json_line({"answer": call, "option": response.selected_option}))

        def control(self, action: Action) -> Write | None:
            """It does nothing else."""
            return None


def main(log: Path, count: int, writes: bool) -> None:
    """Ask, wait for the line with the answer, note when it was read; then write, or do nothing."""

    def say(line: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    sys.stdin.readline()
    with log.open("a", buffering=1) as times:
        for number in range(count):
            asked = time.monotonic_ns()
            say({"ask": number})
            sys.stdin.readline()
            times.write(f"{number} {asked} {time.monotonic_ns()}\n")
    for number in itertools.count() if writes else ():
        say({"write": " ".join(f"word {each}," for each in range(number % 400))})
        time.sleep(0.04)
    say({"idle": True})
    sys.stdin.read()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["write"])
