"""What of a message reaches the model is the same for every CLI, as docs/api.md says."""

from __future__ import annotations

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


def test_the_tabs_of_a_first_message_reach_the_model(own, testbed):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say("one\ttab and\tone more")
    talk.finish()
    blank = " " * 4 if testbed.cli.name == "claude" else "\t"
    heard = f"one{blank}tab and{blank}one more"
    assert talk.log.times_said(heard) == 1, talk.log.user_texts()
