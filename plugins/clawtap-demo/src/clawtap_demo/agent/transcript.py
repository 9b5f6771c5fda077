"""The agent's transcript: one JSON line for each complete piece of the conversation."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

from clawtap_demo.agent.view import Block


def folder(env: Mapping[str, str]) -> str:
    """Return the folder of the transcripts."""
    state = env.get("XDG_STATE_HOME") or f"{env.get('HOME', '/nonexistent')}/.local/state"
    return f"{state}/clawtap-demo"


class TranscriptFile:
    """Appends pieces to a file, from the first message on; an unwritable folder is ignored."""

    def __init__(self, session: str | None, env: Mapping[str, str] = os.environ) -> None:
        self._session = session or str(uuid.uuid4())
        self._path = Path(folder(env), f"{self._session}.jsonl")
        # The first block is the welcome.
        self._written = 1

    def write(self, blocks: Sequence[Block], *, growing: bool) -> None:
        """Write the complete blocks; with `growing`, the last one is still being written."""
        complete = len(blocks) - (1 if growing else 0)
        if complete > self._written:
            lines = [
                self._line(number, blocks[number]) for number in range(self._written, complete)
            ]
            header = [] if self._written > 1 else [self._header()]
            self._written = complete
            self._append([*header, *lines])

    def _header(self) -> str:
        return json.dumps({"session": self._session, "cwd": str(Path.cwd()), "at": _now()})

    def _line(self, number: int, block: Block) -> str:
        record = {"id": number, "mark": block.mark, "text": block.text.rstrip(), "at": _now()}
        return json.dumps(record, ensure_ascii=False)

    def _append(self, lines: Sequence[str]) -> None:
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))


def _now() -> str:
    return datetime.now(timezone.utc).isoformat()
