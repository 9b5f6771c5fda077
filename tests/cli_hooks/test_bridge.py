"""The bridge carries a hook to the server, and costs nothing where there is none."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from clawtap_core.cli_hooks import endpoint as doors
from clawtap_core.cli_hooks.bridge import bridge_path, write_bridge

pytestmark = pytest.mark.process

PAYLOAD = b'{"session_id": "s", "text": "\xc3\xa4 \'quoted\' $HOME"}'
ENV = {"PATH": os.environ["PATH"], "TMUX_PANE": "%7", "TMUX": "/tmp/tmux-0/default,4242,0"}
OPENSSL = shutil.which("openssl")
WAYS = [
    pytest.param(True, marks=pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")),
    False,
]


class Server:
    """What the bridge reaches: keeps what it is told, and answers."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
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

        self.http = HTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            self.http.socket = tls.wrap_socket(self.http.socket, server_side=True)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def port(self) -> int:
        return int(self.http.server_address[1])

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(5)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def run(data: Path, *words: str, env: dict[str, str] = ENV) -> subprocess.CompletedProcess[bytes]:
    command = (str(bridge_path(data)), *words)
    return subprocess.run(command, input=PAYLOAD, capture_output=True, env=env, timeout=20)


def quiet(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("curl", WAYS)
@pytest.mark.parametrize("more", [(), ("wait",)])
def test_a_hook_is_told_and_answered(tmp_path, server, curl, more):
    with doors.opened(tmp_path, doors.door("127.0.0.1", server.port)):
        write_bridge(tmp_path, look=curl)
        done = run(tmp_path, "cli", "Stop", *more)
    assert (done.returncode, done.stdout, done.stderr) == (0, server.answer, b"")
    ((path, headers, body),) = server.calls
    assert (path, body) == ("/api/hooks/cli/Stop", PAYLOAD)
    assert headers["Authorization"] == f"Bearer {doors.secret(tmp_path)}"
    assert (headers["X-ClawTap-Pane"], headers["X-ClawTap-Tmux"]) == ("%7", "4242")
    assert headers["X-ClawTap-Process"] == str(os.getpid())
    assert headers["Host"] == f"127.0.0.1:{server.port}"
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("curl", WAYS)
@pytest.mark.parametrize("status", [204, 401, 413, 500])
def test_what_is_no_answer_prints_nothing(tmp_path, server, curl, status):
    server.status, server.answer = status, b"" if status == 204 else b'{"error": "no"}'
    with doors.opened(tmp_path, doors.door("127.0.0.1", server.port)):
        write_bridge(tmp_path, look=curl)
        assert quiet(run(tmp_path, "cli", "Stop"))


@pytest.mark.parametrize("env", [{}, {"TMUX_PANE": "%1\r\nX: y", "TMUX": "a,b c,d"}])
def test_a_pane_that_is_none_is_not_told(tmp_path, server, env):
    with doors.opened(tmp_path, doors.door("127.0.0.1", server.port)):
        run(tmp_path, "cli", "Stop", env={"PATH": os.environ["PATH"], **env})
    headers = server.calls[0][1]
    assert not headers.get("X-ClawTap-Pane", "")
    assert not headers.get("X-ClawTap-Tmux", "")
    assert "X" not in headers


def test_without_a_server_nothing_is_started(tmp_path):
    write_bridge(tmp_path)
    began = time.monotonic()
    for _ in range(20):
        assert quiet(run(tmp_path, "cli", "Stop"))
    assert (time.monotonic() - began) / 20 < 0.05


def test_who_writes_much_to_a_hook_that_nobody_wants_is_not_cut_off(tmp_path):
    write_bridge(tmp_path)
    command = (str(bridge_path(tmp_path)), "cli", "Stop")
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=ENV) as process:
        assert process.stdin
        process.stdin.write(b"x" * 1_000_000)
        process.stdin.close()
    assert process.returncode == 0


def test_a_server_that_died_is_known_to_be_gone(tmp_path):
    dead = subprocess.Popen(("true",))
    dead.wait()
    with doors.opened(tmp_path, doors.door("127.0.0.1", 9)):
        (tmp_path / "hooks" / "server").write_text(f"{dead.pid} http://127.0.0.1:9/api/hooks\n")
        assert quiet(run(tmp_path, "cli", "Stop"))


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_a_cli_is_not_slowed_where_another_process_has_the_number_of_a_server_that_died(tmp_path):
    took = []
    with doors.opened(tmp_path, doors.door("127.0.0.1", 9)):
        for _ in range(10):
            began = time.monotonic()
            assert quiet(run(tmp_path, "cli", "Stop"))
            took.append(time.monotonic() - began)
    assert min(took) < 0.05


@pytest.mark.parametrize("curl", WAYS)
def test_a_server_that_does_not_listen_is_no_error(tmp_path, curl):
    with doors.opened(tmp_path, doors.door("127.0.0.1", 9)):
        write_bridge(tmp_path, look=curl)
        assert quiet(run(tmp_path, "cli", "Ask", "wait"))
    assert quiet(run(tmp_path, "cli", "Ask", "wait"))


def test_a_hook_that_the_cli_ends_hangs_up(tmp_path, server):
    server.delay = 10.0
    with doors.opened(tmp_path, doors.door("127.0.0.1", server.port)):
        process = subprocess.Popen(
            (str(bridge_path(tmp_path)), "cli", "Ask", "wait"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=ENV,
        )
        assert process.stdin
        process.stdin.write(PAYLOAD)
        process.stdin.close()
        end = time.monotonic() + 10
        while not server.calls:
            assert time.monotonic() < end
            time.sleep(0.01)
        process.terminate()
        assert server.client_disconnected.wait(5)
        assert process.wait(5) == 0
        assert process.stdout
        process.stdout.close()


@pytest.mark.skipif(not OPENSSL, reason="needs openssl to make a certificate")
@pytest.mark.parametrize("curl", WAYS)
@pytest.mark.parametrize("names", ["DNS:tap.example.net", "IP:127.0.0.1", "DNS:*.example.net"])
def test_over_tls_our_own_certificate_is_trusted_and_no_other(tmp_path, curl, names):
    cert, key = certificate(tmp_path / "mine", names)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)
    server = Server(tls)
    try:
        with doors.opened(tmp_path, doors.door("0.0.0.0", server.port, cert, key)):
            write_bridge(tmp_path, look=curl)
            assert run(tmp_path, "cli", "Stop").stdout == server.answer
            assert server.calls[0][1]["Host"] == f"127.0.0.1:{server.port}"
        other, other_key = certificate(tmp_path / "other", names)
        with doors.opened(tmp_path, doors.door("0.0.0.0", server.port, other, other_key)):
            write_bridge(tmp_path, look=curl)
            assert quiet(run(tmp_path, "cli", "Stop"))
    finally:
        server.close()
    assert len(server.calls) == 1


def certificate(folder: Path, names: str) -> tuple[Path, Path]:
    folder.mkdir()
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = f"{OPENSSL} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=tap"
    more = ("-addext", f"subjectAltName={names}", "-keyout", str(key), "-out", str(cert))
    subprocess.run((*command.split(), *more), check=True, capture_output=True)
    return cert, key


def test_the_secret_is_made_once_and_stands_in_no_arguments(tmp_path):
    first = doors.secret(tmp_path)
    assert first == doors.secret(tmp_path)
    assert len(first) > 40
    write_bridge(tmp_path)
    assert first not in bridge_path(tmp_path).read_text()
    with doors.opened(tmp_path, doors.door("::1", 1)):
        assert json.loads((tmp_path / "hooks" / "door.json").read_text())["host"] == "[::1]:1"
    assert not (tmp_path / "hooks" / "server").exists()
