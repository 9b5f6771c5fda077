"""Messages that the composer would take for something else."""

from __future__ import annotations

from dataclasses import replace

import clawtap_codex
import pytest
from clawtap_codex.keys.compose import is_command

from clawtap_core import Interrupt, Paste, Press, Screen


def composer(draft: str = "", vim: str = "", title: str = "demo") -> Screen:
    right = f"Vim: {vim} · " if vim else ""
    rows = (
        "• Working (2s • esc to interrupt)" if title.startswith("⠸") else "",
        "",
        f"› {draft or 'Ask Codex to do anything'}",
        "",
        "  GPT-5.5 default · /work",
        f"  ← for agents · ? for shortcuts      {right}⚠ 1 warning · f2 to view",
    )
    return Screen(rows, 100, len(rows), cursor=(2, 2), title=title)


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ("!echo hi", " !echo hi"),
        ("/foo bar", " /foo bar"),
        ("/etc/hosts is a file", " /etc/hosts is a file"),
        ("/status", "/status"),
        ("/compact now", "/compact now"),
        ("/prompts:review it", "/prompts:review it"),
        ("plain words", "plain words"),
    ],
)
def test_only_commands_of_the_cli_are_placed_without_a_blank_before_them(text, placed):
    steps = clawtap_codex.compose(text, composer(), None)
    assert steps is not None
    assert [step for step in steps.steps if isinstance(step, Paste)] == [Paste(placed)]


@pytest.mark.parametrize(
    "status",
    ["  gpt-5.4 default · 100% left · /work", "  ? for shortcuts         100% context left"],
    ids=["status line", "no status line"],
)
def test_what_would_open_a_shell_in_0_116_is_refused_where_it_may_run(status):
    rows = ("", "› Run /review on my current changes", "", status)
    old = Screen(rows, 100, len(rows), cursor=(2, 1), alternate=False)
    assert clawtap_codex.compose("!touch it", old, None) is None
    assert clawtap_codex.compose("touch it!", old, None) is not None


def test_what_the_composer_does_not_show_is_refused_before_a_key_is_pressed():
    assert clawtap_codex.compose("one\u2028two", composer(), None) is None


@pytest.mark.parametrize(
    ("text", "is_sent"),
    [
        ("/data/f1/85d1b1698c93-shot.png", True),
        ("'/data/my shot.png'", True),
        ("look at /data/shot.png", False),
        ("it's", False),
    ],
)
def test_the_path_of_an_image_alone_becomes_the_image_and_is_sent(text, is_sent):
    placed = clawtap_codex.compose(text, composer(), None)
    assert placed is not None
    shown = replace(composer("[Image #1]"), cursor=(12, 2))
    steps = clawtap_codex.compose(text, shown, placed.progress)
    assert steps is not None
    assert (Press("Enter", deciding=True) in steps.steps) is is_sent


@pytest.mark.parametrize("text", ["/statusx", "/model-name", "/", "status", "/new/folder"])
def test_what_only_begins_like_a_command_is_none(text):
    assert not is_command(text)


def test_the_normal_mode_of_vi_is_left_before_a_message_is_placed():
    steps = clawtap_codex.compose("hello", composer(vim="Normal"), None)
    assert steps is not None
    assert steps.steps == (Press("i"),)
    assert clawtap_codex.compose("hello", composer(vim="Insert"), None) != steps


def test_an_interrupt_in_the_insert_mode_of_vi_leaves_the_mode_first():
    busy = "⠸ demo"
    first = clawtap_codex.control(Interrupt(), composer(vim="Insert", title=busy), None)
    assert first is not None
    assert (first.steps[0], first.done) == (Press("Escape"), False)
    second = clawtap_codex.control(Interrupt(), composer(vim="Normal", title=busy), None)
    assert second is not None
    assert (second.steps, second.done) == ((Press("Escape", deciding=True),), True)
