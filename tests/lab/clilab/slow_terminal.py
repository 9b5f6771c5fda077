"""A terminal on a slow line: it passes a program's output on in pieces, with pauses between them.

In one piece, each frame comes whole, after a pause.

While the file HOLD is there, an Enter and what follows it wait on the line.

By hand: python slow_terminal.py PIECES SECONDS HOLD PROGRAM...
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import tty
from collections.abc import Callable
from pathlib import Path

FRAME = 1000
"""A write of this many bytes paints a frame; less is a spinner or a key's echo."""
_ERASES_LINES = re.compile(rb"(?<!\x1b\[1A)(?=(?:\x1b\[2K\x1b\[1A){2})")


def install(folder: Path, name: str, pieces: int, seconds: float) -> Path:
    """Write a command of this name, which runs the real one on a slow line; return its folder.

    The file that holds keys back is `hold` in this folder.
    """
    folder.mkdir(exist_ok=True)
    command = folder / name
    script = f"#!{sys.executable}\nimport runpy, sys\n"
    script += f"sys.argv[1:1] = ['{pieces}', '{seconds}', '{folder / 'hold'}', {name!r}]\n"
    script += f"runpy.run_path({__file__!r}, run_name='__main__')\n"
    command.write_text(script, encoding="utf-8")
    command.chmod(0o755)
    return folder


def main(pieces: int, seconds: float, hold: Path, name: str, arguments: list[str]) -> int:
    """Run the program of this name that stands in the PATH behind the first."""
    folders = os.environ["PATH"].split(os.pathsep)[1:]
    os.environ["PATH"] = os.pathsep.join(folders)
    return run_behind([name, *arguments], lambda line: _pass_on(line, hold, pieces, seconds))


def run_behind(argv: list[str], pass_on: Callable[[int], None]) -> int:
    """Run a program in a terminal of its own, whose other end `pass_on` is given."""
    child, line = pty.fork()
    if child == 0:
        os.execvp(argv[0], argv)

    def resize(*_: object) -> None:
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
        fcntl.ioctl(line, termios.TIOCSWINSZ, size)

    # Some CLIs outlive the end of their terminal.
    signal.signal(signal.SIGHUP, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.signal(signal.SIGWINCH, resize)
    resize()
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        pass_on(line)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _pass_on(line: int, hold: Path, pieces: int, seconds: float) -> None:
    held = b""
    while True:
        ready, _, _ = select.select([0, line], [], [], 0.05 if held else None)
        keys = os.read(0, 65536) if 0 in ready else b""
        # A line break within a paste is sent as this byte, too.
        if hold.exists() and (held or keys.endswith(b"\r")):
            held += keys
        elif held or keys:
            os.write(line, held + keys)
            held = b""
        if line not in ready:
            continue
        try:
            data = os.read(line, 65536)
        except OSError:
            return
        while len(data) >= FRAME and select.select([line], [], [], 0.02)[0]:
            data += os.read(line, 65536)
        for number, part in enumerate(_parts(data, pieces)):
            if number or (pieces == 1 and len(part) >= FRAME):
                time.sleep(seconds)
            os.write(1, part)


def _parts(data: bytes, pieces: int) -> list[bytes]:
    if len(data) < FRAME:
        return [data]
    if pieces == 1:  # a frame erases the lines of the one before it
        return _ERASES_LINES.split(data)
    size = -(-len(data) // pieces)
    return [data[at : at + size] for at in range(0, len(data), size)]


if __name__ == "__main__":
    _, count, pause, held_by, program, *rest = sys.argv
    sys.exit(main(int(count), float(pause), Path(held_by), program, rest))
