"""Recordings by name, and the hooks as functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from clawtap_gemini.screen.prompt import detect_prompt

from clawtap_core import PromptForm, Screen
from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")


@pytest.fixture
def recording() -> Callable[[str], Recording]:
    def load(name: str) -> Recording:
        return Recording.load(RECORDINGS / f"{name}.ansi", RECORDINGS)

    return load


@pytest.fixture
def form_of(recording: Callable[[str], Recording]) -> Callable[[str | Screen], PromptForm]:
    def read(shown: str | Screen) -> PromptForm:
        form = detect_prompt(recording(shown).screen if isinstance(shown, str) else shown)
        assert form is not None
        return form

    return read
