"""Find transcripts: JSON lines, appended, below the configuration folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from clawtap_claude.transcript import records
from clawtap_claude.transcript.user_text import spoken
from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import lines, title_of

_NAME = re.compile(r"[^A-Za-z0-9]")
_META = ".meta.json"


@hookimpl
def transcript_sources(env: Mapping[str, str], cwd: str) -> Sequence[TranscriptSource]:
    """Return `projects/FOLDER/SESSION.jsonl`."""
    # FOLDER is the working directory with every other character as a dash, and as two where
    # JavaScript counts two.
    folder = _NAME.sub(lambda other: "-" * (1 + (other[0] > "\uffff")), cwd) if cwd else "*"
    return (TranscriptSource(f"{home(env)}/projects", f"{folder}/*.jsonl"),)


def home(env: Mapping[str, str]) -> str:
    """Return the CLI's configuration folder."""
    return env.get("CLAUDE_CONFIG_DIR") or f"{env.get('HOME', '/nonexistent')}/.claude"


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Return the session, its folder, and the first message as its title; or a subagent's name."""
    if path.endswith(_META):
        return _subagent(head)
    session, cwd, title, started, agent, version = "", None, None, None, None, None
    for line in lines(head)[0]:
        try:
            record = records.head.decode(line)
        except msgspec.MsgspecError:
            continue
        session = session or record.session
        cwd = cwd or record.cwd
        started = started or record.timestamp
        version = version or record.version
        agent = agent or (record.agent if record.sidechain else None)
        if title is None and record.type == "user" and not record.meta:
            title = _title(record.message)
    if not session:
        return None
    stem = PurePosixPath(path).stem
    return TranscriptInfo(
        session,
        cwd,
        title,
        started,
        companions=None if agent else f"{stem}/subagents/agent-*.jsonl",
        origin=agent,
        version=version,
        origin_file=f"{stem}{_META}" if agent else None,
    )


def _subagent(meta: bytes) -> TranscriptInfo | None:
    """Return a subagent by its task or else its type, from the file next to its transcript."""
    try:
        subagent = records.subagent.decode(meta)
    except msgspec.MsgspecError:
        return None
    return TranscriptInfo("", origin=title_of(subagent.task) or title_of(subagent.type))


def _title(message: msgspec.Raw) -> str | None:
    try:
        body = records.body.decode(message)
    except msgspec.MsgspecError:
        return None
    text, notice = spoken(body.content)
    return None if notice else title_of(text)
