"""Whatever a pane shows, no hook raises: a form of a hostile program must not stop the adapter."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import clawtap_codex
import pytest

from clawtap_core import (
    Interrupt,
    Kind,
    Previous,
    PromptForm,
    Response,
    Screen,
    SeenState,
    SessionState,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.testing import Recording

RECORDINGS = Recording.load_all(Path(__file__).parent / "recordings")
ROUNDS = 4
PHRASES = (
    "",
    "  Field 1/1",
    "  Question 1/2 (1 unanswered)",
    '  Allow the lab MCP server to run tool "x"?',
    "  Implement this plan?",
    "  Would you like to run the following command?",
    "  Would you like to make the following edits?",
    "  $ ls",
    "  › ",
    "› 1. Allow",
    "  › 1. Yes, proceed (y)",
    "  2. Cancel",
    "  Press enter to confirm or esc to cancel",
    "  enter to submit | esc to cancel",
    "  tab to add notes | enter to submit answer | esc to interrupt",
    "  enter select · esc back",
    "  enter continue · esc back",
)


def altered(screen: Screen, dice: random.Random) -> Screen:
    """Return the screen with rows removed, doubled, swapped, cut, or replaced by known words."""
    rows = list(screen.captured)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(rows))
        other = dice.randrange(len(rows))
        match dice.randrange(7):
            case 0:
                rows[at] = ""
            case 1:
                rows[at] = rows[other]
            case 2:
                rows[at], rows[other] = rows[other], rows[at]
            case 3:
                rows[at] = rows[at][: dice.randint(0, len(rows[at]))]
            case 4:
                del rows[min(at, other) : max(at, other)]
                rows = rows or [""]
            case 5:
                rows[at] = rows[at].replace("1.", "9.").replace("›", " ")
            case 6:
                rows[at] = dice.choice(PHRASES)
    return replace(screen, captured=tuple(rows))


def call_every_hook(screen: Screen, original: PromptForm | None) -> None:
    """Call what gets a screen, with answers for this prompt and for the one before."""
    form = clawtap_codex.detect_prompt(screen)
    for state in (SessionState.STARTING, SessionState.BUSY, SessionState.IDLE):
        previous = Previous(SeenState(state), still_for=0.5)
        clawtap_codex.detect_state(screen, previous)
    clawtap_codex.detect_state(screen, None)
    clawtap_codex.compose("a message", screen, None)
    for action in (Interrupt(), SwitchMode("plan"), SwitchMode("ask"), SwitchModel("gpt-5.4")):
        clawtap_codex.control(action, screen, None)
    for prompt in filter(None, (form, original)):
        clawtap_codex.reveal(prompt, screen, (prompt,), None)
        options = [option.value for option in prompt.options]
        responses = [Response("r", decision="deny"), Response("r", answers={"0": "anything"})]
        responses += [Response("r", selected_option=value) for value in options]
        for response in responses:
            clawtap_codex.respond(prompt, response, screen, None)


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_no_hook_raises_on_an_altered_screen(recording):
    dice = random.Random(str(recording))
    original = clawtap_codex.detect_prompt(recording.screen)
    for _ in range(ROUNDS):
        call_every_hook(altered(recording.screen, dice), original)


def test_no_hook_raises_on_rows_that_only_look_like_a_prompt():
    dice = random.Random("a form of a hostile server")
    for _ in range(4000):
        rows = [dice.choice(PHRASES) for _ in range(dice.randint(1, 9))]
        call_every_hook(Screen(tuple(rows), 80, len(rows)), None)


def test_a_tool_that_offers_nothing_to_choose_is_no_permission():
    """An MCP server can give a text field the words of a permission."""
    rows = (
        "  Field 1/1",
        '  Allow the lab MCP server to run tool "x"?',
        "",
        "  › Type your answer",
        "",
        "  enter to submit | esc to cancel",
    )
    form = clawtap_codex.detect_prompt(Screen(rows, 80, len(rows)))
    assert form is not None
    assert form.kind is Kind.QUESTION
