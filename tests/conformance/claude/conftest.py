"""The suite for Claude Code: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("2.1.332", "2.1.85")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from claude_testbed import ClaudeTestbed

    testbed = ClaudeTestbed(request.param, tmp_path_factory.mktemp(f"claude-{request.param}"))
    yield testbed
    testbed.close()
