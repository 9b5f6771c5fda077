"""What every adapter promises, on every recorded screen of Codex."""

from __future__ import annotations

from pathlib import Path

import clawtap_codex
import pytest

from clawtap_core import PromptForm, Screen
from clawtap_core.prompts.identity import squeeze
from clawtap_core.testing import AdapterContract, Recording
from clawtap_core.testing.variations import Variation, scrollback_above, wider

RECORDINGS = Path(__file__).with_name("recordings")
# Nothing on the screen of 0.116 tells an answer that grows from one that is complete: only time
# does (test_state.py).
ONLY_TIME_TELLS = ("0.116.0/busy_streaming-120x40", "0.116.0/busy_streaming-60x20")


class TestCodex(AdapterContract):
    plugin = clawtap_codex
    recordings = RECORDINGS

    def test_the_state_is_the_one_shown(self, recording: Recording) -> None:
        if recording.name in ONLY_TIME_TELLS:
            pytest.skip("only time tells")
        super().test_the_state_is_the_one_shown(recording)

    def test_what_does_not_matter_changes_nothing(
        self, recording: Recording, variation: Variation
    ) -> None:
        if variation is wider and "exec_long" in recording.name:
            pytest.skip("where a command was wrapped, only the width of the pane tells")
        if variation is scrollback_above and recording.name.endswith("plan_implement-60x20"):
            pytest.skip("with its heading gone, all that is above belongs to the plan")
        super().test_what_does_not_matter_changes_nothing(recording, variation)


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
