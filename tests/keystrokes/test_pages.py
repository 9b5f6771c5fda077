"""Questions on pages of their own: which page is answered when, and what is left to the user."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fake_list import sent

from clawtap_core import (
    Kind,
    Position,
    Press,
    PromptForm,
    Question,
    QuestionOption,
    Response,
    Steps,
    Type,
)
from clawtap_core.keystrokes import (
    KeyProfile,
    Pages,
    answer_question,
    answers_all,
    choose,
    label_on_page,
    open_question,
    page_by_page,
    press,
)
from clawtap_core.keystrokes.pages import PageProgress
from clawtap_core.screens import Field, OptionRow, ParsedPrompt

HANDS = KeyProfile()
ASKED = ("Which way?", "Which day?")
WHOLE = PromptForm(Kind.QUESTION, "Both", questions=tuple(Question(asked) for asked in ASKED))


def page(asked: str, *, review: bool = False) -> ParsedPrompt:
    """The page of one question, or the one that reviews all."""
    labels = ("Submit", "Cancel") if review else ("A", "B")
    question = Question(asked, options=tuple(map(QuestionOption, labels)))
    rows = tuple(OptionRow(at + 1, label, at == 0, first=at) for at, label in enumerate(labels))
    form = PromptForm(Kind.QUESTION, asked, questions=(question,))
    return ParsedPrompt(
        form, rows, tuple((row.label, str(row.number)) for row in rows), review=review
    )


FIRST, SECOND, REVIEW = page(ASKED[0]), page(ASKED[1]), page("Right?", review=True)


def answer(
    now: ParsedPrompt | None, progress: Any, *, gaps: bool = False, answers_all: bool = False
) -> Steps | None:
    """A to the first question, B to the second; a review with gaps is left."""

    def keys(now: ParsedPrompt, done: Any) -> Steps | None:
        return choose(now, "AB"[open_question(WHOLE, now) or 0], HANDS, done)

    def review(now: ParsedPrompt) -> Steps | None:
        return None if gaps else choose(now, "Submit", HANDS)

    return page_by_page(WHOLE, now, progress, Pages(keys, lambda _: True, review, answers_all))


def follow(*shown: ParsedPrompt | None, gaps: bool = False) -> tuple[list[str], Steps]:
    """The keys on these screens, one after the other, and the last steps."""
    progress, pressed = None, []
    for now in shown:
        steps = answer(now, progress, gaps=gaps)
        assert steps
        pressed += sent(steps)
        progress = steps.progress
    return pressed, steps


def test_each_page_is_answered_as_it_comes_and_the_review_sent_once() -> None:
    pressed, last = follow(FIRST, SECOND, REVIEW, REVIEW)
    assert pressed == ["1", "2", "1"]
    assert not last.done
    assert follow(FIRST, SECOND, REVIEW, None)[1].done


def test_a_page_that_is_still_there_or_half_painted_is_waited_for() -> None:
    pressed, last = follow(FIRST, FIRST, None, FIRST, SECOND)
    assert pressed == ["1", "2"]
    assert last.spans


def test_two_questions_of_the_same_words_are_told_apart_by_their_place() -> None:
    twice = replace(WHOLE, questions=(Question(ASKED[0]), Question(ASKED[0])))
    first, second = (
        replace(FIRST, form=replace(FIRST.form, position=Position(at, 2))) for at in (1, 2)
    )

    def keys(now: ParsedPrompt, done: Any) -> Steps | None:
        return choose(now, "AB"[open_question(twice, now) or 0], HANDS, done)

    pages = Pages(keys, lambda now: now is first, answers_all=True, back="Left")
    progress, pressed = None, []
    for now in (second, first, FIRST, second):  # once its place is not painted yet
        steps = page_by_page(twice, now, progress, pages)
        assert steps
        pressed += sent(steps)
        progress = steps.progress
    assert pressed == ["Left", "1", "2"]


def test_an_answer_leaves_the_review_of_one_question_unless_that_is_what_was_asked() -> None:
    keys = Pages(
        lambda now, done: choose(now, "Submit", HANDS, done), lambda _: True, answers_all=True
    )
    back = replace(keys, back="Left")
    for asked, pressed in ((FIRST, "Left"), (REVIEW, "1")):
        steps = page_by_page(asked.form, REVIEW, None, back)
        assert steps
        assert sent(steps) == [pressed]


def test_an_answer_of_all_questions_begins_at_the_first_page_whatever_page_is_open() -> None:
    keys = Pages(lambda now, done: choose(now, "B", HANDS, done), lambda _: True, answers_all=True)
    back = replace(keys, back="Left")
    for opened in ((SECOND, FIRST), (REVIEW, SECOND, FIRST)):
        progress, pressed = None, []
        for now in opened:
            steps = page_by_page(WHOLE, now, progress, back)
            assert steps
            pressed += sent(steps)
            assert steps.spans
            progress = steps.progress
        assert pressed == ["Left"] * (len(opened) - 1) + ["2"]
    # A page that does not turn is waited for, and a caret is not moved in a field.
    turned = page_by_page(WHOLE, SECOND, None, back)
    assert turned
    assert sent(page_by_page(WHOLE, SECOND, turned.progress, back)) == []
    typing = replace(SECOND, field=Field(text="words", focused=True, row=SECOND.rows[1]))
    assert sent(page_by_page(WHOLE, typing, None, back)) == ["Up"]
    # An answer of some questions belongs to the page that is open.
    assert sent(page_by_page(WHOLE, SECOND, None, replace(back, answers_all=False))) == ["2"]


@pytest.mark.parametrize("answered", [(FIRST,), (FIRST, SECOND)], ids=["page", "review"])
def test_a_page_that_is_due_and_never_readable_fails_the_answer(
    answered: tuple[ParsedPrompt, ...],
) -> None:
    progress = follow(*answered, *[None] * 6)[1].progress
    assert answer(None, progress) is None


def test_what_follows_a_page_of_others_is_not_waited_for() -> None:
    one_of_two = replace(FIRST.form, position=Position(1, 2))

    def step(now: ParsedPrompt | None, progress: Any) -> Steps | None:
        pages = Pages(lambda now, done: choose(now, "A", HANDS, done), lambda _: True)
        return page_by_page(one_of_two, now, progress, pages)

    steps = step(FIRST, None)
    for _ in range(7):
        assert steps
        steps = step(None, steps.progress)
    assert steps
    assert steps.done


@pytest.mark.parametrize("shown", [(FIRST, SECOND), (FIRST, SECOND, REVIEW)])
def test_a_page_that_stays_after_its_answer_is_no_end(shown: tuple[ParsedPrompt, ...]) -> None:
    progress = follow(*shown, *[shown[-1]] * 6)[1].progress
    assert answer(shown[-1], progress) is None


def test_a_review_with_gaps_is_left_to_the_user() -> None:
    pressed, last = follow(FIRST, SECOND, REVIEW, gaps=True)
    assert pressed == ["1", "2"]
    assert last.done


def test_a_review_that_lacks_what_was_answered_fails_the_answer() -> None:
    progress = follow(FIRST, SECOND)[1].progress
    assert answer(REVIEW, progress, gaps=True, answers_all=True) is None


@pytest.mark.parametrize(
    ("given", "asked_in_all", "whole"),
    [({"0": "A", "1": "B"}, 2, True), ({"0": "A"}, 2, False), ({"0": "A", "1": "B"}, 3, False)],
    ids=["all", "one-is-empty", "more-to-come"],
)
def test_a_response_answers_all_that_the_cli_asks_or_a_part(
    given: dict[str, str], asked_in_all: int, whole: bool
) -> None:
    form = replace(WHOLE, position=Position(1, asked_in_all))
    assert answers_all(form, Response("r", answers=given)) is whole


@pytest.mark.parametrize(
    "other", [page("Quite another?"), ParsedPrompt(PromptForm(Kind.PERMISSION, "Run?"))]
)
def test_what_is_no_page_of_this_prompt_is_not_answered(other: ParsedPrompt) -> None:
    pressed, last = follow(FIRST, other)
    assert pressed == ["1"]
    assert last.done


def test_a_frame_in_the_middle_of_a_page_does_not_end_its_way_over_screens() -> None:
    walked = ParsedPrompt(SECOND.form, SECOND.rows)
    pressed, last = follow(FIRST, walked, None)
    assert pressed == ["1", "Down"]
    assert last.spans


def test_a_key_that_turns_the_page_too_early_carries_nothing_to_the_next() -> None:
    typed_for: list[tuple[str, Any]] = []

    def keys(now: ParsedPrompt, done: Any) -> Steps | None:
        typed_for.append((now.form.title, done))
        # This CLI goes on with Tab at once, which its adapter did not know.
        return Steps((Press("Tab"),), progress="walked")

    pages = Pages(keys, lambda _: True)
    first = page_by_page(WHOLE, FIRST, None, pages)
    assert first
    assert sent(first) == ["Tab"]
    assert page_by_page(WHOLE, SECOND, first.progress, pages) is None
    assert typed_for == [(ASKED[0], None)]


def test_no_key_follows_the_one_that_turns_the_page() -> None:
    both = Steps((Press("1", deciding=True), Press("Enter", deciding=True)), done=True)
    assert page_by_page(WHOLE, FIRST, None, Pages(lambda *_: both, lambda _: True)) is None
    # On the last page nothing comes after it.
    assert page_by_page(WHOLE, FIRST, None, Pages(lambda *_: both, lambda _: False)) == both


def two_options(*, several: bool) -> PromptForm:
    offers = tuple(map(QuestionOption, ("A", "B")))
    question = Question(ASKED[0], options=offers, multi_select=several)
    return PromptForm(Kind.QUESTION, "Both", questions=(question,))


def test_an_offered_label_is_chosen_and_words_of_ones_own_are_written() -> None:
    chosen = answer_question(
        two_options(several=False), Response("1", answers={"0": "B"}), FIRST, None, HANDS
    )
    assert chosen
    assert sent(chosen) == ["2"]
    field = replace(FIRST, field=Field(True, ""))
    own = answer_question(
        two_options(several=False), Response("1", answers={"0": "no\nidea"}), field, None, HANDS
    )
    assert own
    assert own.steps[0] == Type("no idea")


def test_an_offered_label_that_is_drawn_otherwise_is_chosen_by_its_place_and_its_letters() -> None:
    labels = ("a b", "a  b", "A\u200dB!")

    def listed(*shown: str) -> ParsedPrompt:
        rows = tuple(OptionRow(at + 1, label, selected=not at) for at, label in enumerate(shown))
        return replace(FIRST, rows=rows)

    drawn = listed('"a b"', '"a  b"', "AB!")
    question = Question(ASKED[0], options=tuple(map(QuestionOption, labels)))
    assert [label_on_page(question, drawn, label) for label in labels] == ['"a b"', '"a  b"', "AB!"]
    assert label_on_page(question, drawn, "words of one's own") == "words of one's own"
    # Another list: nothing says which of its rows is meant.
    other = listed("one", "two", "three")
    assert [label_on_page(question, other, label) for label in labels] == list(labels)


@pytest.mark.parametrize("several", [False, True])
def test_of_two_rows_that_are_drawn_alike_the_second_is_not_chosen_as_the_first(
    several: bool,
) -> None:
    """Claude Code 2.1.332 got the first of two labels that differ in a mark nobody sees."""
    rows = (OptionRow(1, "ab", selected=True), OptionRow(2, "ab", selected=False))
    page = replace(FIRST, rows=rows)
    options = tuple(map(QuestionOption, ("a\u200fb", "ab")))
    question = Question(ASKED[0], options=options, multi_select=several)
    assert page.row(label_on_page(question, page, "ab")) is None
    first_is_meant = replace(question, options=options[::-1])
    assert (page.row(label_on_page(first_is_meant, page, "ab")) is None) is several


@pytest.mark.parametrize(
    ("label", "shown", "agrees"),
    [
        ("…", "Something else", False),
        ("+", "Something else", False),
        ("+", '"+"', True),
        ("1", "10 of them", False),
        ("1", '"1"', True),
        ("❤\ufe0f", "❤", True),
        ("漢", "漢字", False),
        ("a", "banana", False),
        ("go", "🚀", False),
        ("🚀 go", "go", True),
        ("a long label", "a lo…", True),
        ("a long label", "a long", True),
        ("a long label", "long label", False),
        ("one", "one about it", True),
        ("one", "one of them", False),
    ],
)
def test_a_row_is_an_option_only_if_it_draws_its_label(
    label: str, shown: str, agrees: bool
) -> None:
    options = (QuestionOption(label, "about it at length"), QuestionOption("another"))
    question = Question(ASKED[0], options=options)
    page = replace(FIRST, rows=(OptionRow(1, shown, selected=True),))
    assert (label_on_page(question, page, label) == shown) is agrees


def test_keys_before_the_ticks_get_the_words_that_are_not_on_offer() -> None:
    own: list[str] = []

    def leave_field(parsed: ParsedPrompt, words: str, progress: Any) -> Steps:
        own.append(words)
        return Steps((Press("Up"),))

    steps = answer_question(
        two_options(several=True),
        Response("1", answers={"0": ("B", "both", "or none")}),
        FIRST,
        None,
        HANDS,
        leave_field,
    )
    assert steps
    assert (own, sent(steps)) == (["both, or none"], ["Up"])


def test_of_several_answers_none_is_left_out_because_the_page_lacks_it() -> None:
    question = Question(ASKED[0], options=tuple(map(QuestionOption, "ABC")), multi_select=True)
    prompt = PromptForm(Kind.QUESTION, "Both", questions=(question,))
    response = Response("1", answers={"0": ("A", "C")})
    assert answer_question(prompt, response, FIRST, None, HANDS) is None
    more = replace(FIRST, form=replace(FIRST.form, more_options=True))
    assert answer_question(prompt, response, more, None, HANDS) is not None


def test_a_question_that_the_prompt_does_not_have_gets_no_key() -> None:
    assert answer_question(WHOLE, Response("1"), page("Which other?"), None, HANDS) is None


def test_the_end_of_a_page_that_may_be_that_of_several_gets_no_key() -> None:
    yes_or_no = tuple(map(QuestionOption, ("Yes", "No")))
    asked = tuple(Question(text, options=yes_or_no) for text in ("Test it?", "Deploy it?"))
    prompt = PromptForm(Kind.QUESTION, "Both", questions=asked)
    first = page("")
    form = replace(first.form, truncated=True, questions=(replace(asked[0], question=""),))
    assert open_question(prompt, replace(first, form=form)) is None
    known = replace(form, questions=(replace(asked[1], question="oy it?"),))
    assert open_question(prompt, replace(first, form=known)) == 1


def test_a_page_is_told_by_its_options_without_the_row_that_the_cli_adds() -> None:
    first, options = page(""), FIRST.form.questions[0].options
    asked = Question(ASKED[0], options=options), Question(ASKED[1], options=options[:1])
    prompt = replace(WHOLE, questions=asked)
    drawn = replace(asked[0], question="", options=(*options, QuestionOption("Chat")))
    form = replace(first.form, truncated=True, questions=(drawn,))
    assert open_question(prompt, replace(first, form=form, extra_labels=("Chat",))) == 0
    assert open_question(prompt, replace(first, form=form)) is None


def test_a_page_that_is_due_and_cannot_be_told_in_a_low_pane_fails_the_answer() -> None:
    _, last = follow(FIRST)
    other = page("Which other?")
    assert answer(other, last.progress) == Steps(done=True)
    cut = replace(other, form=replace(other.form, truncated=True))
    steps = answer(cut, last.progress)
    for _ in range(6):
        assert steps
        assert (steps.done, steps.steps) == (False, ())
        steps = answer(cut, steps.progress)
    assert steps is None


def test_a_key_that_leaves_the_review_is_pressed_once() -> None:
    """A review that is not painted yet gets none."""
    ready = [Steps(), press("Left"), press("Left")]

    def review(_: ParsedPrompt) -> Steps:
        return ready.pop(0)

    pages = Pages(lambda *_: None, lambda _: True, review, answers_all=True)
    progress: Any = PageProgress("way")
    pressed = []
    for _ in range(3):
        steps = page_by_page(WHOLE, REVIEW, progress, pages)
        assert steps
        assert not steps.done
        pressed += sent(steps)
        progress = steps.progress
    assert pressed == ["Left"]
    assert len(ready) == 1


@pytest.mark.parametrize("shown", [(FIRST, SECOND), (SECOND,)])
def test_a_review_out_of_sight_is_sent_once_every_question_was_answered(
    shown: tuple[ParsedPrompt, ...],
) -> None:
    def keys(now: ParsedPrompt, done: Any) -> Steps | None:
        return choose(now, "A", HANDS, done)

    pages = Pages(
        keys,
        lambda _: True,
        lambda _: Steps(),
        answers_all=True,
        unseen=lambda now: choose(now, "Submit", HANDS),
    )
    progress: Any = None
    for now in shown:
        steps = page_by_page(WHOLE, now, progress, pages)
        assert steps
        progress = steps.progress
    for _ in range(6):
        steps = page_by_page(WHOLE, REVIEW, progress, pages)
        assert steps
        assert not steps.steps
        progress = steps.progress
    last = page_by_page(WHOLE, REVIEW, progress, pages)
    assert (sent(last) if last else None) == (["1"] if len(shown) == 2 else None)
