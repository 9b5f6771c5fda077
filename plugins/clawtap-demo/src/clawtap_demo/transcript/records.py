"""The lines of a transcript as typed records."""

from __future__ import annotations

from datetime import datetime

import msgspec

USER, THINKING, TOOL, REFUSED, DONE = "❯✻⚙✗✓"


class Record(msgspec.Struct):
    """One line: the header, which names the session, or a piece, which has a mark and a text."""

    id: int = 0
    mark: str = ""
    text: str = ""
    at: datetime | None = None
    session: str = ""
    cwd: str | None = None


_decoder = msgspec.json.Decoder(Record)


def decode(line: bytes) -> Record | None:
    """Return the record of a line, or None for a line that is broken or of another form."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
