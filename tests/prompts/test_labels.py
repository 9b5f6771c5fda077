"""What cannot be told apart on a screen is not chosen there."""

from __future__ import annotations

import pytest

from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption, Response
from clawtap_core.prompts.labels import indistinct_label


def asks(*labels: str, several: bool = False) -> PromptForm:
    options = tuple(map(QuestionOption, labels))
    return PromptForm(
        Kind.QUESTION, "?", questions=(Question("?", options=options, multi_select=several),)
    )


@pytest.mark.parametrize(
    "hidden", ["Beta\ufe0f", "Be\u200dta", "Be\u2060ta", "Beta ", "\u202eBeta"]
)
@pytest.mark.parametrize("several", [False, True])
def test_of_labels_that_are_drawn_alike_only_the_first_is_clear(hidden: str, several: bool) -> None:
    for labels in ((hidden, "Beta"), ("Beta", hidden)):
        form = asks("Alpha", *labels, several=several)
        unclear = [indistinct_label(form, Response("p", answers={"0": each})) for each in labels]
        assert unclear == [labels[0] if several else None, labels[1]]
        assert indistinct_label(form, Response("p", answers={"0": "Alpha"})) is None
        assert indistinct_label(form, Response("p", answers={"0": "my own"})) is None


def test_of_labels_that_read_the_same_nobody_knows_which_is_meant() -> None:
    form = asks("Beta", "Beta", "beta", "Beta  two", "Beta two")
    for label in ("beta", "Beta  two", "Beta two"):
        assert indistinct_label(form, Response("p", answers={"0": label})) is None
    assert indistinct_label(form, Response("p", answers={"0": "Beta"})) == "Beta"


def test_of_options_that_read_the_same_the_first_is_clear() -> None:
    options = tuple(Option(value, "Yes", Effect.OTHER) for value in ("yes", "yes-2"))
    form = PromptForm(Kind.PERMISSION, "?", options=options)
    assert indistinct_label(form, Response("p", "yes")) is None
    assert indistinct_label(form, Response("p", "yes-2")) == "Yes"
