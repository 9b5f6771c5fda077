"""From end to end: a person with a phone, the page, the server, tmux, every real CLI."""

from __future__ import annotations

import pytest
from phone_browser import hear, phone, say, tap

pytestmark = pytest.mark.browser


def test_a_tap_on_a_phone_lets_the_cli_go_on(talk, testbed):
    with phone(testbed, f"/sessions/{talk.id}") as page:
        talk.play(testbed.cli.turns.shell("touch tapped.txt"))
        say(page, "please make the file")
        tap(page, ".choice.allow-once", "touch tapped.txt")
        talk.outputs()
        assert (talk.cwd / "tapped.txt").exists()
        hear(page, talk.end)
        page.locator(".feed-item.tool .tool-result.done .tool-state").first.wait_for()
        talk.finish()


def test_a_refusal_on_a_phone_reaches_the_cli(talk, testbed):
    with phone(testbed, "/") as page:
        talk.do(testbed.cli.turns.shell("touch refused-by-tap.txt"))
        tap(page, ".choice.deny", "touch refused-by-tap.txt")
        talk.idle()
        assert not (talk.cwd / "refused-by-tap.txt").exists()
