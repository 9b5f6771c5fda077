"""Choosing, writing and ticking: the keys of whole answers, on a list that obeys them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from fake_list import Listed, sent

from clawtap_core import Choice, Kind, Option, Press, PromptForm, Steps
from clawtap_core.keystrokes import (
    KeyProfile,
    choose,
    cycle,
    holds,
    read_whole_list,
    select_many,
    send_one_key,
    switch_mode,
    write,
    write_with_option,
)
from clawtap_core.keystrokes.text_field import begins
from clawtap_core.model import Effect, Question, QuestionOption
from clawtap_core.screens import Field, OptionRow, ParsedPrompt, digits

HANDS = KeyProfile(after_text=0.2)
Answer = Callable[[ParsedPrompt, Any], Steps | None]


def follow(answer: Answer) -> Answer:
    return lambda now, progress: send_one_key(now, progress, lambda done: answer(now, done))


def test_a_proven_key_chooses_at_once_and_what_stands_apart_is_walked_to() -> None:
    paper = Listed(digits=True)
    assert paper.run(follow(lambda now, _: choose(now, "three", HANDS)))
    assert paper.got == ["3"]
    paper = Listed()
    assert paper.run(follow(lambda now, _: choose(now, "two", HANDS)))
    assert paper.got == ["Down", "Enter"]


def test_a_digit_is_not_typed_into_the_text_of_the_desk() -> None:
    paper = Listed(free=True, digits=True, cursor=3, text="half a")
    assert paper.run(follow(lambda now, _: choose(now, "three", HANDS)))
    assert paper.got == ["Up", "3"]
    assert paper.text == "half a"


def test_a_row_that_is_out_of_sight_is_looked_for_where_lists_scroll() -> None:
    paper = Listed(tuple("abcdef"), window=3)
    assert paper.run(follow(lambda now, _: choose(now, "f", HANDS)))
    assert paper.decided == "f"
    stays = KeyProfile(scrolls=False)
    assert choose(Listed(tuple("abcdef"), window=3).reading, "f", stays) is None


@pytest.mark.parametrize("left", ["", "something of the desk"])
def test_a_text_replaces_what_stands_there_and_is_read_back(left: str) -> None:
    paper = Listed(free=True, text=left)
    assert paper.run(follow(lambda now, done: write(now, "two\nwords", done, HANDS)))
    assert (paper.text, paper.decided) == ("two words", "Done")
    assert paper.got[-2:] == ["two words", "Enter"]


def test_a_text_that_does_not_come_is_typed_again_and_then_given_up() -> None:
    form = PromptForm(Kind.QUESTION, "Name?")
    now, progress, typed = ParsedPrompt(form, field=Field(focused=True)), None, []
    for _ in range(40):
        steps = send_one_key(now, progress, lambda done: write(now, "hello", done, HANDS))
        if steps is None:
            break
        typed += sent(steps)
        progress = steps.progress
    assert steps is None
    assert typed == ["hello"] * 3


def test_a_text_that_is_still_growing_is_waited_for() -> None:
    form, progress = PromptForm(Kind.QUESTION, "Name?"), None
    text = "a rather long answer"
    for count in range(len(text) + 1):
        now = ParsedPrompt(form, field=Field(focused=True, text=text[:count]))
        steps = send_one_key(now, progress, lambda done, now=now: write(now, text, done, HANDS))
        assert steps
        assert sent(steps) == ([text] if not count else ["Enter"] if count == len(text) else [])
        progress = steps.progress


def test_a_secret_is_sent_when_something_stands_there() -> None:
    asked = Listed().reading.form.questions[0]
    form = PromptForm(Kind.QUESTION, "Key?", questions=(replace(asked, options=(), secret=True),))
    first = write(ParsedPrompt(form, field=Field(focused=True)), "s3cret", None, HANDS)
    assert sent(first) == ["s3cret"]
    assert first
    stars = ParsedPrompt(form, field=Field(focused=True, text="******"))
    assert sent(write(stars, "s3cret", first.progress, HANDS)) == ["Enter"]


def test_a_text_beside_an_option_opens_its_field_on_its_row() -> None:
    rows = tuple(OptionRow(at + 1, label, at == 0, first=at) for at, label in enumerate("ab"))
    there = tuple(replace(row, selected=row.label == "b") for row in rows)
    form, closed = PromptForm(Kind.PERMISSION, "Run?"), Field(focused=False, key="Tab")
    seen = [
        ParsedPrompt(form, rows, field=closed),
        ParsedPrompt(form, there, field=closed),
        ParsedPrompt(form, there, field=Field(focused=True)),
        ParsedPrompt(form, there, field=Field(focused=True, text="why")),
    ]
    progress, pressed = None, []
    for now in seen:
        answer = follow(lambda now, done: write_with_option(now, "b", "why", done, HANDS))
        steps = answer(now, progress)
        assert steps
        pressed.append(sent(steps))
        progress = steps.progress
    assert pressed == [["Down"], ["Tab"], ["why"], ["Enter"]]


@pytest.mark.parametrize("proven", [True, False])
@pytest.mark.parametrize("ticked", [set(), {"two"}, {"one", "two", "three"}])
def test_only_rows_that_differ_are_ticked_and_all_are_read_back(
    ticked: set[str], proven: bool
) -> None:
    paper = Listed(several=True, digits=proven, ticked=set(ticked))
    wanted = {"one", "three"}
    answer = follow(lambda now, done: select_many(now, wanted.__contains__, "", done, HANDS))
    assert paper.run(answer)
    assert (paper.ticked, paper.decided) == (wanted, "Done")
    toggled = [key for key in paper.got if key in ("1", "2", "3", "Space")]
    assert len(toggled) == len(ticked ^ wanted)


def test_rows_are_ticked_from_the_row_below_them() -> None:
    paper = Listed(several=True, digits=True, cursor=3)
    answer = follow(lambda now, done: select_many(now, "two".__eq__, "", done, HANDS))
    assert paper.run(answer)
    assert (paper.ticked, paper.decided) == ({"two"}, "Done")


def _without_ticks(rows: tuple[OptionRow, ...]) -> tuple[OptionRow, ...]:
    """The rows as Gemini paints them first: the cursor is on its way, the box is as it was."""
    return tuple(replace(row, selected=row.label == "three", checked=False) for row in rows)


@pytest.mark.parametrize("looks", [1, 3])
def test_a_row_is_not_toggled_again_while_only_its_cursor_shows(looks: int) -> None:
    paper, behind = Listed(several=True, digits=True), looks
    answer, progress = (
        follow(lambda now, done: select_many(now, "three".__eq__, "", done, HANDS)),
        None,
    )
    while paper.decided is None:
        drawn = paper.reading
        if paper.ticked and behind:
            behind -= 1
            drawn = replace(drawn, rows=_without_ticks(drawn.rows))
        steps = answer(drawn, progress)
        assert steps
        paper.take(steps)
        progress = steps.progress
    assert paper.got.count("3") == 1
    assert (paper.ticked, paper.decided) == ({"three"}, "Done")


def test_a_box_that_never_shows_its_tick_is_given_up_and_nothing_is_sent() -> None:
    paper, progress = Listed(several=True, digits=True), None
    answer = follow(lambda now, done: select_many(now, "three".__eq__, "", done, HANDS))
    for _ in range(100):
        rows = _without_ticks(paper.reading.rows) if paper.got else paper.reading.rows
        steps = answer(replace(paper.reading, rows=rows), progress)
        if steps is None:
            break
        paper.take(steps)
        progress = steps.progress
    assert steps is None
    assert paper.got == ["3"]


@pytest.mark.parametrize("text", ["", "and more"])
def test_free_text_beside_ticks_is_ours_or_none(text: str) -> None:
    paper = Listed(several=True, free=True, text="of the desk")
    answer = follow(lambda now, done: select_many(now, "two".__eq__, text, done, HANDS))
    assert paper.run(answer)
    assert (paper.ticked, paper.text, paper.decided) == ({"two"}, text, "Done")


@pytest.mark.parametrize("at_desk", [False, True], ids=["ours", "of-the-desk"])
@pytest.mark.parametrize("box", [False, True], ids=["unticked", "ticked"])
def test_a_text_that_counts_as_it_was_at_its_tick_is_ticked_again(box: bool, at_desk: bool) -> None:
    text = "and more" if at_desk else ""
    paper = Listed(several=True, free=True, text=text, boxed=True, text_ticked=box)
    hands = KeyProfile(reticks="Enter")
    answer = follow(lambda now, done: select_many(now, "two".__eq__, "and more", done, hands))
    assert paper.run(answer)
    assert (paper.ticked, paper.counted, paper.decided) == ({"two"}, "and more", "Done")


def test_a_box_of_the_text_that_never_changes_is_given_up_and_nothing_is_sent() -> None:
    paper, progress = Listed(several=True, free=True, boxed=True, cursor=3), None
    hands = KeyProfile(reticks="Enter")
    answer = follow(lambda now, done: select_many(now, "".__eq__, "mine", done, hands))
    for _ in range(100):
        paper.text_ticked = True
        steps = answer(paper.reading, progress)
        if steps is None:
            break
        paper.take(steps)
        progress = steps.progress
    assert steps is None
    assert (paper.got.count("Enter"), paper.decided) == (1, None)


@pytest.mark.parametrize("aside", [(), ("g",)])
def test_rows_that_are_out_of_sight_are_ticked_too(aside: tuple[str, ...]) -> None:
    paper = Listed(tuple("abcdefg"), several=True, window=3)

    def answer(now: ParsedPrompt, done: Any) -> Steps | None:
        return select_many(replace(now, extra_labels=aside), "f".__eq__, "", done, HANDS)

    assert paper.run(follow(answer))
    assert (paper.ticked, paper.decided) == ({"f"}, "Done")


def test_a_list_is_read_whole_by_going_round_it() -> None:
    paper = Listed(tuple("abcdef"), window=3, cursor=1)
    form, progress = paper.reading.form, None
    for _ in range(20):
        steps = read_whole_list(form, paper.reading, progress)
        assert steps
        paper.take(steps)
        progress = steps.progress
        if steps.done:
            break
    assert steps.form
    assert [option.label for option in steps.form.questions[0].options] == list("abcdef")
    assert not steps.form.more_options
    assert (paper.cursor, paper.decided) == (1, None)


def test_a_row_out_of_sight_may_be_the_one_for_words_of_ones_own() -> None:
    progress, steps = None, None
    question = Question("Which one?", options=(QuestionOption("a"),))
    whole = PromptForm(Kind.QUESTION, "Which one?", questions=(question,), more_options=True)
    for number, label in ((1, "a"), (2, "None of the above"), (1, "a")):
        form = replace(whole, questions=(replace(question, other=number == 2),))
        row = OptionRow(number, label, True)
        steps = read_whole_list(whole, ParsedPrompt(form, (row,)), progress)
        assert steps
        progress = steps.progress
    assert steps
    assert steps.form
    assert steps.form.questions[0].other


def test_rows_are_ticked_and_sent_where_a_window_shows_only_the_one_with_the_cursor() -> None:
    paper, progress = Listed(tuple("abc"), several=True, free=True), None
    for _ in range(40):
        now = paper.reading
        assert now.field
        assert now.next_row
        window = replace(
            now,
            form=replace(now.form, more_options=True),
            rows=tuple(row for row in now.rows if row.selected),
            field=now.field if now.field.focused else None,
            next_row=now.next_row if now.next_row.selected else None,
        )
        steps = select_many(window, {"a", "c"}.__contains__, "", progress, HANDS)
        assert steps
        paper.take(steps)
        progress = steps.progress
        if steps.done:
            break
    assert (paper.ticked, paper.decided) == ({"a", "c"}, "Done")


def test_half_a_frame_in_which_the_cursor_has_not_moved_yet_does_not_end_the_round() -> None:
    paper = Listed(tuple("abcd"), window=2, cursor=0)
    form = paper.reading.form
    began = read_whole_list(form, paper.reading, None)
    assert began
    row = replace(paper.reading.rows[1], label="c", number=3)
    half = replace(paper.reading, rows=(paper.reading.rows[0], row))
    steps = read_whole_list(form, half, began.progress)
    assert steps
    assert not steps.done
    assert not any(isinstance(step, Press) for step in steps.steps)


def test_options_keep_what_their_own_screens_showed() -> None:
    options = (Option("a", "a", Effect.ALLOW_ONCE, "y"), Option("b", "b", Effect.DENY, "esc"))
    progress, steps = None, None
    whole = PromptForm(Kind.PERMISSION, "Run?", options=options[:1], more_options=True)
    for at in (0, 1, 0):
        form = replace(whole, options=options[at : at + 1])
        row = OptionRow(at + 1, options[at].label, True)
        steps = read_whole_list(whole, ParsedPrompt(form, (row,)), progress)
        assert steps
        progress = steps.progress
    assert steps
    assert steps.form
    assert steps.form.options == options


def test_digits_are_those_of_the_first_nine_rows() -> None:
    rows = [OptionRow(number, f"row {number}", False) for number in (1, 9, 10)]
    assert digits(rows) == (("row 1", "1"), ("row 9", "9"))


def test_the_end_of_a_long_text_stands_for_it() -> None:
    assert holds("the very end of a long text", "words before the very end of a long text")
    assert not holds("end", "words before the end")
    assert holds("a wrapped\nte xt", "a wrapped text")


def written(text: str, shown: str) -> list[str]:
    """The keys of a text into an empty field that then shows this, and no more."""
    row = OptionRow(3, "", True)
    now = ParsedPrompt(PromptForm(Kind.QUESTION, "Which?"), (row,), field=Field(True, "", row))
    steps, pressed = write(now, text, None, HANDS), []
    while steps is not None and not steps.done and "BSpace" not in pressed:
        now = replace(now, field=Field(True, shown, row))
        steps = write(now, text, steps.progress, HANDS)
        pressed += [step.key for step in steps.steps if isinstance(step, Press)] if steps else []
    return pressed


@pytest.mark.parametrize("shown", ["end", " "])
def test_a_field_of_one_row_holds_the_text_once_its_last_row_stands_still(shown) -> None:
    assert written("words of several rows, and at their end", shown) == ["Enter"]


def test_the_last_letters_of_a_short_text_are_no_last_row_but_all_that_arrived() -> None:
    assert "BSpace" in written("a search of its own", "n")


def test_a_field_that_the_cursor_has_left_shows_the_first_row_of_a_long_text() -> None:
    assert begins("the first row of a long text", "the first row of a long text and more")
    assert not begins("the first", "the first row of a long text and more")
    assert not begins("another row of a long text", "the first row of a long text and more")


def test_another_last_row_is_erased_and_not_sent() -> None:
    pressed = written("words of several rows, and at their end", "their")
    assert "BSpace" in pressed
    assert "Enter" not in pressed


def test_modes_are_gone_round_and_given_up_where_they_began() -> None:
    first = cycle("plan", "ask", "BTab", None)
    assert sent(first) == ["BTab"]
    assert first
    assert sent(cycle("plan", "ask", "BTab", first.progress)) == []
    assert cycle("plan", "plan", "BTab", first.progress) == Steps(done=True)
    second = cycle("plan", "auto", "BTab", first.progress)
    assert second
    assert cycle("plan", "ask", "BTab", second.progress) is None


def test_a_mode_that_a_starting_cli_did_not_paint_is_gone_round_once_more() -> None:
    steps = cycle("plan", "ask", "BTab", None)
    steps = cycle("plan", "auto", "BTab", steps.progress if steps else None)
    while steps and not sent(steps := cycle("plan", "auto", "BTab", steps.progress)):
        pass
    for shown in ("ask", "auto"):
        assert steps
        steps = cycle("plan", shown, "BTab", steps.progress)
        assert sent(steps) == ["BTab"]
    assert steps
    assert cycle("plan", "plan", "BTab", steps.progress) == Steps(done=True)


def test_a_mode_is_switched_from_an_empty_composer_only() -> None:
    modes = (Choice("ask", "Ask"), Choice("plan", "Plan"))
    shown = SimpleNamespace(draft="", mode="ask")
    assert sent(switch_mode("plan", modes, shown, "BTab", None)) == ["BTab"]
    for mode, composer in (
        ("yolo", shown),
        ("plan", SimpleNamespace(draft="half a thought", mode="ask")),
        ("plan", None),
    ):
        assert switch_mode(mode, modes, composer, "BTab", None) is None


def test_a_text_whose_end_would_make_enter_a_line_break_gets_a_blank_behind_it() -> None:
    hands = KeyProfile(continued=("\\",))
    paper = Listed(free=True, cursor=3)
    assert paper.run(follow(lambda now, done: write(now, "in C:\\", done, hands)))
    assert paper.text == "in C:\\ "
