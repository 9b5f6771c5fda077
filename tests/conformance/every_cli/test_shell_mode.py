"""A shell command that the desk is writing: no message goes into it, and it is no prompt."""

from __future__ import annotations

import time

import pytest
from every_cli import on_every_version

pytestmark = on_every_version
# What leaves the mode where the key that removes its mark does not.
LEAVES = dict.fromkeys(("gemini", "opencode", "qwen"), ("Escape",))


@pytest.mark.parametrize("draft", ["!", "!ls"])
def test_a_message_waits_until_the_shell_mode_is_left(testbed, own, draft):
    talk = own()
    talk.idle(90)
    talk.play()
    talk.seat.type(draft)
    talk.seat.see("Shell" if testbed.cli.name == "opencode" else "!", draft.strip("!"))
    said = f"touch {time.monotonic_ns()}.txt"
    assert talk.post("message", message=said).status == 202, talk.seat.text()
    with pytest.raises(AssertionError):
        talk.prompt(seconds=4)
    assert said not in talk.seat.text()
    talk.seat.press(*["BSpace"] * len(draft), *LEAVES.get(testbed.cli.name, ()))
    talk.finish()
    assert talk.log.times_said(said) == 1
