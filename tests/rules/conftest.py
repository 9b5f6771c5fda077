"""A room of each test's own: tmux server, data folder, demo agents."""

from __future__ import annotations

import pytest
from demo_room import Room


def pytest_collection_modifyitems(items):
    for item in items:
        if "/tests/rules/" in str(item.path):
            item.add_marker(pytest.mark.tmux)


@pytest.fixture
def room(tmux_socket, tmp_path):
    """ClawTap runs in it."""
    room = Room(tmux_socket, tmp_path)
    room.open()
    yield room
    room.close()


@pytest.fixture
def empty_room(tmux_socket, tmp_path):
    """ClawTap is not opened yet."""
    room = Room(tmux_socket, tmp_path)
    yield room
    room.close()
