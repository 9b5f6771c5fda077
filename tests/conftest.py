"""What holds for all our tests: nothing is left behind, and real CLIs run only when asked for."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--conformance",
        action="store_true",
        help="run the suite against real CLIs, installed from npm",
    )


@pytest.fixture(autouse=True)
def _nothing_left_behind(no_leaks: None) -> None:
    """Every test is guarded."""
