"""Find the files of conversations: a folder for each session, with a file for each agent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import PurePosixPath
from textwrap import shorten

import msgspec

from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import lines, title_of
from clawtap_kimi.transcript import records
from clawtap_kimi.transcript.records import Record, Words

SUBAGENT = "subagent"
_MAIN = "main"
_LONGEST_TASK = 60
# The folder is in a field of its own only in newer versions.
_CWD = re.compile(rb"The current working directory is `((?:[^`\\]|\\.)*)`")
_PROFILE = re.compile(rb'"profileName":\s*"([^"]+)"')
_BEGAN = re.compile(rb'"created_at":\s*(\d+)')


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """Return `sessions/FOLDER/SESSION/agents/main/wire.jsonl` below the CLI's folder."""
    home = env.get("KIMI_CODE_HOME") or f"{env.get('HOME', '/nonexistent')}/.kimi-code"
    return (TranscriptSource(f"{home}/sessions", "*/*/agents/main/wire.jsonl"),)


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Return which session it is, its folder, and what the user said first."""
    parts = PurePosixPath(path).parts
    began = _BEGAN.search(head)
    if len(parts) < 4 or parts[-3] != "agents" or not began:
        return None
    agent, session = parts[-2], parts[-4]
    profile = _PROFILE.search(head)
    kind = profile[1].decode() if profile else agent
    return TranscriptInfo(
        session,
        cwd=_cwd(head),
        title=_title(head),
        started_at=time_of(int(began[1])),
        companions="../*/wire.jsonl" if agent == _MAIN else None,
        origin=None if agent == _MAIN else _task(head) or kind,
    )


def user_words(record: Record) -> Words | None:
    """Return the message of a record if the user wrote it."""
    words = record.message
    if not isinstance(words, Words) or words.role != "user" or words.origin.kind != "user":
        return None
    return words


def time_of(milliseconds: float) -> datetime | None:
    """Return a time of the file, or None for one that no clock shows."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None


def _cwd(head: bytes) -> str | None:
    match = _CWD.search(head)
    try:
        return str(json.loads(b'"' + match[1] + b'"')) if match else None
    except ValueError:
        return None


def _title(head: bytes) -> str | None:
    spoken = (title_of(_text(words)) for record in _messages(head) if (words := user_words(record)))
    return next(filter(None, spoken), None)


def _task(head: bytes) -> str | None:
    """Return how a subagent's task begins, which tells it from others of its type."""
    for record in _messages(head):
        words = record.message
        if isinstance(words, Words) and words.origin.name == SUBAGENT:
            return shorten(_text(words), _LONGEST_TASK, placeholder=" …") or None
    return None


def _messages(head: bytes) -> Iterator[Record]:
    for line in lines(head)[0]:
        if b"context.append_message" in line:
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                yield records.record.decode(line)


def _text(words: Words) -> str:
    return " ".join(part.text for part in words.parts)
