"""Pages that MCP servers ask to open, as Claude Code 2.1.332 drew them."""

from __future__ import annotations

from pathlib import Path

import clawtap_claude as claude
import pytest

from clawtap_core import Press, Response, Screen
from clawtap_core.prompts.identity import same_prompt

RECORDINGS = Path(__file__).parent / "recordings" / "2.1.332"


def drawn(name: str, cols: int = 120) -> Screen:
    text = (RECORDINGS / f"{name}-{cols}x40.ansi").read_text()
    return Screen(tuple(text.split("\n")), cols, 40)


def test_a_narrow_pane_shows_less_of_the_same_page() -> None:
    wide, narrow = (claude.detect_prompt(drawn("page", cols)) for cols in (120, 32))
    assert wide
    assert narrow
    assert same_prompt(wide, narrow)
    assert (wide.truncated, narrow.truncated) == (False, True)
    assert narrow.description.endswith("https://example.com/sign-in?a=1")


@pytest.mark.parametrize(
    ("name", "option", "pressed"),
    [
        ("page", "accept", "Enter"),
        ("page", "decline", "Right"),
        ("page_declines", "decline", "Enter"),
        ("page_declines", "accept", "Left"),
        ("page_waits", "skip-confirmation", "Right"),
        ("page_waits_skips", "skip-confirmation", "Enter"),
    ],
)
def test_a_button_is_pressed_once_the_cursor_is_on_it(name: str, option: str, pressed: str) -> None:
    screen = drawn(name)
    asked = claude.detect_prompt(screen)
    assert asked
    steps = claude.respond(asked, Response("r", option), screen, None)
    assert steps
    assert [step.key for step in steps.steps if isinstance(step, Press)] == [pressed]


def test_an_opened_page_is_not_left_as_a_refusal() -> None:
    screen = drawn("page_waits")
    asked = claude.detect_prompt(screen)
    assert asked
    assert claude.respond(asked, Response("r", decision="deny"), screen, None) is None
