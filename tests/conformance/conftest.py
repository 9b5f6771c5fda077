"""The suite against real CLIs: `pytest --conformance tests/conformance`, or `make conformance`.

Each version of a CLI runs once and is asked many things. A scenario that leaves its session in
disorder costs a new one; it does not spoil the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

VERSIONS = ("0.61.0", "0.34.0")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason="drives a real CLI: run with --conformance")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.conformance)
            item.add_marker(pytest.mark.timeout(120))
            if not config.getoption("--conformance"):
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> None:
    """No guard here: scenarios share a server, a CLI and their streams, and end them at last."""


@pytest.fixture(scope="session", params=VERSIONS)
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from rig import Ground

    ground = Ground(request.param, tmp_path_factory.mktemp(f"gemini-{request.param}"))
    yield ground
    ground.close()


@pytest.fixture(scope="session")
def shared(ground) -> Iterator[list]:
    """The session that scenarios share; empty when the last one spoiled it."""
    held = []
    yield held
    for talk in held:
        talk.leave()


@pytest.fixture
def talk(ground, shared):
    """An idle session of the shared CLI."""
    if not shared:
        shared.append(ground.start())
        shared[0].idle(60)
    talk = shared[0]
    yield talk
    try:
        talk.idle(5)
        talk.until(lambda now: now.get("mode") == "default", 2)
    except AssertionError:
        shared.remove(talk)
        talk.leave()


@pytest.fixture
def own(ground):
    """Starts sessions for this test alone."""
    started = []

    def start(**more):
        started.append(ground.start(**more))
        return started[-1]

    yield start
    for talk in started:
        talk.leave()
