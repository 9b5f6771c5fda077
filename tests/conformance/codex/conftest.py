"""The suite for the Codex CLI: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("0.169.0", "0.116.0")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from codex_testbed import CodexTestbed

    testbed = CodexTestbed(request.param, tmp_path_factory.mktemp(f"codex-{request.param}"))
    yield testbed
    testbed.close()
