"""Where sessions are: a folder each, with its events as JSON lines, appended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from clawtap_copilot.transcript import records
from clawtap_copilot.transcript.records import Data
from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import lines, title_of

_BEGINS = "session.start"


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """Return `session-state/SESSION/events.jsonl`."""
    home = env.get("COPILOT_HOME") or f"{env.get('HOME', '/nonexistent')}/.copilot"
    return (TranscriptSource(f"{home}/session-state", "*/events.jsonl"),)


@hookimpl
def describe_transcript(head: bytes) -> TranscriptInfo | None:
    """Return the session, its folder, and the first message as its title."""
    start, title = Data(), None
    for line in lines(head)[0]:
        try:
            event = records.event(line)
            if event.type == _BEGINS:
                start = records.data(event.data)
            elif event.type == "user.message" and title is None:
                title = title_of(records.data(event.data).content)
        except msgspec.MsgspecError:
            continue
    if not start.session_id:
        return None
    cwd, version = start.context.cwd, start.version
    return TranscriptInfo(start.session_id, cwd, title, start.started, version=version)
