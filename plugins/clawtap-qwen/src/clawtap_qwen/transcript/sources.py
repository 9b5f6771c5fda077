"""Find session files: JSON lines that are appended."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import lines, title_of
from clawtap_qwen.transcript import records
from clawtap_qwen.transcript.records import Record

# What the CLI says in the user's name.
_OWN = re.compile(r"\s*<system-reminder>")
# The part before the contents of files that a message mentions.
_FILES = "\n--- Content from referenced files ---"


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """Return `projects/FOLDER/chats/ID.jsonl` below the CLI's folder."""
    default = f"{env.get('HOME', '/nonexistent')}/.qwen"
    home = env.get("QWEN_RUNTIME_DIR") or env.get("QWEN_HOME") or default
    return (TranscriptSource(f"{home}/projects", "*/chats/*.jsonl"),)


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Return which session it is, its folder and what the user said first."""
    first: Record | None = None
    title = None
    for line in lines(head)[0]:
        try:
            record = records.record.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        if record.session and first is None:
            first = record
        if record.type == "user" and (title := title_of(user_text(record))):
            break
    if first is None:
        return None
    return TranscriptInfo(
        first.session,
        cwd=first.cwd or None,
        title=title,
        started_at=first.timestamp,
        version=first.version or None,
    )


def user_text(record: Record) -> str:
    """Return the text of a record, without what the CLI adds in the user's name."""
    texts = [part.text for part in record.parts if part.text and not part.thought]
    texts = texts[: texts.index(_FILES)] if _FILES in texts else texts
    return "".join(text for text in texts if not _OWN.match(text))
