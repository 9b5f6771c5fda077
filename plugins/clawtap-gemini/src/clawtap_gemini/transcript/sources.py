"""Session files: lines that are appended (0.61), or one object that is written anew (0.34)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import lines
from clawtap_gemini.transcript import records

CONTEXT = "<session_context>"
_ID = re.compile(rb'"sessionId":\s*"([\w-]+)"')
_START = re.compile(rb'"startTime":\s*"([^"]+)"')
_NAME = re.compile(rb"/session-[\dT-]+-([0-9a-f]{8})\.jsonl\Z")
_TIME = re.compile(rb'\{"id":"[\w-]+","timestamp":"([^"]+)"')
_KIND = re.compile(rb'"kind":\s*"(\w+)"')
_USER = re.compile(
    rb'"type":\s*"user",\s*"content":\s*(?:\[\s*\{\s*"text":\s*)?("(?:[^"\\]|\\.)*")'
)


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """`tmp/PROJECT/chats/session-TIME-ID.json` or `.jsonl` below the CLI's folder."""
    home = env.get("GEMINI_CLI_HOME") or env.get("HOME", "/nonexistent")
    root = f"{home}/.gemini/tmp"
    return (
        TranscriptSource(root, "*/chats/session-*.jsonl"),
        TranscriptSource(root, "*/chats/session-*.json", rewritten=True),
    )


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Whose session it is. Its folder stands in a file beside `chats`.

    A CLI that starts clears away the files in which nothing was said yet, those of CLIs that run
    in the same folder too: such a file comes again without its first lines, and the beginning of
    the session's id stands in its name only.
    """
    found, start = _ID.search(head), _START.search(head)
    if not found or not start:
        found, start = _NAME.search(path.encode(errors="replace")), _TIME.match(head)
    if not found or not start:
        return None
    kind = _KIND.search(head)
    origin = kind[1].decode() if kind and kind[1] != b"main" else None
    return TranscriptInfo(
        found[1].decode(),
        title=_title(head),
        started_at=_moment(start[1].decode()),
        cwd_file="../.project_root",
        origin=origin,
    )


def _title(head: bytes) -> str | None:
    for found in _USER.finditer(head):
        try:
            text = records.text.decode(found[1])
        except msgspec.MsgspecError:
            continue
        if text.strip() and not text.lstrip().startswith(CONTEXT):
            return " ".join(text.split())[:120]
    return None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None


def is_whole(data: bytes) -> bool:
    """Whether this is the one object of older files, not lines."""
    new, _ = lines(data[:4096])
    return not data.strip() or (bool(new) and new[0].strip() == b"{")
