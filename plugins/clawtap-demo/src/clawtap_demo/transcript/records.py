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


decode = msgspec.json.Decoder(Record).decode
