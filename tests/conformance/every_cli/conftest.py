"""What is asked of every CLI in the same way: the testbeds of all versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from every_cli import EVERY_CLI, EVERY_VERSION, VERSIONS

NEXT = {"claude": "gemini", "codex": "claude", "gemini": "claude"}
NEXT |= {"copilot": "kimi", "kimi": "opencode", "opencode": "qwen", "qwen": "copilot"}
NEWEST = dict(reversed(EVERY_VERSION))


# A module that asks the others, too, has the mark `every_cli.on_every_version`.
@pytest.fixture(scope="module", params=VERSIONS, ids="-".join)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of a CLI and a ClawTap server, with the scripted model."""
    name, version = request.param
    testbed = EVERY_CLI[name].open(version, tmp_path_factory.mktemp(f"{name}-{version}"))
    testbed.cli = EVERY_CLI[name]
    yield testbed
    testbed.close()


@pytest.fixture
def second(testbed: Any, tmp_path: Path) -> Iterator:
    """The testbed of another CLI, with the tmux and the ClawTap of the first."""
    name = NEXT[testbed.cli.name]
    second = EVERY_CLI[name].open(NEWEST[name], tmp_path)
    second.cli, second.desk, second.served = EVERY_CLI[name], testbed.desk, testbed.served
    second.settle()
    yield second
    second.model.stop()
