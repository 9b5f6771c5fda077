"""Scenarios of questions that several CLIs go through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cli_testbed import CliSession

_LONG = (
    "Use the same long name for the deployment target of the production cluster in the region,"
    " with the suffix that ends in letter "
)


def chooses_among_long_labels(talk: CliSession, ask: Callable[..., Any]) -> None:
    """Of labels that take two rows and differ in their last letter, the chosen one is sent."""
    labels = [f"{_LONG}{letter}" for letter in "ABC"]
    prompt = talk.do(ask(*labels))
    (question,) = prompt["questions"]
    assert [option["label"] for option in question["options"]] == labels
    assert talk.answer(prompt, {"0": labels[1]}).status == 200
    (output,) = talk.outputs()
    assert [label in str(output) for label in labels] == [False, True, False]
    talk.finish()
