"""Servers of a fleet, each a process of its own: machines and hubs."""

from __future__ import annotations

import pytest
from forked_server import ForkedServed

from clawtap_core.config import Settings
from clawtap_core.fleet.key_file import write_key
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server
from clawtap_core.testing.server_process import TOKEN


@pytest.fixture
def serve(nursery, tmp_path, fleet_key):
    """Starts servers of the fleet: serve("desk"), serve("hub", command="hub").

    One with `away` seconds counts as away this long after it is gone without a word.
    """
    started = []

    def start(name, *, command="serve", token=TOKEN, away=None):
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True, mode=0o700)
        write_key(Settings(data_dir=folder / "data").fleet_key, fleet_key)
        one = ForkedServed(
            nursery,
            folder,
            tmux_socket=f"{SOCKET_PREFIX}{name}" if command == "serve" else None,
            arguments=("--machine-name", name),
            subcommand=command,
            token=token,
            fleet_timings={"away": away, "renewal": away / 4} if away else None,
        )
        started.append((name, one))
        return one.start()

    yield start
    for name, one in started:
        one.stop()
        end_server(f"{SOCKET_PREFIX}{name}")


def ask(served, folder):
    """A demo session that asks for a permission."""
    args = ["--show", "permission", "--delay", "0"]
    body = {"adapter": "demo", "cwd": str(folder), "args": args}
    session = served.client.post("/api/sessions", body)
    assert session.status == 201, session.body
    return session.body["id"]


def prompt_of(served, session_id):
    """The open prompt of a session, as this server sees it."""
    waiting = served.client.get("/api/pending").body
    return next((one for one in waiting if one["sessionId"] == session_id), None)
