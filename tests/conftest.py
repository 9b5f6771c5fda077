"""What holds for all our tests: nothing is left behind, and real CLIs run only when asked for."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure.
settings.register_profile(
    "steady",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--conformance",
        action="store_true",
        help="run the suite against real CLIs, installed from npm",
    )
    parser.addoption(
        "--rounds",
        type=int,
        default=12,
        help="how often two answer one prompt at once, in the tests of that",
    )
    parser.addoption(
        "--days",
        type=int,
        default=0,
        help="working days of 60 steps for each CLI in test_working_day.py; else a short one",
    )
    parser.addoption(
        "--samples", type=int, default=5, help="prompts for each CLI in test_reaction_times.py"
    )


NEEDS = {"chromium": "browser", "tmux_socket": "tmux", "served": "process", "fresh": "process"}
"""What a test needs besides this process, by the fixture that gives it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in NEEDS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[fixture])


def pytest_collection_finish() -> None:
    """Keep the thousands of tests out of every later collection of garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_left_behind(no_leaks: None) -> None:
    """Every test is guarded."""
