"""What every adapter promises, on every recording of both versions."""

from __future__ import annotations

from pathlib import Path

import clawtap_claude

from clawtap_core.testing import AdapterContract


class TestClaude(AdapterContract):
    plugin = clawtap_claude
    recordings = Path(__file__).with_name("recordings")
