"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import pytest
from clilab import codex_turns as turns
from conversing import SCENARIOS, Stage


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(ground, own, scenario):
    scenario(Stage(ground, own, turns, "codex", ground.sit, "/clear"))
