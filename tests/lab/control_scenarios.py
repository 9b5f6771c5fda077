"""Scenarios of interrupts, modes and panes that several CLIs go through."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from cli_testbed import CliSession, CliTestbed

STORY = {"parts": [{"text": "once upon a time " * 60, "split": 17}], "chunk_delay": 0.3}
_LATE = {"parts": [{"text": "too late"}]}


def interrupts(talk: CliSession, shows: str) -> None:
    """A turn is interrupted, after which the screen `shows` that."""
    talk.play(STORY)
    talk.say()
    talk.seat.see("once upon a time", seconds=60)
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.seat.see(shows)


def interrupts_before_the_answer(talk: CliSession) -> None:
    """A message without an answer is interrupted, and does not stand in the way of the next."""
    said = talk.begin(_LATE, seconds=20.0)
    assert talk.log.wait(lambda log: log.times_said(said) == 1)
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.idle()
    sends_the_next_message(talk)


def interrupts_beside_a_draft(talk: CliSession) -> None:
    """An interrupt leaves what the desk is writing."""
    talk.begin(_LATE, seconds=20.0)
    talk.seat.type("half a text")
    talk.seat.see("half a text")
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.state("idle")
    talk.seat.see("half a text")
    talk.seat.press("C-e", "C-u")
    talk.idle()


def refuses_an_interrupt_beside_a_draft(talk: CliSession, draft: str) -> None:
    """An interrupt that would take the desk's draft along says so and is not typed.

    It comes right after the draft was typed, before that shows.
    """
    talk.begin(_LATE, seconds=20.0)
    talk.seat.type(draft)
    reply = talk.post("interrupt")
    assert (reply.status, reply.body["code"]) == (422, "cannot_act"), reply
    assert "something else in the terminal would take the key" in reply.body["error"], reply
    assert talk.get().body["state"] == "busy"
    talk.seat.see(draft)
    talk.seat.press("C-e", "C-u")
    talk.seat.see_gone(draft)
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.idle()


def refuses_an_interrupt_behind_the_help(talk: CliSession, shows: str) -> None:
    """While the help, which `shows` this, covers a turn, an interrupt says so and is not typed."""
    talk.begin(_LATE, seconds=20.0)
    talk.seat.type("/help")
    talk.seat.see("/help")
    time.sleep(1)  # it completes what is typed
    talk.seat.press("Enter")
    talk.seat.see(shows)
    reply = talk.post("interrupt")
    assert reply.status == 409, reply
    assert "something else than the composer is open" in reply.body["error"], reply
    assert shows in talk.seat.text()
    talk.seat.press("Escape")
    talk.state("busy")
    assert talk.post("interrupt").status == 200, talk.seat.text()
    talk.idle()


def sends_the_next_message(talk: CliSession) -> None:
    """A message after an interrupt reaches the model alone."""
    talk.play()
    talk.say("and now this")
    assert talk.log.wait(lambda log: log.times_said("and now this") == 1)
    talk.finish()


def interrupts_nothing_while_idle(talk: CliSession) -> None:
    """An idle session has nothing to interrupt."""
    assert talk.post("interrupt").status == 409


def switches_modes(talk: CliSession, modes: Sequence[str]) -> None:
    """Each of these modes is switched to."""
    for mode in modes:
        assert talk.post("permission-mode", mode=mode).status == 200
        talk.until(lambda now, mode=mode: now["mode"] == mode)


def keeps_its_mode_while_it_asks(talk: CliSession, turns: Any, mode: str) -> None:
    """No mode is switched while a prompt is open."""
    prompt = talk.do(turns.shell("touch mode.txt"))
    assert talk.post("permission-mode", mode=mode).status == 409
    assert talk.deny(prompt).status == 200
    talk.idle()


def allows(talk: CliSession, turns: Any, file: str) -> None:
    """A command is allowed, and runs."""
    prompt = talk.do(turns.shell(f"touch {file}"))
    assert prompt["toolInput"]["command"] == f"touch {file}"
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / file).exists()


def is_adopted(testbed: CliTestbed, turns: Any, command: str, shows: str) -> None:
    """A CLI that was started at the desk, and `shows` that it is ready, is adopted and answered."""
    cwd = testbed.project()
    seat = testbed.desk.open((command,), cwd, testbed.env)
    seat.see(shows, seconds=90)
    talk = testbed.adopt(seat.pane, cwd)
    assert talk.get().body["adapter"] == command
    talk.idle(60)
    allows(talk, turns, "adopted.txt")
    talk.leave()
    seat.close()


def is_answered_in_panes(
    testbed: CliTestbed, turns: Any, *sizes: tuple[int, int], seconds: float = 60
) -> None:
    """A session is answered in panes of these columns and rows."""
    for cols, rows in sizes:
        talk = testbed.start(cols=cols, rows=rows)
        talk.idle(seconds)
        allows(talk, turns, f"size{cols}.txt")
        talk.leave()
