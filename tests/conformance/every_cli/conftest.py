"""What is asked of every CLI in the same way: the testbeds of all versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from every_cli import EVERY_CLI, VERSIONS


# A module that asks the others, too, has the mark `every_cli.on_every_version`.
@pytest.fixture(scope="module", params=VERSIONS, ids="-".join)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of a CLI and a ClawTap server, with the scripted model."""
    name, version = request.param
    testbed = EVERY_CLI[name].open(version, tmp_path_factory.mktemp(f"{name}-{version}"))
    testbed.cli = EVERY_CLI[name]
    yield testbed
    testbed.close()
