"""When two sightings are one prompt; in doubt they are two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawtap_core import Effect, Kind, Option, Position, PromptForm
from clawtap_core.prompts.identity import (
    fingerprint,
    may_be_repainted,
    may_lack_characters,
    same_prompt,
    shows_other_text,
    squeeze,
)

YES = Option("yes", "Yes", Effect.ALLOW_ONCE)
ASK = PromptForm(Kind.PERMISSION, "Run it?", "touch a\ntouch b", options=(YES,))
CUT = replace(ASK, description="touch a …\ntouch b", truncated=True)
NAMED = replace(ASK, subject="touch a\ntouch b\ntouch c")


# What was printed, and what tmux 3.3a had of it: a cell keeps 21 bytes.
@pytest.mark.parametrize(
    ("printed", "drawn"),
    [
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466'",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d'",
        ),
        (
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e",
        ),
        ("a" + "\u0301" * 20, "a" + "\u0301" * 10),
    ],
    ids=["family", "flag", "accents"],
)
def test_a_cell_that_lost_characters_reads_as_the_one_that_was_printed(printed, drawn):
    assert may_lack_characters(f"echo {drawn} x")
    assert squeeze(f"echo {drawn} x") == squeeze(f"echo {printed} x")
    assert squeeze(f"echo {drawn} x") != squeeze(f"echo {drawn[:1]} x")


@pytest.mark.parametrize(
    "text", ["é e\u0301", "\u2764\ufe0f", "\U0001f1e9\U0001f1ea", "\U0001f468\u200d\U0001f4bb x"]
)
def test_a_cell_that_is_not_full_has_what_was_printed(text):
    assert not may_lack_characters(text)
    assert squeeze(text) == text.replace(" ", "")


def test_wrapping_options_and_selection_do_not_make_another_prompt():
    wrapped = replace(ASK, description="touch\na touch b", options=(), selected="yes")
    assert fingerprint(wrapped) == fingerprint(ASK)
    assert same_prompt(ASK, wrapped)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASK, kind=Kind.QUESTION),
        replace(ASK, title="Delete it?"),
        replace(ASK, description="touch a"),
        replace(NAMED, subject="touch z"),
    ],
)
def test_another_kind_title_or_text_is_another_prompt(other):
    assert not same_prompt(ASK, other)


def test_a_whole_text_is_no_part_of_a_longer_one():
    longer = replace(ASK, description="touch a\ntouch b\ntouch c")
    assert not same_prompt(ASK, longer)
    assert not same_prompt(ASK, replace(longer, truncated=True))


def test_a_text_that_was_cut_is_found_in_the_whole_one():
    whole = replace(ASK, description="touch a\ntouch b\ntouch c")
    part = replace(ASK, description="touch b\ntouch c", truncated=True)
    assert same_prompt(part, whole)
    assert same_prompt(whole, part)
    assert not same_prompt(replace(part, description="touch x"), whole)
    assert not same_prompt(replace(part, title="Delete it?"), whole)


def test_a_subject_that_was_cut_is_found_in_the_whole_one():
    part = replace(NAMED, subject="touch a …\ntouch c", truncated=True)
    assert same_prompt(part, NAMED)
    assert same_prompt(NAMED, part)
    for other in ("touch z …\ntouch c", "touch a …\ntouch z", "touch a\ntouch b", "…"):
        assert not same_prompt(replace(part, subject=other), NAMED), other


def test_a_subject_of_which_nothing_but_the_mark_is_missing_is_the_whole_one():
    """A window that moves may show the rows above a question, though its box is cut at both."""
    whole = replace(NAMED, truncated=True)
    part = replace(whole, subject=f"…\n{whole.subject}")
    assert same_prompt(part, whole)
    assert same_prompt(whole, part)


def test_pieces_of_a_subject_stand_in_their_order():
    whole = replace(NAMED, subject="one two three four")
    part = replace(NAMED, truncated=True)
    assert same_prompt(replace(part, subject="one …\ntwo …\nfour"), whole)
    for other in ("one …\nthree …\ntwo …\nfour", "one …\ntwo …\ntwo …\nfour"):
        assert not same_prompt(replace(part, subject=other), whole), other


def test_a_screen_that_names_no_subject_shows_a_part_of_it():
    shown = replace(ASK, title="touch a", description="touch b …\ntouch c", truncated=True)
    assert same_prompt(shown, NAMED)
    assert same_prompt(NAMED, shown)
    assert not same_prompt(replace(shown, title="touch z"), NAMED)
    assert not same_prompt(replace(shown, description="touch z"), NAMED)
    assert not same_prompt(replace(shown, truncated=False), NAMED)


def test_two_places_in_one_series_are_two_prompts():
    first, second = (replace(ASK, position=Position(index, 3)) for index in (1, 2))
    assert not same_prompt(first, second)
    assert same_prompt(first, first)
    # Some CLIs count again as others of a series end.
    assert same_prompt(first, replace(ASK, position=Position(2, 2)))
    assert same_prompt(first, ASK)


def test_texts_that_cannot_be_one_prove_two_prompts():
    assert shows_other_text(ASK, replace(ASK, description=""))
    assert not shows_other_text(replace(ASK, description=""), replace(ASK, description=""))
    assert not shows_other_text(ASK, replace(ASK, description="", subject="touch a"))
    assert not shows_other_text(ASK, replace(ASK, description="touch z"))
    assert shows_other_text(CUT, replace(CUT, description="touch z …\ntouch y and more of it"))
    assert not shows_other_text(CUT, replace(CUT, description="touch a, touch b and touch c"))
    assert not shows_other_text(CUT, ASK)
    assert not shows_other_text(ASK, CUT)


def test_the_whole_text_of_a_cut_prompt_may_be_shown_in_another_way():
    cut = replace(NAMED, description="- a\n…", truncated=True)
    whole = replace(NAMED, description="1 - b\n2 + c")
    assert not shows_other_text(cut, whole)
    assert not shows_other_text(whole, cut)


def test_the_longer_text_may_show_the_shorter_one():
    longer = replace(CUT, description="touch a …\ntouch b\ntouch c")
    assert not shows_other_text(CUT, longer)
    assert not shows_other_text(longer, CUT)


def test_an_unknown_prompt_is_told_by_its_title_alone():
    unknown = PromptForm(Kind.UNKNOWN, "Something", "at 12:00")
    assert same_prompt(unknown, replace(unknown, description="at 12:01"))
    assert not same_prompt(unknown, replace(unknown, title="Another"))


@pytest.mark.parametrize(
    ("other", "may"),
    [
        (replace(CUT, description="touch y"), True),
        (replace(CUT, title="Run\nit?"), True),
        (replace(CUT, truncated=False), False),
        (replace(CUT, kind=Kind.QUESTION), False),
        (replace(CUT, title="Delete it?"), False),
        (replace(CUT, options=()), False),
    ],
)
def test_two_cut_prompts_may_be_one_that_was_painted_again(other, may):
    assert may_be_repainted(CUT, other) is may
    assert may_be_repainted(other, CUT) is may


def test_two_places_in_one_series_are_not_one_painted_again():
    first, second = (replace(CUT, position=Position(index, 3)) for index in (1, 2))
    assert not may_be_repainted(first, second)


def test_what_is_above_tells_prompts_apart_unless_the_top_of_a_pane_cuts_it():
    before, other, cut = (replace(ASK, above=above) for above in ("filea", "fileb", "ea"))
    assert not same_prompt(before, other)
    assert same_prompt(before, cut)
    assert shows_other_text(before, cut)
