"""Recordings by name, and the hooks as functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clawtap_core.testing import Recording

RECORDINGS = Path(__file__).with_name("recordings")


@pytest.fixture
def recording() -> Callable[[str], Recording]:
    def load(name: str) -> Recording:
        return Recording.load(RECORDINGS / f"{name}.ansi", RECORDINGS)

    return load
