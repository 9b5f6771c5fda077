"""The bridge carries a hook to the server, and costs nothing where there is none."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer

import pytest
from patience import at_best

from clawtap_core.cli_hooks.bridge import bridge_path, write_bridge
from clawtap_core.cli_hooks.endpoint import listening
from clawtap_core.errors import Unavailable

pytestmark = pytest.mark.process

PAYLOAD = b'{"session_id": "s", "text": "\xc3\xa4 \'quoted\' $HOME"}'
ENV = {"PATH": os.environ["PATH"], "TMUX_PANE": "%7", "TMUX": "/tmp/tmux-0/default,4242,0"}
WAYS = [
    pytest.param(True, marks=pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")),
    False,
]


class Server:
    """What the bridge reaches: keeps what is reported, and answers."""

    def __init__(self, data: Path) -> None:
        self.calls: list[tuple[str, dict[str, str], bytes]] = []
        self.answer, self.status, self.delay = b'{"ok": 1}', 200, 0.0
        self.client_disconnected = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.calls.append((self.path, dict(self.headers), body))
                if outer.delay:
                    self.connection.settimeout(outer.delay)
                    try:
                        if not self.connection.recv(1):
                            outer.client_disconnected.set()
                            return
                    except TimeoutError:
                        pass
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(outer.answer)))
                self.end_headers()
                self.wfile.write(outer.answer)

            def log_message(self, *_: object) -> None:
                pass

        self.listening = listening(data)
        listener = self.listening.__enter__()
        self.path = Path(listener.getsockname())
        self.http = ThreadingUnixStreamServer(str(self.path), Handler, bind_and_activate=False)
        self.http.socket.close()
        self.http.socket = listener
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(60)
        self.listening.__exit__(None, None, None)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    server.close()


def run(data: Path, *words: str, env: dict[str, str] = ENV) -> subprocess.CompletedProcess[bytes]:
    command = (str(bridge_path(data)), *words)
    return subprocess.run(command, input=PAYLOAD, capture_output=True, env=env, timeout=60)


def quiet(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("curl", WAYS)
@pytest.mark.parametrize("more", [(), ("wait",)])
def test_a_hook_is_reported_and_answered(tmp_path, server, curl, more):
    write_bridge(tmp_path, look=curl)
    done = run(tmp_path, "cli", "Stop", *more)
    assert (done.returncode, done.stdout, done.stderr) == (0, server.answer, b"")
    ((path, headers, body),) = server.calls
    assert (path, body) == ("/api/hooks/cli/Stop", PAYLOAD)
    assert "Authorization" not in headers
    assert (headers["X-ClawTap-Pane"], headers["X-ClawTap-Tmux"]) == ("%7", "4242")
    assert headers["X-ClawTap-Process"] == str(os.getpid())
    assert headers["Host"] == "localhost"
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("curl", WAYS)
@pytest.mark.parametrize("status", [204, 401, 413, 500])
def test_what_is_no_answer_prints_nothing(tmp_path, server, curl, status):
    server.status, server.answer = status, b"" if status == 204 else b'{"error": "no"}'
    write_bridge(tmp_path, look=curl)
    assert quiet(run(tmp_path, "cli", "Stop"))


@pytest.mark.parametrize("env", [{}, {"TMUX_PANE": "%1\r\nX: y", "TMUX": "a,b c,d"}])
def test_a_pane_that_does_not_exist_is_not_reported(tmp_path, server, env):
    run(tmp_path, "cli", "Stop", env={"PATH": os.environ["PATH"], **env})
    headers = server.calls[0][1]
    assert not headers.get("X-ClawTap-Pane", "")
    assert not headers.get("X-ClawTap-Tmux", "")
    assert "X" not in headers


def test_without_a_server_nothing_is_started(tmp_path):
    write_bridge(tmp_path)

    def took() -> float:
        began = time.monotonic()
        assert quiet(run(tmp_path, "cli", "Stop"))
        return time.monotonic() - began

    assert at_best(0.05, took, tries=20) < 0.05


def test_who_writes_much_to_a_hook_that_nobody_wants_is_not_cut_off(tmp_path):
    write_bridge(tmp_path)
    command = (str(bridge_path(tmp_path)), "cli", "Stop")
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=ENV) as process:
        assert process.stdin
        process.stdin.write(b"x" * 1_000_000)
        process.stdin.close()
    assert process.returncode == 0


def test_a_server_that_died_is_known_to_be_gone(tmp_path, server):
    dead = subprocess.Popen(("true",))
    dead.wait()
    (tmp_path / "hooks" / "server").write_text(f"{dead.pid} {server.path}\n")
    assert quiet(run(tmp_path, "cli", "Stop"))
    assert server.calls == []


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_a_cli_is_not_slowed_where_another_process_has_the_number_of_a_server_that_died(tmp_path):
    def took() -> float:
        began = time.monotonic()
        assert quiet(run(tmp_path, "cli", "Stop"))
        return time.monotonic() - began

    with listening(tmp_path) as listener:
        listener.close()
        # Waiting for an answer would take seconds.
        assert at_best(0.5, took, tries=20) < 0.5


@pytest.mark.parametrize("curl", WAYS)
def test_a_server_that_does_not_listen_is_no_error(tmp_path, curl):
    with listening(tmp_path) as listener:
        listener.close()
        write_bridge(tmp_path, look=curl)
        assert quiet(run(tmp_path, "cli", "Ask", "wait"))
    assert quiet(run(tmp_path, "cli", "Ask", "wait"))


def test_a_hook_that_the_cli_ends_hangs_up(tmp_path, server):
    server.delay = 10.0
    process = subprocess.Popen(
        (str(bridge_path(tmp_path)), "cli", "Ask", "wait"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ENV,
    )
    assert process.stdin
    process.stdin.write(PAYLOAD)
    process.stdin.close()
    end = time.monotonic() + 60
    while not server.calls:
        assert time.monotonic() < end
        time.sleep(0.01)
    process.terminate()
    assert server.client_disconnected.wait(60)
    assert process.wait(60) == 0
    assert process.stdout
    process.stdout.close()


def test_the_socket_is_private_and_goes_with_the_server(tmp_path):
    with listening(tmp_path) as listener:
        path = Path(listener.getsockname())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not path.exists()
    assert not (tmp_path / "hooks" / "server").exists()


@pytest.mark.parametrize("curl", WAYS)
def test_a_data_folder_with_a_long_path_has_its_socket_elsewhere(tmp_path, curl):
    data = tmp_path / ("x" * 200)
    server = Server(data)
    try:
        write_bridge(data, look=curl)
        assert run(data, "cli", "Stop").stdout == server.answer
        assert not server.path.is_relative_to(tmp_path)
        assert server.path.parent.stat().st_uid == os.getuid()
        assert stat.S_IMODE(server.path.parent.stat().st_mode) == 0o700
        assert len(os.fsencode(server.path)) < 104
    finally:
        server.close()
    assert not server.path.parent.exists()


def test_the_socket_of_a_server_that_was_killed_is_replaced(tmp_path):
    with listening(tmp_path) as first:
        assert Path(first.getsockname()).exists()
        with listening(tmp_path) as second, socket.socket(socket.AF_UNIX) as client:
            client.connect(second.getsockname())
            assert second.accept()[0].close() is None


@pytest.mark.parametrize("name", ["hooks/socket", "hooks/bridge"])
def test_a_folder_in_the_place_of_the_socket_is_named(tmp_path, name):
    (tmp_path / "hooks").mkdir(mode=0o700)
    (tmp_path / name).mkdir()
    with pytest.raises(Unavailable, match=name), listening(tmp_path):
        pass


def test_a_socket_of_another_user_is_reported_nothing(tmp_path, server):
    """Such as one in /tmp, after the server was killed and its folder there was removed."""
    foreign = Path("/")
    if not os.getuid():
        foreign = server.path.rename(tmp_path / "foreign")
        os.chown(foreign, 65534, 65534)
    (tmp_path / "hooks" / "server").write_text(f"{os.getpid()} {foreign}\n")
    assert quiet(run(tmp_path, "cli", "Stop"))
    assert server.calls == []


def test_servers_with_folders_of_their_own_get_their_own_hooks_only(tmp_path):
    first, second = Server(tmp_path / "a"), Server(tmp_path / "b")
    try:
        run(tmp_path / "a", "cli", "Start")
        run(tmp_path / "b", "cli", "Stop")
        run(tmp_path / "b", "cli", "Stop")
    finally:
        first.close()
        second.close()
    assert [path for path, _, _ in first.calls] == ["/api/hooks/cli/Start"]
    assert [path for path, _, _ in second.calls] == ["/api/hooks/cli/Stop"] * 2


def test_a_bridge_of_an_earlier_version_is_replaced_and_its_secret_removed(tmp_path):
    old = ("secret", "door.json", "curl.conf", "bridge")
    (tmp_path / "hooks").mkdir(mode=0o700)
    for name in old:
        (tmp_path / "hooks" / name).write_text("old")
    server = Server(tmp_path)
    try:
        assert run(tmp_path, "cli", "Stop").stdout == server.answer
    finally:
        server.close()
    assert not any((tmp_path / "hooks" / name).exists() for name in old[:3])


def test_a_proxy_of_the_environment_gets_nothing(tmp_path, server):
    proxies = {"http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9"}
    assert run(tmp_path, "cli", "Stop", env={**ENV, **proxies}).stdout == server.answer
