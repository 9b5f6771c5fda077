"""The suite against real CLIs: `pytest --conformance tests/conformance`, or `make conformance`.

Each version of a CLI runs once and is asked many things. A scenario that leaves its session in
disorder costs a new one; it does not spoil the next.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason="drives a real CLI: run with --conformance")
    patience = max(180.0, float(config.getoption("timeout") or 0))
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.conformance)
            item.add_marker(pytest.mark.timeout(patience))
            if not config.getoption("--conformance"):
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> None:
    """No guard here: scenarios share a server, a CLI and their streams, and end them at last."""


@pytest.fixture
def lend(testbed):
    """Gives the idle session of the CLI that scenarios share."""
    lent = []

    def give():
        lent.append(testbed.share())
        return lent[-1]

    yield give
    if lent and not lent[-1].rests():
        testbed.unshare()


@pytest.fixture
def talk(lend):
    """An idle session of the CLI that scenarios share."""
    return lend()


@pytest.fixture
def own(testbed):
    """Starts sessions for this test alone."""
    started = []

    def start(**more):
        started.append(testbed.start(**more))
        return started[-1]

    yield start
    for talk in started:
        talk.leave()
