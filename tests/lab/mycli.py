"""The small CLI of `clawtap new-adapter`: it asks before it runs a command.

`python mycli.py` in a terminal: write `run COMMAND` and Enter.
"""

from __future__ import annotations

import os
import sys
import termios
import time
import tty

OPTIONS = ("Yes", "Yes, and don't ask again", "No (esc)")
PACE = 0.3


class MyCli:
    """What it shows, and how it takes keys."""

    def __init__(self) -> None:
        self.log: list[str] = ["My CLI: write `run COMMAND`", ""]

    def paint(self, *below: str) -> None:
        sys.stdout.write("\x1b[H\x1b[J" + "\r\n".join([*self.log, *below]))
        sys.stdout.flush()

    def serve(self) -> None:
        draft = ""
        while True:
            self.paint(f"> {draft}")
            key = read_key()
            if key == "\x04":
                return
            if key == "\r" and draft:
                self.log += [f"> {draft}", ""]
                if draft.startswith("run "):
                    self.run(draft.removeprefix("run "))
                draft = ""
            elif key == "\x7f":
                draft = draft[:-1]
            elif key.isprintable():
                draft += key

    def run(self, command: str) -> None:
        choice = self.ask(command)
        self.log += [f"\x1b[2mThe user chose: {choice}\x1b[0m", ""]
        if choice.startswith("Yes"):
            self.paint("Working... (esc to interrupt)")
            time.sleep(PACE)
            self.log += [f"Ran {command}", ""]

    def ask(self, command: str) -> str:
        at = 0
        while True:
            rows = [
                f"{'❯' if at == row else ' '} {row + 1}. {label}"
                for row, label in enumerate(OPTIONS)
            ]
            asked = ["\x1b[1mRun this command?\x1b[0m", f"  {command}", "", *rows, ""]
            self.paint(*asked, "Enter to choose, Esc to refuse")
            key = read_key()
            if key in ("\x1b[A", "\x1b[B"):
                at = max(0, min(len(OPTIONS) - 1, at + (1 if key == "\x1b[B" else -1)))
            elif key == "\x1b":
                return "No"
            elif key == "\r":
                return OPTIONS[at].removesuffix(" (esc)")


def read_key() -> str:
    """Return a key; tmux writes the bytes of one at once."""
    return os.read(sys.stdin.fileno(), 64).decode("utf-8", "replace")


def main() -> None:
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    try:
        MyCli().serve()
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


if __name__ == "__main__":
    main()
