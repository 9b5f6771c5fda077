"""What of a message reaches the model is the same for every CLI, as docs/api.md says."""

from __future__ import annotations

import re
import time

import pytest

WRITTEN = " \r\n two  blanks  \r\n\r\nsome\ttabs\there\rand \x1b[31mred\x07\r\n "
HEARD = "two  blanks  \n\nsome\ttabs\there\nand [31mred"


def test_line_ends_blanks_tabs_and_control_characters_follow_one_rule(talk, testbed):
    heard = HEARD
    if testbed.cli.name == "claude":  # its composer makes four blanks of a tab
        heard = heard.replace("\t", " " * 4)
    talk.play()
    talk.say()
    talk.finish()
    talk.play()
    talk.say(WRITTEN)
    talk.finish()
    assert talk.log.times_said(heard) == 1, talk.log.user_texts()
    talk.play()
    following = talk.say()
    talk.finish()
    assert talk.log.times_said(following) == 1


def queued_for(talk, why):
    """Send a message that waits for this, and return it."""
    text = f"wait {len(why)} characters"
    talk.play()
    reply = talk.post("message", message=text)
    assert (reply.status, reply.body.get("detail")) == (202, why), (reply, talk.seat.text())
    assert talk.get().body["detail"] == why
    return text


def arrives(talk, text):
    talk.finish()
    assert talk.log.times_said(text) == 1
    assert "detail" not in talk.get().body


def test_a_message_behind_a_letter_of_the_desk_says_what_it_waits_for(talk):
    talk.seat.type("n")
    talk.seat.until(
        lambda screen: re.search(r"^\W*[>›❯]\s+n\W*$", screen, re.MULTILINE), "the letter"
    )
    text = queued_for(talk, "the composer in the terminal holds text; send or delete it there")
    talk.seat.press("BSpace")
    arrives(talk, text)


@pytest.mark.parametrize("option", ["input", "synchronize-panes"])
def test_a_message_to_a_pane_that_takes_no_keys_says_what_it_waits_for(testbed, talk, option):
    tmux, pane = testbed.desk.tmux, talk.seat.pane
    if option == "input":
        tmux("select-pane", "-d", "-t", pane)
        why = "input to this pane is off; switch it on with `tmux select-pane -e`"
    else:
        tmux("set-option", "-w", "-t", pane, option, "on")
        why = "tmux would send these keys to other panes too; switch that off with "
        why += "`tmux set-option -w synchronize-panes off`"
    try:
        text = queued_for(talk, why)
        time.sleep(8)  # longer than for three tries
        assert talk.get().body["queued"] == 1
    finally:
        tmux("select-pane", "-e", "-t", pane)
        tmux("set-option", "-w", "-u", "-t", pane, "synchronize-panes")
    arrives(talk, text)


def test_the_tabs_of_a_first_message_reach_the_model(own, testbed):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say("one\ttab and\tone more")
    talk.finish()
    blank = " " * 4 if testbed.cli.name == "claude" else "\t"
    heard = f"one{blank}tab and{blank}one more"
    assert talk.log.times_said(heard) == 1, talk.log.user_texts()
