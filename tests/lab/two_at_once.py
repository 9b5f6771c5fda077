"""Two who answer one prompt within 30 ms: somebody at the desk, and a device."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import re
import struct
import subprocess
import termios
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cli_testbed import CliSession
from clilab.desk import Seat

from clawtap_core.testing.scripted.request_log import PATIENCE

EARLIEST, LATEST = -0.03, 0.05
"""When the desk's key is pressed, in seconds after the answer is posted: it takes its time."""
LATE = 0.3
"""How long a key of the desk may take to be drawn on a busy machine."""
STARTS = 3.0
"""How long a command that was allowed may take to start there."""


class Typist:
    """A person's own terminal, attached to the tmux session of a pane.

    With a `size`, of columns and rows, the pane gets that size.
    """

    def __init__(self, seat: Seat, size: tuple[int, int] | None = None) -> None:
        self._screen, inside = pty.openpty()
        cols, rows = size or (120, 41)
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        flags = () if size else ("-f", "ignore-size")
        command = ("tmux", "-L", seat.desk.socket, "attach", *flags, "-t", seat.pane)
        env = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}
        self._process = subprocess.Popen(
            command, stdin=inside, stdout=inside, stderr=inside, env={**env, "TERM": "screen"}
        )
        os.close(inside)
        self._drawn = threading.Event()
        threading.Thread(target=self._drain, daemon=True).start()
        assert self._drawn.wait(60), "nothing was drawn"

    def press(self, key: str) -> None:
        """Press a key, given as what a terminal sends for it."""
        os.write(self._screen, key.encode())

    def close(self) -> None:
        """Leave."""
        self._process.terminate()
        self._process.wait(60)
        os.close(self._screen)

    def _drain(self) -> None:
        try:
            while os.read(self._screen, 65536):
                self._drawn.set()
        except OSError:
            return


class Sender:
    """A program that sends keys through tmux, as terminals with a tmux mode of their own do."""

    def __init__(self, seat: Seat) -> None:
        command = ("tmux", "-L", seat.desk.socket, "-C", "attach", "-f", "ignore-size,no-output")
        env = {key: value for key, value in os.environ.items() if not key.startswith("TMUX")}
        self._pane = seat.pane
        self._process = subprocess.Popen(
            (*command, "-t", seat.pane),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=env,
            text=True,
            bufsize=1,
        )

    def press(self, key: str) -> None:
        """Press a key, given as what a terminal sends for it."""
        assert self._process.stdin
        named = " ".join(f"{byte:x}" for byte in key.encode())
        self._process.stdin.write(f"send-keys -t {self._pane} -H {named}\n")

    def close(self) -> None:
        """Leave."""
        assert self._process.stdin
        self._process.terminate()
        self._process.wait(60)
        self._process.stdin.close()


DESKS = {"person": Typist, "program": Sender}


@contextmanager
def somebody_at(seat: Seat, how: str, **terminal: Any) -> Iterator[Typist | Sender]:
    """Somebody at the desk, who types in their terminal or through tmux."""
    desk = DESKS[how](seat, **terminal)
    try:
        yield desk
    finally:
        desk.close()


@dataclass
class Tally:
    """How the rounds went; `wrong` are those in which somebody got a wrong reply."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        longest = max(self.seconds, default=0.0)
        median = sorted(self.seconds)[len(self.seconds) // 2] if self.seconds else 0.0
        rounds = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        return (
            f"{rounds}; reply after {median:.3f} s (median), {longest:.3f} s (longest)"
            + "".join(f"\n  {each}" for each in self.wrong)
        )


def at_once(
    desk: Typist | Sender, key: str, answer: Callable[[], Any], delay: float
) -> tuple[Any, float]:
    """Answer, and press a key at the desk `delay` seconds later, or before; reply and time."""
    pressing = threading.Timer(max(delay, 0.0), desk.press, (key,))
    pressing.start()
    time.sleep(max(-delay, 0.0))
    began = time.monotonic()
    reply = answer()
    took = time.monotonic() - began
    pressing.join()
    return reply, took


def race(
    talk: CliSession,
    desk: Typist | Sender,
    rounds: int,
    ask: Callable[[int], dict[str, Any]],
    key: Callable[[dict[str, Any]], str],
    answer: Callable[[dict[str, Any]], Any],
    whose: Callable[[int, Any], str],
) -> Tally:
    """Answer a prompt in two places at once, as often as asked.

    `whose` returns whose answer the CLI took, by what came of it: "desk" or "device", or "both".
    """
    chance, tally = random.Random(7), Tally()
    for number in range(rounds):
        prompt = ask(number)
        delay = chance.uniform(EARLIEST, LATEST)
        reply, took = at_once(desk, key(prompt), lambda asked=prompt: answer(asked), delay)
        tally.seconds.append(took)
        counted = whose(number, reply)
        reported = {200: "device", 409: "desk"}.get(reply.status, "nobody")
        left = left_in_composer(talk) or left_in_composer(talk, after=LATE)
        tally.counts[
            f"reply {reported}, counted {counted}{left and ', a key in the composer'}"
        ] += 1
        if (
            left
            or counted == "both"
            or (counted != "either" and reported not in (counted, "nobody"))
        ):
            tally.wrong.append(
                f"round {number}, the desk {delay * 1000:.0f} ms later: reply {reported}"
                f" after {took:.1f} s ({reply.status}, {reply.body.get('code', '')}),"
                f" counted {counted}{left}\n{talk.seat.text()}"
            )
    return tally


def commands(talk: CliSession, turns: Any, desk: Typist | Sender, rounds: int) -> Tally:
    """The device allows a command that the desk refuses."""

    def ask(number: int) -> dict[str, Any]:
        return talk.do(turns.shell(f"touch raced-{number}.txt"))

    def whose(number: int, reply: Any) -> str:
        talk.idle()
        made, until = talk.cwd / f"raced-{number}.txt", time.monotonic() + STARTS
        # A session may look idle for a moment before a command that was allowed runs.
        while reply.status == 200 and not made.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return "device" if made.exists() else "desk"

    return race(
        talk,
        desk,
        rounds,
        ask,
        lambda prompt: str(len(prompt["options"])),
        talk.approve,
        whose,
    )


def pairs(talk: CliSession, turns: Any, desk: Typist | Sender, rounds: int) -> Tally:
    """Both allow the first of two commands; nobody has seen the second."""
    unasked = ""

    def ask(number: int) -> dict[str, Any]:
        nonlocal unasked
        names = [f"{name}-{number}.txt" for name in ("one", "two")]
        prompt = talk.do(turns.parallel([f"touch {name}" for name in names]))
        # A CLI may ask about the second one first.
        unasked = next(name for name in reversed(names) if name not in prompt["description"])
        return prompt

    def whose(number: int, reply: Any) -> str:
        asked_again = second_prompt(talk) is not None
        time.sleep(0.5)
        unseen = (talk.cwd / unasked).exists()
        # A frame that names the call only later makes it a new prompt, in doubt.
        while asked_again and not unseen and second_prompt(talk):
            for waiting in talk.pending():
                talk.approve(waiting)
        talk.idle()
        return "both" if unseen else "either"

    return race(talk, desk, rounds, ask, lambda _: "1", talk.approve, whose)


def second_prompt(talk: CliSession) -> dict[str, Any] | None:
    """The prompt of the second call, or None when both calls ended without one."""
    until = time.monotonic() + PATIENCE
    while not (waiting := talk.pending()):
        if len(talk.log.function_responses()) > 1:
            return None
        assert time.monotonic() < until, "neither was asked again nor ended"
        time.sleep(0.05)
    talk.met.add(waiting[0]["requestId"])
    return waiting[0]


def questions(talk: CliSession, turns: Any, desk: Typist | Sender, rounds: int) -> Tally:
    """The device chooses another label than the desk."""

    def ask(number: int) -> dict[str, Any]:
        return talk.do(turns.ask(turns.choice(f"Which way {number}?", "Left", "Right", "Back")))

    def whose(number: int, reply: Any) -> str:
        talk.idle()
        got = str(talk.outputs())
        return "device" if "Left" in got else "desk" if "Back" in got else got

    return race(
        talk,
        desk,
        rounds,
        ask,
        lambda _: "3",
        lambda asked: talk.answer(asked, {"0": "Left"}),
        whose,
    )


def left_in_composer(talk: CliSession, *, after: float = 0.0) -> str:
    """Return a key that stands in the composer; it is taken out for the next round."""
    time.sleep(after)
    lines = re.findall(r"^[ │]*[>›❯][ \xa0]+([0-9ynp]{1,3})[ │]*$", talk.seat.text(), re.MULTILINE)
    if not lines:
        return ""
    for _ in lines[-1]:
        talk.seat.press("BSpace")
    return f"; {lines[-1]!r} stood in the composer"


SCENARIOS = (commands, pairs, questions)
