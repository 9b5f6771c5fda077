"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import pytest
from clilab import gemini_turns as turns
from conversing import SCENARIOS, Stage, begun_anew, second


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(ground, own, scenario):
    if scenario is begun_anew and ground.version == "0.34.0":
        pytest.skip("this version goes on in the same file")

    def sit(cwd=None):
        cwd = cwd or ground.project()
        seat = ground.desk.open(("gemini",), cwd, ground.env)
        seat.see("Type your message", seconds=60)
        return seat, cwd

    # A call is written down once it was answered.
    scenario(Stage(ground, own, turns, "gemini", sit, "/clear", pending_written=False, pick=second))
