"""The made-up CLI's transcripts."""

from __future__ import annotations

import pytest
from toy_transcripts import Notes


@pytest.fixture
def parse():
    return Notes()
