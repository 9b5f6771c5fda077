"""The fixtures give what is the test's own, and notice what is left behind."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.host import Host
from clawtap_core.testing import Client, Served
from clawtap_core.testing.api_client import parse
from clawtap_core.testing.leaks import SOCKET_PREFIX, Running, end_server, tmux_folder

pytestmark = pytest.mark.process


def test_the_host_is_empty(clawtap_host: Host, mycli: Any) -> None:
    assert clawtap_host.adapters == []
    assert clawtap_host.add(mycli, "mycli").status == "loaded"


def test_home_is_empty_and_the_environment_clean(isolated_home: Path) -> None:
    assert list(isolated_home.iterdir()) == []
    assert Path.home() == isolated_home
    assert not [name for name in os.environ if name.startswith(("CLAWTAP_", "XDG_", "TMUX"))]


def test_a_free_port_can_be_taken(free_port: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", free_port), BaseHTTPRequestHandler)
    assert server.server_port == free_port
    server.server_close()


@pytest.mark.tmux
def test_a_tmux_server_left_behind_is_noticed(tmux_socket: str) -> None:
    before = Running.now()
    command = ("tmux", "-L", tmux_socket, "-f", os.devnull, "new-session", "-d", "sleep 60")
    subprocess.run(command, check=True)
    assert f"tmux server {tmux_socket!r} runs on" in Running.now().since(before)
    end_server(tmux_socket)
    assert Running.now().since(before) == []
    assert tmux_socket.startswith(SOCKET_PREFIX)


def test_the_socket_of_a_server_that_has_ended_is_no_leak_and_is_removed(tmux_socket: str) -> None:
    tmux_folder().mkdir(mode=0o700, exist_ok=True)
    path, before = tmux_folder() / tmux_socket, Running.now()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert f"tmux server {tmux_socket!r} runs on" in Running.now().since(before)
    assert Running.now().since(before) == []
    end_server(tmux_socket)
    assert not path.exists()


def test_a_thread_and_a_process_left_behind_are_noticed() -> None:
    before, go = Running.now(), threading.Event()
    thread = threading.Thread(target=go.wait, name="forgotten")
    thread.start()
    process = subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE)
    found = " ".join(Running.now().since(before))
    process.communicate(b"\n")
    go.set()
    thread.join()
    assert "thread 'forgotten' runs on" in found
    assert f"process {process.pid} " in found
    assert Running.now().since(before) == []


def test_the_plugin_loads_nothing_early() -> None:
    program = "import sys, clawtap_core.testing.plugin as p; print('\\n'.join(sys.modules))"
    command = (sys.executable, "-c", program)
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    heavy = {"flask", "gevent", "hypothesis", "requests", "clawtap_core.host"}
    assert not heavy & set(loaded)


def test_a_server_that_does_not_start_shows_its_output(tmp_path: Path) -> None:
    program = (sys.executable, "-c", "raise SystemExit('no such thing')")
    served = Served(tmp_path, tmux_socket="none", command=program)
    with pytest.raises(AssertionError, match="no such thing"):
        served.start()


def test_events_are_parsed_as_they_stand_on_the_wire() -> None:
    lines = ["id: e-1", "event: done", 'data: {"a":', "data: 1}", "", ": ping", "", "data: 2", ""]
    first, second = parse(lines)
    assert (first.type, first.data, first.id) == ("done", {"a": 1}, "e-1")
    assert (second.type, second.data, second.id) == ("message", 2, None)


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send_response(200)
        kind = "text/event-stream" if self.path == "/api/events" else "application/json"
        self.send_header("Content-Type", kind)
        self.end_headers()
        if self.path == "/api/events":
            self.wfile.write(b"event: snapshot\ndata: {}\n\n")
            self.wfile.flush()
            self.server.go.wait(60)  # type: ignore[attr-defined]
        else:
            said = {"auth": self.headers["Authorization"]}
            self.wfile.write(json.dumps(said).encode())


@pytest.fixture
def url() -> Any:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.go = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.go.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_client_sends_its_token(url: str) -> None:
    assert Client(url, "abc").get("/x").body == {"auth": "Bearer abc"}


def test_the_stream_is_read_while_it_is_open_and_closed_at_once(url: str) -> None:
    events = Client(url, "abc").events()
    assert events.wait("snapshot").data == {}
    with pytest.raises(AssertionError, match=r"no done within 0.1 s; came: snapshot"):
        events.wait("done", seconds=0.1)
    events.close()
    assert not events.open
