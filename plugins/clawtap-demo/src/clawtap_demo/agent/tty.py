"""The terminal: raw mode, size, painting only the rows that changed."""

from __future__ import annotations

import os
import select
import signal
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

_ENTER = "\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b]2;Demo agent\x07\x1b[H\x1b[2J"
_LEAVE = "\x1b[?25h\x1b[?2004l\x1b[?1049l"


class Terminal:
    """Standard input and output of a terminal."""

    def __init__(self) -> None:
        self._painted: list[str] = []
        self._size = (0, 0)
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wake, False)

    @contextmanager
    def raw(self) -> Iterator[None]:
        """Switch to raw mode and the alternate screen, and restore both at the end."""
        before = termios.tcgetattr(0)
        signal.signal(signal.SIGWINCH, lambda *_: None)
        signal.signal(signal.SIGCONT, lambda *_: self._resumed())
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        tty.setraw(0)
        self._write(_ENTER)
        try:
            yield
        finally:
            self._write(_LEAVE)
            termios.tcsetattr(0, termios.TCSADRAIN, before)

    def _resumed(self) -> None:
        # The shell had the terminal while the agent was stopped.
        tty.setraw(0, termios.TCSADRAIN)  # what was typed meanwhile stays
        self._size = (0, 0)
        self._write(_ENTER)

    def read(self, seconds: float) -> bytes:
        """Return what was typed, or nothing after a timeout or a change of the size."""
        ready, _, _ = select.select([0, self._woken], [], [], max(0.0, seconds))
        if self._woken in ready:
            os.read(self._woken, 512)
        if 0 not in ready:
            return b""
        data = os.read(0, 65536)
        if not data:
            raise EOFError
        return data

    @staticmethod
    def size() -> tuple[int, int]:
        """Return columns and rows."""
        return os.get_terminal_size(1)

    def paint(self, rows: list[str]) -> bool:
        """Show these rows, and return whether anything had to be written."""
        size = self.size()
        if size != self._size:
            self._painted, self._size = ["?"] * size[1], size
        rows = (rows + [""] * size[1])[: size[1]]
        changed = [
            f"\x1b[{at}H\x1b[2K{row}"
            for at, (row, old) in enumerate(zip(rows, self._painted, strict=True), start=1)
            if row != old
        ]
        self._painted = rows
        self._write("".join(changed))
        return bool(changed)

    @staticmethod
    def _write(text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(1, data) :]
