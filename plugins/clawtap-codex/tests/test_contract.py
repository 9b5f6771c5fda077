"""What every adapter promises, on every recorded screen of Codex."""

from __future__ import annotations

from pathlib import Path

import clawtap_codex
import pytest

from clawtap_core import PromptForm, Screen
from clawtap_core.prompts.identity import squeeze
from clawtap_core.testing import AdapterContract, Recording

RECORDINGS = Path(__file__).with_name("recordings")


class TestCodex(AdapterContract):
    plugin = clawtap_codex
    recordings = RECORDINGS


def detect(screen: Screen) -> PromptForm | None:
    return clawtap_codex.detect_prompt(screen)


@pytest.mark.parametrize("asking", Recording.load_all(RECORDINGS), ids=lambda each: each.name)
def test_a_prompt_that_is_half_painted_is_no_prompt(asking: Recording) -> None:
    if not asking.truth.is_prompt or "confirm_full_access" in asking.name:
        pytest.skip("a dialog over the composer has its footer in the middle")
    rows = [row for row, line in enumerate(asking.screen.lines) if line.strip()]
    for cut in range(len(rows) - 1, -1, -1):
        half = Screen(asking.screen.captured[: rows[cut]], asking.screen.cols, asking.screen.rows)
        form = detect(half)
        assert form is None or squeeze(form.title) == squeeze(detect(asking.screen).title)  # type: ignore[union-attr]
