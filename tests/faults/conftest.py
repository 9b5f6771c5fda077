"""The suite of faults: `make faults` breaks all that it can, `make test` a slice of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from demo_testbed import DemoTestbed

HERE = str(Path(__file__).parent)


def pytest_collection_modifyitems(config, items):
    skip = pytest.mark.skip(reason="takes long: run with --faults")
    for item in items:
        if not str(item.path).startswith(HERE):
            continue
        if item.get_closest_marker("long") and not config.getoption("--faults"):
            item.add_marker(skip)
        item.add_marker(pytest.mark.process)


@pytest.fixture
def demo(tmux_socket, tmp_path):
    """ClawTap with demo agents on a tmux server of their own, in this process."""
    demo = DemoTestbed(tmux_socket, tmp_path)
    demo.open()
    yield demo
    demo.close()
