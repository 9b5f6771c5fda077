"""A list of the CLI's own, opened at the desk while a message waits: nothing is typed into it."""

from __future__ import annotations

import time

import pytest
from every_cli import on_every_version
from patience import until

pytestmark = on_every_version
MODELS = {"opencode": "/models"}
# Without an account its list of models does not open.
LISTS_NO_MODELS = {("copilot", "1.0.64")}
OTHERS = {
    "claude": "/permissions",
    "codex": "/permissions",
    "copilot": "/theme",
    "gemini": "/settings",
    "kimi": "/permission",
    "opencode": "/themes",
    "qwen": "/approval-mode",
}
# What a CLI says at its end, which an agent may quote, and a list that leaves it in sight.
GOODBYES = {
    "claude": ("claude --resume 01234567-89ab-cdef-0123-456789abcdef", "/model"),
    "gemini": ("To resume this session: gemini --resume 01234567-89ab-cdef", "/privacy"),
}
# What ClawTap sends there is the user's words, never a command.
WORDS_ONLY = {"copilot"}


def lists(seat):
    """How often the pane names the key that closes a list."""
    return seat.text().lower().count("esc")


def enter(seat, command):
    """Enter a command as a person does."""
    seat.type(command)
    seat.see(command)
    time.sleep(1)  # it completes what is typed
    seat.press("Enter")


def closed_and_sent(talk, said):
    """See the list take nothing of the message, which goes once the list is closed."""
    talk.state("waiting")  # for somebody at the desk
    assert said[-12:] not in talk.seat.text()
    assert talk.get().body["queued"] == 1
    talk.seat.press("Escape")
    talk.finish()
    assert talk.log.times_said(said) == 1


def test_a_message_waits_until_the_list_is_closed(testbed, own):
    talk = own()
    talk.idle(90)
    shown = lists(talk.seat)
    name = testbed.cli.name
    models = (name, testbed.version) not in LISTS_NO_MODELS
    enter(talk.seat, MODELS.get(name, "/model") if models else OTHERS[name])
    until(lambda: lists(talk.seat) > shown)
    talk.play()
    closed_and_sent(talk, talk.say())


def test_a_list_below_a_goodbye_that_is_quoted_ends_no_session(testbed, own):
    if testbed.cli.name not in GOODBYES:
        pytest.skip("not tried")
    words, command = GOODBYES[testbed.cli.name]
    talk = own()
    talk.idle(90)
    talk.play(words)
    talk.say("how is it resumed?")
    talk.seat.see(words)
    talk.idle()
    shown = lists(talk.seat)
    enter(talk.seat, command)
    until(lambda: lists(talk.seat) > shown)
    talk.play()
    closed_and_sent(talk, talk.say())


def test_a_list_whose_rows_are_ticked_waits_for_the_desk(testbed, own):
    if (testbed.cli.name, testbed.version) != ("codex", "0.169.0"):
        pytest.skip("no such list")
    talk = own(cols=80, rows=24)
    talk.idle(90)
    enter(talk.seat, "/experimental")
    talk.seat.see("space toggle")
    talk.play()
    closed_and_sent(talk, talk.say())


def test_a_message_is_not_typed_into_a_list_that_is_about_to_open(testbed, own):
    talk = own()
    talk.idle(90)
    talk.play()
    enter(talk.seat, OTHERS[testbed.cli.name])
    closed_and_sent(talk, talk.say())


def test_a_message_is_not_typed_into_a_list_that_a_message_before_it_opens(testbed, own):
    if testbed.cli.name in WORDS_ONLY:
        pytest.skip("no message opens a list")
    talk = own()
    talk.idle(90)
    talk.play()
    said = f"and do number {time.monotonic_ns()}"
    for text in (OTHERS[testbed.cli.name], said):
        assert talk.post("message", message=text).status in (200, 202), talk.seat.text()
    closed_and_sent(talk, said)


# Their menus, or the draft that stays, take more than one Escape, or none.
KEEPS_ITS_MENU = {("codex", "0.116.0"), ("qwen", "0.24.4"), ("qwen", "0.15.10")}
NOT_TRIED = {"copilot", "kimi", "opencode"}


def test_a_turn_is_interrupted_though_the_desk_has_a_menu_open(testbed, own):
    name = testbed.cli.name
    if name in NOT_TRIED or (name, testbed.version) in KEEPS_ITS_MENU:
        pytest.skip("a second Escape does not stop this one")
    talk = own()
    talk.idle(90)
    words = " ".join(f"word{number}" for number in range(400))
    talk.play({"parts": [{"text": words, "split": 5}], "chunk_delay": 0.2})
    talk.say()
    talk.state("busy")
    time.sleep(3)
    talk.seat.type("/mo")
    talk.seat.see("model")
    time.sleep(1)  # the menu is painted after the draft
    assert talk.get().body["state"] == "busy", talk.seat.text()
    reply = talk.post("interrupt")
    assert reply.status == 200, (reply, talk.seat.text())
    talk.state("idle")
    assert "/mo" in talk.seat.text()  # what the desk wrote is still theirs
