"""The scripted model of Kimi Code, which knows the file that a plan belongs in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clawtap_core.testing.scripted.chat_model import ChatModel
from clawtap_core.testing.scripted.script import Turn

# Stands in a turn for the file that the CLI names in its request.
PLAN_FILE = "PLAN FILE"
_NAMED = re.compile(r"Plan file: (\S+?\.md)")


class KimiModel(ChatModel):
    """A model that speaks to Kimi Code."""

    def prepared(self, turn: Turn, body: Mapping[str, Any]) -> Turn:
        """Return the turn with the file that the request names."""
        named = _NAMED.findall(json.dumps(body))
        if not named:
            return turn
        parts = json.loads(json.dumps(turn.parts).replace(PLAN_FILE, named[-1]))
        return replace(turn, parts=tuple(parts))
