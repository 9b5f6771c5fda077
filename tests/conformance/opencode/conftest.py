"""The suite for OpenCode: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("1.18.33", "1.17.19")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from opencode_testbed import OpenCodeTestbed

    testbed = OpenCodeTestbed(request.param, tmp_path_factory.mktemp(f"opencode-{request.param}"))
    yield testbed
    testbed.close()
