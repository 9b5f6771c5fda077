"""Session files as messages: lines that are appended, or one object that is written anew."""

from __future__ import annotations

from typing import Any

from clawtap_core import Parsed, hookimpl
from clawtap_core.transcripts.conversation_builder import lines
from clawtap_gemini.transcript.conversation import ParsedPrompt
from clawtap_gemini.transcript.rewritten_transcript import Told, parse_whole
from clawtap_gemini.transcript.sources import is_whole

_CLOCK, _SHORT = b'{"$set":{"lastUpdated"', 80


@hookimpl
def parse_transcript(data: bytes, state: Any) -> Parsed:
    """What is new in the lines or in the whole object; nothing while that is half written."""
    if isinstance(state, Told) or (state is None and is_whole(data)):
        return parse_whole(data, state)
    new, consumed = lines(data)
    reading = ParsedPrompt(state)
    for line in new:
        if not line.startswith(_CLOCK) or len(line) >= _SHORT:
            reading.line(line)
    return reading.parsed(consumed)
