"""From end to end: a person with a phone, the page, the server, tmux, the real Claude Code."""

from __future__ import annotations

import pytest
from clilab import claude_turns as turns
from phone_browser import hear, phone, say, tap

pytestmark = pytest.mark.browser


def test_a_tap_on_a_phone_lets_the_cli_go_on(talk):
    with phone(talk.testbed, f"/sessions/{talk.id}") as page:
        talk.play(turns.shell("touch tapped.txt"))
        say(page, "please make the file")
        tap(page, ".choice.allow-once", "touch tapped.txt")
        talk.outputs()
        assert (talk.cwd / "tapped.txt").exists()
        hear(page, talk.end)
        page.locator(".feed-item.tool .tool-result.done .tool-state").first.wait_for()
        talk.finish()
