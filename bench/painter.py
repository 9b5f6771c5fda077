"""The program in the pane. It needs the standard library only, and starts fast.

painter.py ask LOG ROUNDS   paints a prompt, waits for a key, and again; LOG holds the times
painter.py spin             paints a spinner and a clock 10 times a second
"""

from __future__ import annotations

import os
import sys
import termios
import time
import tty
from pathlib import Path

CLEAR = "\x1b[2J\x1b[H"
GOLDEN = 0.6180339887498949
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def pause(number: int) -> float:
    """For how many seconds nothing is asked before this round, from 0.4 to 0.9.

    The rounds are spread evenly over that half second, two periods of the poller: what is drawn by
    chance may fall, round after round, just before the poller looks.
    """
    return 0.4 + 0.5 * (number * GOLDEN % 1)


def paint(text: str) -> None:
    """Show this text alone, by one write."""
    os.write(1, (CLEAR + text.replace("\n", "\r\n")).encode())


def ask(log: str, rounds: int) -> None:
    """Ask again and again; each round notes when the prompt was painted and the key read."""
    with Path(log).open("a", buffering=1, encoding="utf-8") as file:
        for number in range(rounds):
            paint(f"answered {number}\nReady\n")
            time.sleep(pause(number))
            painted = time.monotonic_ns()
            paint(f"Question {number}?\n1. Yes\n2. No\n")
            os.read(0, 1)
            file.write(f"{number} {painted} {time.monotonic_ns()}\n")
    paint("all answered\nReady\n")
    os.read(0, 1)


def spin() -> None:
    """Stay busy until killed."""
    start, turn = time.monotonic(), 0
    text = "\n".join(f"some earlier line {n}" for n in range(30))
    paint(f"{text}\n\n")
    while True:
        seconds = int(time.monotonic() - start)
        os.write(1, f"\r {SPINNER[turn % 10]} Working ({seconds}s)".encode())
        turn += 1
        time.sleep(0.1)


def main() -> None:
    """Do what the arguments say, on a raw terminal."""
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        if sys.argv[1] == "ask":
            ask(sys.argv[2], int(sys.argv[3]))
        else:
            spin()
    finally:
        termios.tcsetattr(0, termios.TCSANOW, before)


if __name__ == "__main__":
    main()
