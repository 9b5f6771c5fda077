"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import pytest
from clawtap_codex.live import turns
from conversation_scenarios import SCENARIOS, Stage, search, second


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(testbed, own, lend, scenario):
    # The newer version lists what it calls conversations, not what was said first in them.
    pick = search if testbed.version == "0.116.0" else second
    scenario(Stage(testbed, own, lend, turns, "codex", testbed.sit, "/clear", pick=pick))
