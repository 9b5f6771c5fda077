"""The agent's transcript: one JSON line for each complete piece of the conversation."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

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

    def read(self) -> list[Block]:
        """Return the blocks that the file holds, after which `write` goes on; [] without a file."""
        try:
            records = map(json.loads, self._path.read_text(encoding="utf-8").splitlines())
            blocks = [Block(each["mark"], each["text"]) for each in records if "mark" in each]
        except (OSError, ValueError, KeyError):
            return []
        self._written += len(blocks)
        return blocks

    def write(self, blocks: Sequence[Block], *, growing: bool) -> None:
        """Write the complete blocks; with `growing`, the last one is still being written."""
        complete = len(blocks) - (1 if growing else 0)
        if complete > self._written:
            now = datetime.now(timezone.utc).isoformat()
            records: list[dict[str, Any]] = []
            if self._written == 1:
                records.append({"session": self._session, "cwd": str(Path.cwd()), "at": now})
            for number in range(self._written, complete):
                block = blocks[number]
                text = block.text.rstrip()
                records.append({"id": number, "mark": block.mark, "text": text, "at": now})
            self._written = complete
            with suppress(OSError):
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with self._path.open("a", encoding="utf-8") as file:
                    file.writelines(f"{json.dumps(r, ensure_ascii=False)}\n" for r in records)
