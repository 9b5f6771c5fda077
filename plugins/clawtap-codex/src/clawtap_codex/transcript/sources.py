"""Rollout files: JSON lines, appended, in a folder for each day."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from clawtap_codex.transcript import records
from clawtap_core import EarlierTranscript, TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import lines, title_of

_ID = re.compile(rb'"id":\s*"([\w-]{8,})"')
_NAME = re.compile(r"[\w-]{8,64}")
# When the user goes back, 0.169 goes on in a new file, whose name has a second id: the time first.
_REVISION = re.compile(r"_([\w-]{8,64})\.jsonl$")
_CWD = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.)*")')


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """Return where rollouts are: `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`."""
    home = env.get("CODEX_HOME") or f"{env.get('HOME', '/nonexistent')}/.codex"
    return (TranscriptSource(f"{home}/sessions", "*/*/*/rollout-*.jsonl"),)


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Describe a rollout by its first record and the user's first message."""
    meta = _meta(head)
    if meta is None or not meta.id:
        return None
    origin = "subagent" if isinstance(meta.source, dict) else None
    title, version = _title(head), meta.version
    revision = _REVISION.search(path)
    return TranscriptInfo(
        *(meta.id, meta.cwd, title, meta.timestamp),
        origin=origin,
        version=version,
        continues=_continued(meta.base),
        revision=revision[1] if revision else "",
    )


def _continued(base: records.Base | None) -> EarlierTranscript | None:
    if base is None or not _NAME.fullmatch(base.rollout):
        return None
    return EarlierTranscript(f"rollout-*{base.rollout}.jsonl", base.end)


def _meta(head: bytes) -> records.Meta | None:
    first = head.split(b"\n", 1)[0]
    try:
        line = records.line.decode(first)
        return records.meta.decode(line.payload) if line.type == "session_meta" else None
    except msgspec.MsgspecError:
        return _meta_from_cut_line(first)


def _meta_from_cut_line(first: bytes) -> records.Meta | None:
    """Read id and folder from a first line that is longer than the head."""
    session_id, cwd = _ID.search(first), _CWD.search(first)
    if b'"session_meta"' not in first or not session_id:
        return None
    return records.Meta(session_id[1].decode(), records.anything.decode(cwd[1]) if cwd else None)


def _title(head: bytes) -> str | None:
    for line in lines(head)[0][1:]:
        if b"ser_message" in line or b"UserMessage" in line:
            try:
                event = records.event.decode(records.line.decode(line).payload)
            except msgspec.MsgspecError:
                continue
            if text := user_text(event):
                return title_of(text)
    return None


def user_text(event: records.Event) -> str:
    """Return the user's message in the form of either version, or an empty text."""
    if event.type == "user_message":
        return event.message
    if event.type == "item_completed" and event.item and event.item.type == "UserMessage":
        return "\n".join(piece.text for piece in event.item.content or () if piece.text)
    return ""
