"""The label on a prompt that says who asks."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from clawtap_core.commands import asker
from clawtap_core.model import Kind, Prompt, PromptForm


@pytest.mark.parametrize(
    ("channel", "origin", "words"),
    [
        ("terminal", None, ""),
        ("terminal", "general-purpose", "Subagent: general-purpose"),
        ("protocol", "Look around", "Subagent: Look around"),
        ("terminal", "subagent", "Subagent"),
        ("terminal", "a56f6b26adc6927d2", "Subagent"),
        ("protocol", "019a7d5e-3f0c-7d61-8a10-0a6f5f2b9c11", "Subagent"),
        ("external", "stage 2", "from stage 2"),
        ("external", None, ""),
    ],
)
def test_who_asks_is_said_in_words_for_a_person(
    channel: str, origin: str | None, words: str
) -> None:
    form = PromptForm(Kind.PERMISSION, "Run this?", origin=origin)
    prompt = Prompt("r1", "s1", channel, form, datetime.now(timezone.utc))
    assert asker(prompt) == words
