"""The contract that every adapter keeps, on recordings of the real CLI."""

from __future__ import annotations

from pathlib import Path

import clawtap_kimi

from clawtap_core.testing import AdapterContract


class TestKimi(AdapterContract):
    plugin = clawtap_kimi
    recordings = Path(__file__).with_name("recordings")
