"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import pytest
from clilab import gemini_turns as turns
from conversing import SCENARIOS, Stage


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(ground, own, scenario):
    def sit():
        cwd = ground.project()
        seat = ground.desk.open(("gemini",), cwd, ground.env)
        seat.see("Type your message", seconds=60)
        return seat, cwd

    # A call is written down once it was answered.
    scenario(Stage(ground, own, turns, "gemini", sit, pending_written=False))
