"""The suite for Qwen Code: the testbeds of two versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clilab.install import versions

VERSIONS = versions("0.24.4", "0.15.10")


@pytest.fixture(scope="session", params=VERSIONS)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI and a ClawTap server, with the scripted model."""
    from qwen_testbed import QwenTestbed

    testbed = QwenTestbed(request.param, tmp_path_factory.mktemp(f"qwen-{request.param}"))
    yield testbed
    testbed.close()
