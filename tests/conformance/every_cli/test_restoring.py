"""Back after a reboot: real CLIs go on with what was said before tmux was killed."""

from __future__ import annotations

from typing import Any

import pytest


def heard(testbed: Any, text: str) -> bool:
    """Whether a request of this chapter to the model has this text."""
    return any(text in str(request.body) for request in testbed.model.log.chapter())


@pytest.mark.timeout(400)
def test_lost_sessions_go_on_with_what_was_said(testbed: Any, own: Any) -> None:
    talks = {}
    for word in ("heron", "otter"):
        talk = talks[word] = own()
        talk.idle(90)
        talk.play()
        talk.say(f"the word is {word}")
        talk.finish()
        # On a busy machine its file may be found a moment after its turn has ended.
        talk.until(lambda now: now.get("cliSessionId"))
    before = {talk.id: talk.get().body for talk in talks.values()}
    testbed.desk.tmux("kill-server")
    for talk in talks.values():
        talk.state("lost")

    planned = testbed.client.post("/api/sessions/restore", {"dryRun": True}).body["sessions"]
    assert {each["session"]["id"] for each in planned} == set(before)
    restored = testbed.client.post("/api/sessions/restore", {}).body["sessions"]
    outcomes = {each["session"]["id"]: (each["outcome"], each.get("reason")) for each in restored}
    assert outcomes == dict.fromkeys(before, ("restored", None))
    assert testbed.client.post("/api/sessions/restore", {}).body["sessions"] == []

    for word, talk in talks.items():
        talk.seat.pane = talk.get().body["pane"]
        talk.idle(90)
        talk.play()
        talk.say("which word was it?")
        talk.finish()
        assert heard(testbed, f"the word is {word}"), talk.seat.text()
        assert not any(heard(testbed, f"the word is {other}") for other in talks if other != word)
        after = talk.get().body
        for field in ("mode", "cliSessionId", "channel", "cwd", "title"):
            assert after.get(field) == before[talk.id].get(field)
    panes = testbed.desk.tmux("list-panes", "-a", "-F", "#{@clawtap_session}").split()
    assert sorted(panes) == sorted(before)
