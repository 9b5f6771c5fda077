"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clilab import gemini_turns as turns
from conversing import SCENARIOS, Stage, second


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(ground, own, lend, scenario):
    def sit(cwd=None):
        cwd = cwd or ground.project()
        seat = ground.desk.open(("gemini",), cwd, ground.env)
        seat.see("Type your message", seconds=60)
        return seat, cwd

    stage = Stage(ground, own, lend, turns, "gemini", sit, "/clear", pick=second)
    # A call is written down once it was answered; the old version goes on in the same file.
    new = ground.version != "0.34.0"
    scenario(replace(stage, pending_written=False, new_file=new))
