"""The contract that every adapter keeps, on recordings of the real CLI."""

from __future__ import annotations

from pathlib import Path

import clawtap_copilot

from clawtap_core.testing import AdapterContract


class TestCopilot(AdapterContract):
    plugin = clawtap_copilot
    recordings = Path(__file__).with_name("recordings")
