"""Claude Code with vi's keys: a message is no command, and an interrupt interrupts."""

from __future__ import annotations

import pytest

LONG = {"parts": [{"text": "word " * 300, "split": 5}], "chunk_delay": 0.1}


@pytest.fixture
def vim(testbed):
    testbed.settle(vim=True)
    talk = testbed.start()
    talk.idle(60)
    yield talk
    talk.leave()
    testbed.settle()


def test_an_interrupt_stops_the_turn_and_goes_back_to_insert_mode(vim):
    vim.play(LONG)
    vim.say()
    vim.state("busy")
    assert vim.post("interrupt").status == 200
    vim.idle()
    vim.seat.see("-- INSERT --")
    vim.play()
    text = vim.say("please use dd, not x")
    vim.finish()
    assert vim.log.times_said(text) == 1


def test_a_message_in_command_mode_is_no_command(vim):
    vim.seat.press("Escape")
    vim.seat.see_gone("-- INSERT --")
    vim.play()
    text = vim.say("0D please do /it/ at once")
    vim.finish()
    assert vim.log.times_said(text) == 1
