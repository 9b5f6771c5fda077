"""A room of each test's own: tmux server, data folder, demo agents."""

from __future__ import annotations

import pytest
from demo_testbed import DemoTestbed


def pytest_collection_modifyitems(items):
    for item in items:
        if "/tests/rules/" in str(item.path):
            item.add_marker(pytest.mark.tmux)


@pytest.fixture
def demo(tmux_socket, tmp_path):
    """ClawTap runs in it."""
    demo = DemoTestbed(tmux_socket, tmp_path)
    demo.open()
    yield demo
    demo.close()


@pytest.fixture
def empty_room(tmux_socket, tmp_path):
    """ClawTap is not opened yet."""
    demo = DemoTestbed(tmux_socket, tmp_path)
    yield demo
    demo.close()
