"""The contract that every adapter keeps, on recordings of the real CLI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import clawtap_kimi

from clawtap_core.testing import AdapterContract


class TestKimi(AdapterContract):
    plugin = clawtap_kimi
    recordings = Path(__file__).with_name("recordings")
    # The page that submits the answers asks whether to do so.
    steering: ClassVar[Sequence[str]] = ()
