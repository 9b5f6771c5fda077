"""Terminals without colours, and without the keys and colours of today.

The CLIs that no file here asks have suites of environments of their own.
"""

from __future__ import annotations

import pytest
from every_cli import on_the_others

pytestmark = on_the_others


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "screen"}], ids=str)
def test_a_permission_is_answered_and_a_message_arrives(testbed, variables):
    cwd = testbed.project()
    seat = testbed.desk.open((testbed.cli.name,), cwd, {**testbed.env, **variables})
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(90)
    shell = testbed.cli.turns.shell
    prompt = talk.do(shell("touch allowed.txt && ls"))
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (cwd / "allowed.txt").exists()
    refused = talk.do(shell("touch refused.txt && ls"))
    assert talk.deny(refused).status == 200
    talk.idle()
    assert not (cwd / "refused.txt").exists()
    talk.play()
    said = talk.say()
    talk.finish()
    assert talk.log.times_said(said) == 1
    talk.leave()
    seat.close()
