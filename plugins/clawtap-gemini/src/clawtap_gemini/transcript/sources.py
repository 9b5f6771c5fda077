"""Find session files: lines that are appended (0.61), or one object that is rewritten (0.34)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.model.moments import parse_time
from clawtap_core.transcripts.conversation_builder import title_of
from clawtap_gemini.transcript import records

CONTEXT = "<session_context>"
# The CLI tells the model in the user's name that the user switched the mode.
_OWN = "User has manually exited Plan Mode."
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
    """Return `tmp/PROJECT/chats/session-TIME-ID.json` and `.jsonl` below the CLI's folder."""
    home = env.get("GEMINI_CLI_HOME") or env.get("HOME", "/nonexistent")
    root = f"{home}/.gemini/tmp"
    return (
        TranscriptSource(root, "*/chats/session-*.jsonl"),
        TranscriptSource(root, "*/chats/session-*.json", rewritten=True),
    )


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Return which session it is; its folder is named in a file next to `chats`."""
    # A CLI that starts deletes the files in which nothing was said yet, also those of CLIs that
    # still run in that folder. Such a file comes back without its first lines, and only its name
    # has the beginning of the session's id.
    session, start = _ID.search(head), _START.search(head)
    if not session or not start:
        session, start = _NAME.search(path.encode(errors="replace")), _TIME.match(head)
    if not session or not start:
        return None
    try:
        started_at = parse_time(start[1].decode())
    except ValueError:
        started_at = None
    kind = _KIND.search(head)
    origin = kind[1].decode() if kind and kind[1] != b"main" else None
    return TranscriptInfo(
        session[1].decode(),
        title=_title(head),
        started_at=started_at,
        cwd_file="../.project_root",
        origin=origin,
    )


def is_own_message(text: str) -> bool:
    """Return whether a user record was written by the CLI, not by the user."""
    return text.lstrip().startswith(_OWN)


def _title(head: bytes) -> str | None:
    for match in _USER.finditer(head):
        try:
            text = records.text.decode(match[1])
        except msgspec.MsgspecError:
            continue
        if text.strip() and not text.lstrip().startswith(CONTEXT) and not is_own_message(text):
            return title_of(text)
    return None
