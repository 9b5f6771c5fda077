"""The suite for Claude Code: the ground of two versions, and the sessions on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

VERSIONS = ("2.1.330", "2.1.85")


@pytest.fixture(scope="session", params=VERSIONS)
def ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from claude_rig import ClaudeGround

    ground = ClaudeGround(request.param, tmp_path_factory.mktemp(f"claude-{request.param}"))
    yield ground
    ground.close()


@pytest.fixture(scope="session")
def claude_shared(ground) -> Iterator[list]:
    """The session that scenarios share; empty when the last one spoiled it."""
    held = []
    yield held
    for talk in held:
        talk.leave()


@pytest.fixture
def talk(ground, claude_shared):
    """An idle session of the shared CLI."""
    if not claude_shared:
        claude_shared.append(ground.start())
        claude_shared[0].idle(60)
    talk = claude_shared[0]
    yield talk
    try:
        talk.idle(5)
    except AssertionError:
        claude_shared.remove(talk)
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
