"""A session whose CLI goes on in an older conversation, by an argument of its own, shows it."""

from __future__ import annotations

import every_cli
import pytest
from conversation_scenarios import spoken, until_said

pytestmark = every_cli.on_every_version

LATEST = {
    "claude": ("--continue",),
    "codex": ("resume", "--last"),
    "gemini": ("--resume", "latest"),
    "opencode": ("--continue",),
}


def latest(testbed):
    """Return the arguments that take up the latest conversation of the folder."""
    return LATEST.get(testbed.cli.name, ("--continue",))


@pytest.mark.parametrize("words", [("remember the milk",), ("buy some bread", "or some rolls")])
def test_it_is_shown_and_goes_on(testbed, own, words):
    cwd = testbed.project()
    for said in (("something else", "which is over"), words):
        talk = own(cwd=cwd)
        talk.idle(90)
        for text in said:
            talk.play()
            talk.say(text)
            talk.finish()
        until_said(talk, talk.end)
        before = talk.get().body["cliSessionId"]
        talk.leave()
    later = own(cwd=cwd, args=list(latest(testbed)))
    later.idle(90)
    until_said(later, *words, talk.end)
    later.play()
    later.say("and the butter")
    later.finish()
    messages = spoken(until_said(later, later.end, *words))
    assert [text for who, text in messages if who == "user"] == [*words, "and the butter"]
    assert later.get().body["cliSessionId"] == before


def test_one_that_began_so_is_resumed_by_its_id(testbed, own):
    talk = own()
    talk.idle(90)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    until_said(talk, talk.end)
    before = talk.get().body["cliSessionId"]
    talk.leave()
    later = own(cwd=talk.cwd, resume=before, args=list(latest(testbed)))
    later.idle(90)
    until_said(later, "remember the milk")
    assert later.get().body["cliSessionId"] == before
