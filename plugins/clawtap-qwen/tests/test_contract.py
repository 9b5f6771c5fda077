"""The contract that every adapter keeps, on recordings of the real CLI."""

from __future__ import annotations

from pathlib import Path

import clawtap_qwen

from clawtap_core.testing import AdapterContract


class TestQwen(AdapterContract):
    plugin = clawtap_qwen
    recordings = Path(__file__).with_name("recordings")
