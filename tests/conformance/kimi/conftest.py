"""The suite for Kimi Code: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("2.1.0", "0.30.0")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from kimi_testbed import KimiTestbed

    testbed = KimiTestbed(request.param, tmp_path_factory.mktemp(f"kimi-{request.param}"))
    yield testbed
    testbed.close()
