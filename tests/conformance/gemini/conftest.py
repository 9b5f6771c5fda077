"""The suite for the Gemini CLI: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("0.61.0", "0.34.0")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from cli_testbed import CliTestbed

    testbed = CliTestbed(request.param, tmp_path_factory.mktemp(f"gemini-{request.param}"))
    yield testbed
    testbed.close()
