"""The contract that every adapter keeps, on recordings of the real CLI."""

from __future__ import annotations

from pathlib import Path

import clawtap_opencode

from clawtap_core.testing import AdapterContract


class TestOpenCode(AdapterContract):
    plugin = clawtap_opencode
    recordings = Path(__file__).with_name("recordings")
