"""The suite for the Codex CLI: the ground of two versions, and the sessions on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

VERSIONS = ("0.169.0", "0.116.0")


@pytest.fixture(scope="session", params=VERSIONS)
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from codex_rig import CodexGround

    ground = CodexGround(request.param, tmp_path_factory.mktemp(f"codex-{request.param}"))
    yield ground
    ground.close()


@pytest.fixture(scope="session")
def codex_shared(ground) -> Iterator[list]:
    """The session that scenarios share; empty when the last one spoiled it."""
    held = []
    yield held
    for talk in held:
        talk.leave()


@pytest.fixture
def talk(ground, codex_shared):
    """An idle session of the shared CLI."""
    if not codex_shared:
        codex_shared.append(ground.start())
        codex_shared[0].idle(60)
    talk = codex_shared[0]
    yield talk
    try:
        talk.idle(5)
    except AssertionError:
        codex_shared.remove(talk)
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
