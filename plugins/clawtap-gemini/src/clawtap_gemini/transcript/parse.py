"""Read session files: lines that are appended, or one object that is rewritten."""

from __future__ import annotations

from typing import Any

from clawtap_core import Parsed, hookimpl
from clawtap_core.transcripts.conversation_builder import lines
from clawtap_gemini.transcript.conversation import RecordReader
from clawtap_gemini.transcript.rewritten_transcript import RewriteState, is_one_object, parse_object

# Most lines of a file only say that it was updated: they are not worth decoding.
_CLOCK, _SHORT = b'{"$set":{"lastUpdated"', 80


@hookimpl
def parse_transcript(data: bytes, state: Any) -> Parsed:
    """Return what is new; nothing while the object is half written."""
    if isinstance(state, RewriteState) or (state is None and is_one_object(data)):
        return parse_object(data, state)
    new, consumed = lines(data)
    reader = RecordReader(state)
    for line in new:
        if not line.startswith(_CLOCK) or len(line) >= _SHORT:
            reader.line(line)
    return reader.parsed(consumed)
