"""The keys of each answer, compared with those that were proved on the real CLI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clawtap_gemini.keys.respond import respond
from clawtap_gemini.keys.reveal import reveal
from clawtap_gemini.screen.prompt import detect_prompt, parse_prompt

from clawtap_core import Paste, Pause, Press, PromptForm, Response, Screen, Steps, Type
from clawtap_core.testing import Recording

FOLDER = Path(__file__).with_name("recordings")


def proved() -> Iterator[Any]:
    for each in Recording.load_all(FOLDER):
        reply = json.loads((FOLDER / f"{each.name}.json").read_text(encoding="utf-8"))
        if not (reply["is_prompt"] and reply.get("verified")):
            continue
        for label, keys in reply["how_to_answer"].items():
            yield pytest.param(each, label, keys, id=f"{each.name}: {label}")


def prompt(screen: Screen) -> PromptForm:
    form = detect_prompt(screen)
    assert form is not None
    return form


def keys(steps: Steps | None) -> list[str]:
    assert steps is not None
    return [step.key for step in steps.steps if isinstance(step, Press)]


def labels(form: PromptForm) -> list[str]:
    asked = [option.label for question in form.questions for option in question.options]
    return [option.label for option in form.options] + asked


def response_for(form: PromptForm, label: str) -> Response:
    for option in form.options:
        if option.label == label:
            return Response("r", selected_option=option.value)
    return Response("r", answers={"0": label})


@pytest.mark.parametrize(("each", "label", "proven"), list(proved()))
def test_an_option_is_chosen_by_the_key_that_was_proved(
    each: Recording, label: str, proven: list[Any]
) -> None:
    form = prompt(each.screen)
    offered = [own for own in labels(form) if label == own or label.startswith((f"{own} (",))]
    if not offered or proven[0] in ("Down", "Escape"):
        pytest.skip("not an option's label, or another way to it")
    steps = respond(form, response_for(form, offered[0]), each.screen, None)
    assert keys(steps) == proven[:1]
    assert steps is not None
    assert steps.done
    assert steps.steps[0] == Press(proven[0], deciding=True)


DENIED = [
    "shell-simple-120x40",
    "ask-single-120x40",
    "plan-exit-120x40",
    "auth-apikey-120x40",
    "dlg-model-120x40",
    "dlg-resume-120x40",
]


@pytest.mark.parametrize("name", DENIED)
def test_escape_refuses_where_no_option_does(name: str, recording) -> None:
    screen = recording(f"0.61.0/{name}").screen
    steps = respond(prompt(screen), Response("r", decision="deny"), screen, None)
    assert steps == Steps((Press("Escape", deciding=True),), done=True)


def test_escape_is_not_sent_where_it_refuses_nothing(recording) -> None:
    screen = recording("0.61.0/model-404-120x40").screen
    assert respond(prompt(screen), Response("r", decision="deny"), screen, None) is None


def test_of_two_entries_that_read_alike_none_is_chosen(recording) -> None:
    screen, first = recording("0.61.0/dlg-rewind-120x40").screen, "<session_context>"
    alike = (line.replace(f"│   {'go':<{len(first)}}", f"│   {first}") for line in screen.lines)
    drawn = Screen(tuple(alike), screen.cols, screen.rows)
    form = prompt(drawn)
    assert labels(form).count(first) == 2
    assert respond(form, Response("r", answers={"0": first}), drawn, None) is None
    other = Response("r", answers={"0": "Stay at current position"})
    assert keys(respond(form, other, drawn, None)) == ["Enter"]


def test_a_row_that_is_scrolled_away_is_looked_for(recording) -> None:
    screen = recording("0.61.0/ask-multi-done-120x40").screen
    form = prompt(recording("0.61.0/ask-multi-120x40").screen)
    single = replace(form, questions=(replace(form.questions[0], multi_select=False),))
    steps = respond(single, Response("r", answers={"0": "Search"}), screen, None)
    assert keys(steps) == ["Down"]


def test_a_digit_is_not_typed_into_the_field(recording) -> None:
    typed = recording("0.61.0/ask-single-custom-typed-120x40").screen
    form = prompt(recording("0.61.0/ask-single-120x40").screen)
    steps = respond(form, Response("r", answers={"0": "SQLite"}), typed, None)
    assert keys(steps) == ["Up"]


def test_a_text_goes_into_the_field_and_is_read_back_before_enter(recording) -> None:
    screens = [
        recording(f"0.61.0/{name}-120x40").screen
        for name in ("ask-single", "ask-single-scrolled", "ask-single-custom-typed")
    ]
    form, answer = prompt(screens[0]), Response("r", answers={"0": "half typed ans"})
    moved = respond(form, answer, screens[0], None)
    assert keys(moved) == ["Down"]
    typed = respond(form, answer, screens[1], moved and moved.progress)
    assert typed is not None
    assert isinstance(typed.steps[0], Type)
    assert isinstance(typed.steps[1], Pause)
    assert typed.steps[1].seconds >= 0.1
    sent = respond(form, answer, screens[2], typed.progress)
    assert sent == Steps((Press("Enter", deciding=True),), done=True)


@pytest.mark.parametrize("text", ["1", "12 apples", "2\nlines"])
def test_a_text_of_digits_never_chooses(text: str, recording) -> None:
    for name in ("ask-single-120x40", "plan-exit-120x40", "ask-yesno-120x40"):
        screen = recording(f"0.61.0/{name}").screen
        form = prompt(screen)
        answer = (
            Response("r", answers={"0": text}) if form.questions else Response("r", text_value=text)
        )
        steps = respond(form, answer, screen, None)
        assert steps is not None
        assert not steps.done
        assert not any(isinstance(step, Type | Paste) for step in steps.steps)
        assert not any(isinstance(step, Press) and step.deciding for step in steps.steps)


def test_what_the_desk_left_in_the_field_is_cleared_first(recording) -> None:
    screen = recording("0.61.0/ask-single-custom-typed-120x40").screen
    steps = respond(prompt(screen), Response("r", answers={"0": "other"}), screen, None)
    assert set(keys(steps)) == {"End", "BSpace"}


@pytest.mark.parametrize("version", ["0.61.0", "0.34.0"])
@pytest.mark.parametrize(
    ("name", "held", "words"),
    [
        ("ask-several-q3-typed", "rocket 9", "3. three"),
        ("ask-single-custom-typed", "half typed ans", "Enter a custom value"),
        ("ask-single-custom-typed", "half typed ans", "it is all ok ✓"),
    ],
)
def test_what_a_field_holds_may_read_like_the_clis_own(
    recording, version, name, held, words
) -> None:
    screen = recording(f"{version}/{name}-120x40").screen
    column, row = screen.cursor
    more = len(words) - len(held)
    filled = screen.captured[row].replace(held, words).replace(" " * more, "", more > 0)
    rows = (*screen.captured[:row], filled, *screen.captured[row + 1 :])
    shown = replace(screen, captured=rows, cursor=(column + more, row))
    parsed = parse_prompt(shown)
    assert parsed.field.focused
    assert parsed.field.text == words
    answer = Response("r", answers={"0": words})
    assert keys(respond(parsed.form, answer, shown, None)) == ["Enter"]


@pytest.mark.parametrize("version", ["0.61.0", "0.34.0"])
def test_a_field_keeps_the_focus_while_a_long_text_is_painted(recording, version) -> None:
    # The cursor stands below the dialog then.
    screen = recording(f"{version}/ask-single-custom-typed-120x40").screen
    field = parse_prompt(replace(screen, cursor=(0, screen.rows - 1))).field
    assert (field.focused, field.text) == (True, "half typed ans")


def test_a_long_text_is_pasted_in_pieces(recording) -> None:
    screen = recording("0.61.0/ask-single-scrolled-120x40").screen
    text = "a word " * 120
    steps = respond(prompt(screen), Response("r", answers={"0": text}), screen, None)
    pieces = [step.text for step in steps.steps if isinstance(step, Paste)]
    assert len(pieces) > 1
    assert "".join(pieces) == text


def test_several_lines_are_pasted(recording) -> None:
    screen = recording("0.61.0/ask-single-scrolled-120x40").screen
    steps = respond(prompt(screen), Response("r", answers={"0": "a\nb"}), screen, None)
    assert steps is not None
    assert steps.steps[0] == Paste("a\nb")


def test_a_text_field_of_its_own_is_filled(recording) -> None:
    empty = recording("0.61.0/ask-several-q3-120x40").screen
    filled = recording("0.61.0/ask-several-q3-typed-120x40").screen
    form, answer = prompt(empty), Response("r", answers={"0": "rocket 9"})
    typed = respond(form, answer, empty, None)
    assert typed is not None
    assert typed.steps[0] == Type("rocket 9")
    assert keys(respond(form, answer, filled, typed.progress)) == ["Enter"]


def test_an_empty_answer_is_an_enter_in_an_empty_field(recording) -> None:
    screen = recording("0.61.0/ask-several-q3-120x40").screen
    assert keys(respond(prompt(screen), Response("r"), screen, None)) == ["Enter"]


def select_many(recording, answer: list[str], *names: str) -> list[list[str]]:
    screens = [recording(f"0.61.0/{name}-120x40").screen for name in names]
    form, progress, pressed = prompt(screens[0]), None, []
    for screen in screens:
        steps = respond(form, Response("r", answers={"0": tuple(answer)}), screen, progress)
        assert steps is not None
        progress = steps.progress
        pressed.append(keys(steps))
    return pressed


def test_only_rows_that_differ_are_toggled(recording) -> None:
    checked = "ask-several-q2-checked"
    assert select_many(recording, ["Login", "Export"], checked) == [["Down"]]
    assert select_many(recording, ["Login", "Search", "Export"], checked) == [["2"]]
    assert select_many(recording, ["Search"], checked) == [["1"]]


def test_a_toggle_is_not_repeated_before_it_was_seen(recording) -> None:
    assert select_many(recording, ["Login"], "ask-multi", "ask-multi") == [["1"], []]


def test_done_is_pressed_only_when_every_row_was_read_back(recording) -> None:
    assert select_many(recording, ["Login", "3 more"], "ask-multi-done") == [["Down"]]


def test_the_review_page_is_sent(recording) -> None:
    for size in ("120x40", "60x20"):
        screen = recording(f"0.61.0/ask-several-review-{size}").screen
        steps = respond(prompt(screen), Response("r", answers={"0": "Submit"}), screen, None)
        assert keys(steps) == ["Enter"]


def test_the_last_tab_goes_on_to_the_review_page_and_sends_it(recording) -> None:
    last = recording("0.61.0/ask-several-q4-120x40").screen
    review = recording("0.61.0/ask-several-review-120x40").screen
    form, answer = prompt(last), Response("r", answers={"0": "No"})
    chosen = respond(form, answer, last, None)
    assert keys(chosen) == ["2"]
    assert chosen is not None
    assert chosen.spans
    assert not chosen.done
    waits = respond(form, answer, last, chosen.progress)
    assert waits is not None
    assert not waits.steps
    half = replace(review, captured=review.captured[:30])
    repaint = respond(form, answer, half, waits.progress)
    assert repaint is not None
    assert not repaint.done
    sent = respond(form, answer, review, repaint.progress)
    assert keys(sent) == ["Enter"]
    idle = recording("0.61.0/np-answered-ask-120x40").screen
    assert respond(form, answer, idle, sent and sent.progress) == Steps(done=True)


def test_a_review_page_with_gaps_is_left_to_the_user(recording) -> None:
    last = recording("0.61.0/ask-several-q4-120x40").screen
    review = recording("0.61.0/ask-several-review-120x40").screen
    lines = tuple(line.replace("rocket 9      ", "(not answered)") for line in review.lines)
    gaps = replace(review, captured=lines)
    form, answer = prompt(last), Response("r", answers={"0": "No"})
    chosen = respond(form, answer, last, None)
    assert respond(form, answer, gaps, chosen and chosen.progress) == Steps(done=True)


def test_an_earlier_tab_is_answered_alone(recording) -> None:
    screen = recording("0.61.0/ask-several-120x40").screen
    steps = respond(prompt(screen), Response("r", answers={"0": "SQLite"}), screen, None)
    assert steps == Steps((Press("2", deciding=True),), done=True)


def test_a_dialog_whose_digits_are_not_proved_is_walked(recording) -> None:
    screen = recording("0.61.0/auth-first-with-key-120x40").screen
    form = prompt(screen)
    assert keys(respond(form, Response("r", answers={"0": "Vertex AI"}), screen, None)) == ["Down"]
    same = respond(form, Response("r", answers={"0": "Use Gemini API Key"}), screen, None)
    assert keys(same) == ["Enter"]
    up = respond(form, Response("r", answers={"0": "Sign in with Google"}), screen, None)
    assert keys(up) == ["Up"]


def test_a_text_beside_an_option_of_a_plan_cannot_be_given(recording) -> None:
    screen = recording("0.61.0/plan-exit-120x40").screen
    both = Response("r", selected_option="yes-manually-accept-edits", text_value="but be quick")
    assert respond(prompt(screen), both, screen, None) is None


def test_an_option_that_is_not_there_cannot_be_chosen(recording) -> None:
    screen = recording("0.61.0/shell-untrusted-120x40").screen
    form = prompt(recording("0.61.0/shell-simple-120x40").screen)
    session = Response("r", selected_option="allow-for-this-session")
    assert respond(form, session, screen, None) is None


def test_a_hidden_part_of_a_list_is_read_going_round(recording) -> None:
    first = recording("0.61.0/ask-single-120x40").screen
    other = recording("0.61.0/ask-single-scrolled-120x40").screen
    form = prompt(first)
    down = reveal(form, first, (), None)
    assert keys(down) == ["Down"]
    assert down is not None
    further = reveal(form, other, (), down.progress)
    assert keys(further) == ["Down"]
    whole = reveal(form, first, (), further and further.progress)
    assert whole is not None
    assert whole.done
    assert whole.form is not None
    assert not whole.form.more_options
    offered = [option.label for option in whole.form.questions[0].options]
    assert offered == ["PostgreSQL", "SQLite", "MongoDB"]


def test_a_window_that_holds_only_the_row_that_sends_is_a_page_of_its_question(recording) -> None:
    screen = recording("0.34.0/ask-multi-done-80x15").screen
    form = prompt(screen)
    (question,) = form.questions
    assert (question.multi_select, question.other, form.more_options) == (True, True, True)
    assert question.question == "Which of these shall it be, in the end?"
    assert keys(reveal(form, screen, (), None)) == ["Down"]


def test_a_list_with_one_row_in_sight_is_read_over_its_text_field(recording) -> None:
    names = ("plan-exit", "plan-list-second", "plan-list-field", "plan-exit")
    screens = [recording(f"0.34.0/{name}-60x20").screen for name in names]
    form, progress, steps = prompt(screens[0]), None, None
    for screen in screens:
        steps = reveal(form, screen, (), progress)
        assert steps is not None, screen.text
        progress = steps.progress
    assert steps is not None
    assert steps.form is not None
    assert labels(steps.form) == ["Yes, automatically accept edits", "Yes, manually accept edits"]
    assert not steps.form.more_options


def test_a_key_that_moved_nothing_yet_is_waited_for(recording) -> None:
    first = recording("0.61.0/ask-single-120x40").screen
    form = prompt(first)
    down = reveal(form, first, (), None)
    waits = reveal(form, first, (), down and down.progress)
    assert waits is not None
    assert not keys(waits)
    assert not waits.done


def test_nothing_is_pressed_while_the_prompt_is_repainted(recording) -> None:
    screen = recording("0.61.0/shell-simple-120x40").screen
    half = replace(screen, captured=screen.captured[:25])
    assert parse_prompt(half) is None
    allow = Response("r", selected_option="allow-once")
    assert respond(prompt(screen), allow, half, None) == Steps()
