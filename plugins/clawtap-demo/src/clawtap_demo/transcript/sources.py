"""Where the agent keeps its transcripts, and whose conversation a file holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from clawtap_core import TranscriptInfo, TranscriptSource, hookimpl
from clawtap_core.transcripts.conversation_builder import read_lines
from clawtap_demo.agent.transcript import folder
from clawtap_demo.transcript import records


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """Return the agent's own folder, which has one file for each session."""
    return (TranscriptSource(folder(env), "*.jsonl"),)


@hookimpl
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Return session, folder and title: the first line and the first message."""
    read: list[records.Record] = []
    read_lines(head, lambda line: read.append(records.decode(line)), lambda _: None)
    if not read or not read[0].session:
        return None
    title = next((record.text for record in read if record.mark == records.USER), None)
    return TranscriptInfo(PurePath(path).stem, read[0].cwd, title, read[0].at)
