"""A question in a low pane: its list scrolls in a window of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_claude as claude
import pytest
from clawtap_claude.keys.respond import submit_review
from clawtap_claude.screen.prompt import parse_prompt

from clawtap_core import (
    Kind,
    Press,
    PromptForm,
    Question,
    QuestionOption,
    Response,
    Screen,
    Type,
)
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).parent / "recordings" / "2.1.332"
WAYS = ("Alpha way that is rather long for a low pane", "Beta", "Gamma", "Delta rho")


def window(name: str) -> tuple[PromptForm, Screen]:
    """A screen, and its prompt with what the transcript knows of it."""
    shown = Recording.load(RECORDINGS / f"{name}-60x15.ansi").screen
    form = claude.detect_prompt(shown)
    assert form is not None
    options = tuple(map(QuestionOption, (*WAYS, "Chat about this")))
    return replace(form, questions=(replace(form.questions[0], options=options),)), shown


def first_key(name: str, answer: object) -> str:
    form, shown = window(name)
    steps = claude.respond(form, Response("r", answers={"0": answer}), shown, None)
    assert steps is not None
    return next(
        step.key if isinstance(step, Press) else step.text
        for step in steps.steps
        if isinstance(step, Press | Type)
    )


@pytest.mark.parametrize(
    ("name", "answer", "key"),
    [
        ("ask_window_begins", WAYS[0], "Enter"),
        ("ask_window_begins", "Gamma", "Down"),
        ("ask_window_begins", "Delta rho", "Down"),
        ("ask_window_begins", "none of them", "Down"),
        ("ask_window_moved", "Delta rho", "Enter"),
        ("ask_window_moved", "Gamma", "Up"),
        ("ask_window_moved", WAYS[0], "Up"),
        ("ask_window_ends", "none of them", "none of them"),
        ("ask_window_ends", "Beta", "Up"),
        ("ask_ticks_window", (WAYS[0], "Delta rho"), "Space"),
        ("ask_ticks_window", ("Delta rho",), "Down"),
    ],
)
def test_the_cursor_moves_towards_a_row_out_of_sight(name: str, answer: object, key: str) -> None:
    assert first_key(name, answer) == key


def test_rows_out_of_sight_are_more_options_and_the_field_is_one_of_them() -> None:
    for name in ("ask_window_begins", "ask_window_moved", "ask_window_ends", "ask_ticks_window"):
        shown = Recording.load(RECORDINGS / f"{name}-60x15.ansi").screen
        form = claude.detect_prompt(shown)
        assert form is not None
        assert form.more_options
        assert form.questions[0].other


def test_the_review_of_the_answers_is_known_though_its_title_left_the_screen() -> None:
    recorded = Recording.load(RECORDINGS.parent / "2.1.85" / "ask_tabs_review-60x20.ansi").screen
    title = recorded.lines.index("Review your answers")
    low = Screen(recorded.captured[title + 1 :], recorded.cols, 15)
    parsed = parse_prompt(low)
    assert parsed
    assert parsed.review
    assert "PostgreSQL" in parsed.form.description
    assert [row.label for row in parsed.rows] == ["Submit answers", "Cancel"]


@pytest.mark.parametrize("answer", ["PostgreSQL", "SQLite"])
def test_a_review_without_its_title_is_sent_only_with_every_answer_in_view(answer: str) -> None:
    recorded = Recording.load(RECORDINGS.parent / "2.1.85" / "ask_tabs_review-60x20.ansi").screen
    title = recorded.lines.index("Review your answers")
    low = parse_prompt(Screen(recorded.captured[title + 1 :], recorded.cols, 15))
    assert low
    options = tuple(map(QuestionOption, ("PostgreSQL", "SQLite")))
    prompt = PromptForm(
        Kind.QUESTION, "Database", questions=(Question("Database", options=options),)
    )
    steps = submit_review(prompt, Response("r", answers={"0": answer}), low)
    assert steps is not None
    assert bool(steps.steps) is (answer == "PostgreSQL")
