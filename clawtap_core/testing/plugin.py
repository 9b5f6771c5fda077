"""The pytest plugin that comes with ClawTap: fixtures for authors of adapters and for us.

Every pytest run with ClawTap installed loads it, so it imports nothing of the core before a fixture
is used (coverage would miss what is imported too early).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from clawtap_core.host import Host
    from clawtap_core.testing.server_process import Served

# Without this a failing check of the contract says only "AssertionError".
pytest.register_assert_rewrite("clawtap_core.testing.contract")


@pytest.fixture
def clawtap_host() -> Host:
    """Return an empty plugin host: `clawtap_host.add(plugin, "name")`."""
    from clawtap_core.host import Host

    return Host()


@pytest.fixture
def tmux_socket() -> Iterator[str]:
    """Yield the name of a private tmux socket, and end its server after the test."""
    from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

    name = SOCKET_PREFIX + uuid.uuid4().hex[:8]
    yield name
    end_server(name)


@pytest.fixture
def free_port() -> int:
    """Return an unused port on loopback."""
    from clawtap_core.testing.server_process import free_port

    return free_port()


@pytest.fixture
def isolated_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty HOME, in an environment without ClawTap, tmux or XDG variables."""
    import os

    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in list(os.environ):
        if name.startswith(("CLAWTAP_", "CODETAP_", "XDG_", "TMUX")):
            monkeypatch.delenv(name)
    return home


@pytest.fixture
def clawtap_served(tmp_path: Path, tmux_socket: str) -> Iterator[Callable[..., Served]]:
    """Yield a function that starts `clawtap serve` on the test's tmux socket."""
    from clawtap_core.testing.server_process import Served

    started: list[Served] = []

    def serve(**more: Any) -> Served:
        folder = tmp_path / f"served-{len(started)}"
        folder.mkdir()
        started.append(Served(folder, **{"tmux_socket": tmux_socket, **more}))
        return started[-1].start()

    yield serve
    for server in started:
        server.stop()


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Fail a test that leaves threads, child processes or tmux servers behind."""
    from clawtap_core.testing.leaks import Running, left_behind

    before = Running.now()
    yield
    if found := left_behind(before):
        pytest.fail("; ".join(found))
