"""What every adapter promises, on recorded screens of small programs."""

from __future__ import annotations

from pathlib import Path

import clawtap_generic

from clawtap_core.testing import AdapterContract


class TestGeneric(AdapterContract):
    plugin = clawtap_generic
    recordings = Path(__file__).with_name("recordings")
