"""A small CLI with what real ones have: tabs, a review page, folded pastes, a subagent.

`python formcli.py` in a terminal: write `ask`, `run COMMAND` or a message, and Enter.
"""

from __future__ import annotations

import os
import sys
import termios
import tty

TABS = {"Database": ("SQLite", "Postgres"), "Checks": ("Tests", "Types", "None")}
REVIEW = "Review"
LONGEST = 60  # a longer paste, or one of several lines, is shown by the number of its lines


class FormCli:
    """What it shows, and how it takes keys."""

    def __init__(self) -> None:
        self.log: list[str] = ["Form CLI: write `ask`, `run COMMAND` or a message", ""]

    def paint(self, *below: str) -> None:
        """Draw the conversation, and what stands below it."""
        sys.stdout.write("\x1b[H\x1b[J" + "\r\n".join([*self.log, *below]))
        sys.stdout.flush()

    def serve(self) -> None:
        """Take messages until Ctrl+D."""
        message, shown = "", ""
        while (key := read_key()) != "\x04":
            if key == "\r" and message:
                self.log += [f"> {shown}", ""]
                self.take(message)
                message = shown = ""
            elif key == "\x7f":
                message = shown = message[:-1] if message == shown else ""
            elif key.isprintable() or "\n" in key:
                message += key
                shown += folded(key)
            self.paint(f"> {shown}")

    def take(self, message: str) -> None:
        """Do what a message says."""
        word, _, rest = message.partition(" ")
        if word == "run":
            asked = ("Run this command? (Reviewer)", f"  {rest}", "")
            self.log += [f"The user chose: {self.choose(asked, ('Yes', 'No'))}", ""]
        elif word == "ask":
            self.log += [f"The user chose: {self.fill_in()}", ""]
        else:
            self.log += [f"I read: {' / '.join(message.splitlines())[-50:]}", ""]

    def fill_in(self) -> str:
        """Ask tab by tab, and once more on the review page."""
        answers: dict[str, str] = {}
        for tab, options in TABS.items():
            asked = (tab_bar(tab), "", f"Which {tab.lower()}?", "")
            answers[tab] = self.choose(asked, options)
            if not answers[tab]:
                return "nothing"
        given = [f"  {tab}: {answer}" for tab, answer in answers.items()]
        asked = (tab_bar(REVIEW), "", "Send these answers?", *given, "")
        sent = self.choose(asked, ("Send", "Drop")) == "Send"
        return " and ".join(answers.values()) if sent else "nothing"

    def choose(self, asked: tuple[str, ...], options: tuple[str, ...]) -> str:
        """Return the option that was chosen, "" after Escape."""
        at = 0
        while True:
            rows = [f"{'❯' if at == row else ' '} {label}" for row, label in enumerate(options)]
            self.paint(*asked, *rows, "", "Enter to choose, Esc to leave")
            key = read_key()
            if key in ("\x1b[A", "\x1b[B"):
                at = max(0, min(len(options) - 1, at + (1 if key == "\x1b[B" else -1)))
            elif key in ("\r", "\x1b"):
                return options[at] if key == "\r" else ""


def folded(text: str) -> str:
    """Return what the composer shows of a text that comes at once."""
    lines = text.count("\n") + 1
    return text if lines == 1 and len(text) <= LONGEST else f"[Pasted text, {lines} lines]"


def tab_bar(open_tab: str) -> str:
    """Return the row of tabs; the open one stands in brackets."""
    return " │ ".join(f"[{tab}]" if tab == open_tab else tab for tab in (*TABS, REVIEW))


def read_key() -> str:
    """Return a key, or a whole paste with its line breaks as newlines."""
    key = os.read(sys.stdin.fileno(), 65536).decode("utf-8", "replace")
    if not key.startswith("\x1b[200~"):
        return key
    while not key.endswith("\x1b[201~"):
        key += os.read(sys.stdin.fileno(), 65536).decode("utf-8", "replace")
    return key[6:-6].replace("\r", "\n")


def main() -> None:
    """Run in a terminal, with pastes in brackets."""
    before = termios.tcgetattr(sys.stdin)
    tty.setraw(sys.stdin)
    sys.stdout.write("\x1b[?2004h")
    cli = FormCli()
    cli.paint("> ")
    try:
        cli.serve()
    finally:
        sys.stdout.write("\x1b[?2004l")
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


if __name__ == "__main__":
    main()
