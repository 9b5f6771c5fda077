"""A made-up CLI's transcripts, as small as they can be: one JSON line a message."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

from clawtap_core import Block, Message, Parsed
from clawtap_core.model import PENDING, TranscriptInfo
from clawtap_core.transcripts.transcript import Transcript


def note(name, text="", role="user", at=None):
    """One line of a transcript."""
    fields = {"id": name, "text": text or name, "role": role, "at": at}
    return (json.dumps(fields) + "\n").encode()


def call(name):
    """One line of a transcript: the agent called a tool."""
    return (
        json.dumps({"id": name, "text": name, "role": "assistant", "call": name}) + "\n"
    ).encode()


class Notes:
    """Its parser, and all that was given to it."""

    def __init__(self):
        self.given = []

    def __call__(self, data, state):
        self.given.append(data)
        end = data.rfind(b"\n") + 1
        found, skipped = [], 0
        for line in data[:end].splitlines():
            try:
                reply = json.loads(line)
                block = Block("text", reply["text"])
                if "call" in reply:
                    block = Block("tool_use", "", reply["call"], "touch", {}, PENDING)
                at = datetime.fromtimestamp(reply["at"], timezone.utc) if reply.get("at") else None
                found.append(Message(reply["id"], reply["role"], (block,), at))
            except (ValueError, KeyError, TypeError):
                skipped += 1
        return Parsed(end, (state or 0) + len(found), tuple(found), skipped=skipped)

    @property
    def bytes(self):
        return sum(map(len, self.given))


def write(path: Path, *lines: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


def transcript_at(path: Path) -> Transcript:
    return Transcript(path, TranscriptInfo("talk", "/proj"), False, 0, datetime.now(timezone.utc))


def append(path: Path, *lines: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"".join(lines))
