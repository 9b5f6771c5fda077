"""Somebody at the desk moves the selection while a device refuses."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cli_testbed import CliSession
from two_at_once import Sender, Typist, somebody_at

UP, DOWN = "\x1b[A", "\x1b[B"
EVERY = 0.2
TIMES = 4


@contextmanager
def arrows(desk: Typist | Sender) -> Iterator[None]:
    """Press Down and Up in turn."""
    over = threading.Event()

    def press() -> None:
        for key in itertools.cycle((DOWN, UP)):
            desk.press(key)
            if over.wait(EVERY):
                return

    pressing = threading.Thread(target=press)
    pressing.start()
    try:
        yield
    finally:
        over.set()
        pressing.join()


def clear(talk: CliSession) -> None:
    """Take out what an Up brought into the composer, however late it is drawn."""
    for _ in range(12):
        time.sleep(EVERY)
        talk.seat.press("C-u")


@pytest.mark.timeout(600)
def test_every_refusal_reaches_the_cli_while_somebody_presses_arrows(testbed, own):
    talk = own()
    talk.idle(90)
    with somebody_at(talk.seat, "person") as desk:
        for number in range(TIMES):
            prompt = talk.do(testbed.cli.turns.shell(f"touch arrows-{number}.txt"))
            with arrows(desk):
                reply = talk.deny(prompt)
            assert (reply.status, reply.body.get("state")) == (200, "denied"), reply
            talk.idle()
            clear(talk)
            assert not (talk.cwd / f"arrows-{number}.txt").exists()
