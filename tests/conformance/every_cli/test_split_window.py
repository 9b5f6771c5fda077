"""Two CLIs in the halves of one window: each is watched and answered for itself."""

from __future__ import annotations

import pytest
from every_cli import on_every_version
from shell_at_the_desk import start_command

pytestmark = [on_every_version, pytest.mark.timeout(600)]


def test_each_half_gets_its_own_answers_and_messages(testbed, own, second):
    left = own(cols=200, rows=45)
    left.idle(90)
    cwd = second.project()
    seat = testbed.desk.split(left.seat, start_command(second).split(), cwd, second.env)
    seat.until(str.strip)  # `env` has started it
    right = second.adopt(seat.pane, cwd)
    assert right.get().body["adapter"] == second.cli.name
    right.idle(90)
    left.idle(90)  # it was drawn anew
    halves = (left, right)
    for allowed in halves:
        prompts = [
            talk.do(talk.testbed.cli.turns.shell(f"echo {name} >> asked.txt"), text=f"ask {name}")
            for talk, name in zip(halves, ("left", "right"), strict=True)
        ]
        for talk, prompt in zip(halves, prompts, strict=True):
            waiting = [each["requestId"] for each in talk.pending()]
            assert waiting == [prompt["requestId"]], talk.journal()
        replies = [
            talk.approve(prompt) if talk is allowed else talk.deny(prompt)
            for talk, prompt in zip(halves, prompts, strict=True)
        ]
        assert [reply.status for reply in replies] == [200, 200], replies
        for talk in halves:
            talk.idle()
    assert (left.cwd / "asked.txt").read_text() == "left\n"
    assert (right.cwd / "asked.txt").read_text() == "right\n"
    for talk in halves:
        talk.play()
    for talk in halves:
        talk.say(f"words for {talk.testbed.cli.name}")
    for talk in halves:
        talk.finish()
        assert talk.log.times_said(f"words for {talk.testbed.cli.name}") == 1
        assert talk.log.times_said("words for") == 1
    right.leave()
    seat.close()
