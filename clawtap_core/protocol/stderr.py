"""The end of a child's stderr, kept to explain why it ended."""

from __future__ import annotations

from clawtap_core.model.ansi import plain

_KEPT = 16384
_SHOWN, _LINES = 600, 5


class Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._data = b""

    def add(self, data: bytes) -> None:
        """Add bytes."""
        self._data = (self._data + data)[-_KEPT:]

    @property
    def text(self) -> str:
        """Return the last lines as plain text."""
        lines = plain(self._data.decode("utf-8", "replace")).splitlines()
        return "\n".join([line.strip() for line in lines if line.strip()][-_LINES:])[-_SHOWN:]
