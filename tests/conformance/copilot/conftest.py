"""The suite for GitHub Copilot CLI: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("1.0.102", "1.0.64")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from copilot_testbed import CopilotTestbed

    testbed = CopilotTestbed(request.param, tmp_path_factory.mktemp(f"copilot-{request.param}"))
    yield testbed
    testbed.close()
