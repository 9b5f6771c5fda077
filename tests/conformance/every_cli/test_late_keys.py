"""A CLI on a busy machine reads its keys late, and several at once."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from clilab import slow_terminal
from every_cli import CLIS

from clawtap_core.testing import Served

LATE = 6.0


@pytest.fixture(scope="module")
def hold(testbed):
    """While this file is there, no CLI of the testbed reads an Enter."""
    name = next(name for name, cli in CLIS.items() if cli is testbed.cli)
    folder = slow_terminal.install(testbed.folder / "slow", name, 1, 0.0)
    testbed.env["PATH"] = f"{folder}{os.pathsep}{testbed.env['PATH']}"
    testbed.served = Served(testbed.folder, tmux_socket=testbed.desk.socket, env=testbed.env)
    return folder / "hold"


def entered(talk, text):
    """Whether Enter was pressed for this message."""
    events = [event["data"] for event in talk.journal()]
    sent = [data["messageId"] for data in events if data.get("message") == text]
    return any(data.get("messageId") in sent and "Enter" in json.dumps(data) for data in events)


@pytest.mark.parametrize("text", ["plain words", "thumbs 👍🏽 up", "two\nlines"])
def test_a_cli_that_reads_the_enter_late_gets_the_message_once(hold, own, text):
    talk = own()
    talk.idle(90)
    texts = [f"first: {text}", f"second: {text}"]
    for said in texts:
        talk.play()
        hold.touch()
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(talk.post, "message", message=said)
            end = time.monotonic() + 60
            while not entered(talk, said) and time.monotonic() < end:
                time.sleep(0.1)
            late = time.monotonic() + LATE
            while time.monotonic() < late and not sending.done():
                time.sleep(0.1)
            hold.unlink()
            reply = sending.result()
        # A CLI that is still starting has the message wait for a moment.
        assert reply.status in (200, 202), reply
        talk.finish()
    assert [talk.log.times_said(said.split("\n")[0]) for said in texts] == [1, 1]
    talk.leave()
