"""The contract that every adapter keeps, on recordings of the real agent."""

from __future__ import annotations

from pathlib import Path

from clawtap_demo import adapter

from clawtap_core.testing import AdapterContract


class TestDemo(AdapterContract):
    plugin = adapter
    recordings = Path(__file__).with_name("recordings")
