"""`clawtap serve` from its first line to its end, and the client that speaks to it."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from gevent import pywsgi
from patience import at_best, until
from served_process import FAKE_SERVE, TOKEN, Served, StartServer, until_closed

from clawtap_core.client import HttpTransport
from clawtap_core.config import Settings
from clawtap_core.errors import Conflict, NotFound, Unauthorized, Unavailable
from clawtap_core.model import Effect, LaunchRequest, Response, Sent
from clawtap_core.server.connections import Connections
from clawtap_core.server.listener import listen
from clawtap_core.server.wsgi_server import Server
from clawtap_core.transport import Transport

pytestmark = pytest.mark.process

REQUEST = (
    "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=me -addext subjectAltName=IP:127.0.0.1"
)


def test_one_line_shows_the_url_and_no_secret(served: Served) -> None:
    assert served.line.startswith("ClawTap listens on http://127.0.0.1:")
    assert "pair" not in served.line
    assert requests.get(f"{served.url}/healthz", timeout=60).json()["ok"] is True


def test_other_programs_find_the_server_by_a_private_file(served: Served) -> None:
    path = served.data / "server.json"
    assert json.loads(path.read_text()) == {"url": served.url, "pid": served.process.pid}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_client_sees_events_as_they_come_and_what_it_missed(served: Served) -> None:
    watcher, sender = served.transport(), served.transport()
    events = watcher.events()
    snapshot = next(event for event in events if event)
    epoch, _, seq = snapshot.data["cursor"].rpartition("-")
    sender.message("s1", "one")
    first = next(event for event in events if event)
    assert (first.type, first.data["text"], first.seq) == ("message", "one", int(seq) + 1)
    events.close()  # type: ignore[attr-defined]
    sender.message("s1", "two")
    again = watcher.events(f"{epoch}-{first.seq}")
    assert next(event for event in again if event).data["text"] == "two"
    again.close()  # type: ignore[attr-defined]


def test_small_replies_do_not_wait_for_each_other() -> None:
    with listen(Settings(port=0)) as listener:
        assert listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_silence_is_reported_as_none(served: Served) -> None:
    events = served.transport().events()
    assert any(event is None for event in events)
    events.close()  # type: ignore[attr-defined]


def test_a_client_that_vanishes_frees_its_iterator(served: Served) -> None:
    transport = served.transport()
    until(lambda: transport.folders()[0].path == "readers: 0")
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as client:
        head = f"GET /api/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        client.sendall(head.encode())
        assert b"200 OK" in client.recv(100)
        until(lambda: transport.folders()[0].path != "readers: 0")
    until(lambda: transport.folders()[0].path == "readers: 0")


def test_http_is_a_whole_transport(served: Served) -> None:
    far: Transport = served.transport()
    assert far.adapters()[0].info.id == "demo"
    assert far.plugins()[0].status == "loaded"
    assert far.panes()[0].pane == "%7"
    assert far.session("s1") == far.sessions()[0]
    assert far.start(LaunchRequest("demo", "/tmp")).cwd == "/tmp"
    assert far.adopt("%5").pane == "%5"
    assert far.rename("s1", "other").title == "other"
    far.end("s1")
    assert far.message("s1", "x") == Sent("sent")
    assert far.queue("s1") == []
    prompt = far.pending("s1")[0]
    assert prompt == far.pending()[0] == far.prompt("call-1")
    assert prompt.form.options[0].effect is Effect.ALLOW_ONCE
    assert far.expand("s1", "r1") == prompt
    screen = far.screen("s1")
    assert screen.captured == ("\x1b[31mred\x1b[0m & <b>",)
    assert far.keys("s1", 0, keys=["Enter"]).revision == 1
    assert far.keys("s1", 0, text="x").revision == 1
    assert far.interrupt("s1").id == "s1"
    assert far.permission_mode("s1", "plan").mode == "plan"
    assert far.model("s1", "pro").model == "pro"
    assert far.journal(limit=5).last >= 1
    assert far.snapshot().sessions[0].id == "s1"
    answered = far.respond("s1", Response("r1", "yes"))
    assert answered.resolution
    assert answered.resolution.device == "local"


def test_errors_come_back_as_what_they_were(served: Served) -> None:
    far = served.transport()
    with pytest.raises(NotFound, match="no such session") as caught:
        far.session("s9?x#y")
    assert caught.value.code == "session_not_found"
    far_question = Response("r2", answers={"0": "Red"})
    far.respond("s1", far_question)
    with pytest.raises(Conflict) as late:
        far.respond("s1", far_question)
    assert late.value.details == {"device": "local"}
    with pytest.raises(Unauthorized):
        HttpTransport(served.url, "wrong").sessions()
    with pytest.raises(Unauthorized):
        next(HttpTransport(served.url, "wrong").events())


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_within_3_s_open_streams_and_all(
    start_server: StartServer, sign: int
) -> None:
    def ended() -> float:
        served = start_server()
        events = served.transport().events()
        assert next(events)
        status, seconds, said = served.end(sign)
        assert (status, said) == (0, "")
        assert not (served.data / "server.json").exists()
        assert all(event is None for event in events)
        return seconds

    assert at_best(3, ended) < 3


def test_a_port_in_use_is_explained(served: Served, start_server: StartServer) -> None:
    second = start_server(port=served.port)
    _, said = second.process.communicate(timeout=60)
    assert second.process.returncode == 2
    assert "in use by another program" in said
    assert "--port" in said
    assert not (second.data / "server.json").exists()


def test_the_access_log_is_off_by_default_and_never_holds_a_query(
    start_server: StartServer,
) -> None:
    for level, expected in (("info", False), ("debug", True)):
        served = start_server(log_level=level)
        served.transport().sessions()
        requests.get(f"{served.url}/api/sessions?token=very-secret", timeout=60)
        with served.connected() as connection:
            connection.sendall(b"GET /\x1b]0;owned\x07\x9b2J HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert until_closed(connection)
        for line in (b"GET /?token=very-secret two HTTP/1.1", b"GET /?token=very-secret HTTP/9.9"):
            with served.connected() as connection:
                connection.sendall(line + b"\r\n\r\n")
                assert b" 400 " in until_closed(connection)
        said = served.end()[2]
        assert ('"GET /api/sessions HTTP/1.1" 200' in said) is expected
        assert ("⟦U+001B⟧]0;owned⟦U+0007⟧⟦U+009B⟧2J" in said) is expected
        assert not re.search("[\x07\x1b\x80-\x9f]", said)
        assert "secret" not in said
        assert TOKEN not in said


@pytest.fixture
def certificate(tmp_path: Path) -> dict[str, str]:
    """The settings of a certificate for loopback."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("needs openssl to make a certificate")
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    subprocess.run(
        [openssl, *REQUEST.split(), "-keyout", key, "-out", cert], check=True, capture_output=True
    )
    return {"tls_cert": cert, "tls_key": key}


def test_tls_is_spoken_with_a_certificate(
    start_server: StartServer, certificate: dict[str, str]
) -> None:
    served = start_server(**certificate)
    assert served.url.startswith("https://127.0.0.1:")
    assert served.transport(verify=certificate["tls_cert"]).sessions()[0].id == "s1"
    with pytest.raises(Unavailable):
        served.transport().sessions()


@pytest.mark.parametrize("path", ["/healthz", "/api/events"])
def test_a_browser_that_hangs_up_leaves_no_traceback(
    path: str, start_server: StartServer, certificate: dict[str, str]
) -> None:
    served = start_server(**certificate)
    context = ssl.create_default_context(cafile=certificate["tls_cert"])
    port = served.port
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    for _ in range(5):
        with context.wrap_socket(
            socket.create_connection(("127.0.0.1", port)), server_hostname="127.0.0.1"
        ) as browser:
            browser.sendall(request.encode())
            if path == "/api/events":
                browser.recv(1)
    # The others are served while those are noticed.
    transport = served.transport(verify=certificate["tls_cert"])
    until(lambda: transport.folders()[0].path == "readers: 0")
    _, _, said = served.end()
    assert "Traceback" not in said, said


def test_a_certificate_that_is_none_is_explained(start_server: StartServer, tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("no certificate")
    path = str(tmp_path / "cert.pem")
    served = start_server(tls_cert=path, tls_key=path)
    _, said = served.process.communicate(timeout=60)
    assert served.process.returncode == 2
    assert "cannot be used" in said


def test_a_terminal_gets_a_pairing_link_and_how_to_bring_a_phone(tmp_path: Path) -> None:
    fields = {"port": 0, "token": TOKEN, "data_dir": str(tmp_path / "data")}
    outer, inner = pty.openpty()
    process = subprocess.Popen([sys.executable, str(FAKE_SERVE), json.dumps(fields)], stdout=inner)
    os.close(inner)
    try:
        shown = b""
        while shown.count(b"\n") < 2:
            shown += os.read(outer, 4096)
        first, phone = shown.decode().splitlines()[:2]
        url, _, code = first.rpartition("/login#pair=")
        answer = requests.post(
            f"{url.split()[-1]}/api/login", json={"code": code, "name": "phone"}, timeout=5
        )
        assert answer.json()["device"]["name"] == "phone"
        # No phone can open an address of loopback.
        assert phone.startswith("Phone: ")
        assert "▄" not in shown.decode()
        assert TOKEN not in shown.decode()
    finally:
        process.terminate()
        process.wait(60)
        os.close(outer)


def test_a_terminal_shows_the_qr_code_once_tailscale_serves_us(tmp_path: Path) -> None:
    served = tmp_path / "served.json"
    served.write_text("{}")
    tailscale = tmp_path / "tailscale"
    status = '{"BackendState": "Running", "Self": {"DNSName": "desk.tail1.ts.net."}}'
    tailscale.write_text(
        f"#!/bin/sh\n[ $1 = serve ] && exec cat {served}\necho '{status}'\n", encoding="utf-8"
    )
    tailscale.chmod(0o755)
    fields = {"port": 0, "token": TOKEN, "data_dir": str(tmp_path / "data")}
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(FAKE_SERVE), json.dumps(fields)],
        stdout=inner,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    os.close(inner)
    shown = b""
    try:
        while not (advised := re.search(rb"Run `tailscale serve --bg (\d+)`", shown)):
            shown += os.read(outer, 4096)
        handlers = {"/": {"Proxy": f"http://127.0.0.1:{int(advised[1])}"}}
        web = {"desk.tail1.ts.net:443": {"Handlers": handlers}}
        served.write_text(json.dumps({"Web": web}))
        while not re.search(rb"open https://desk.tail1.ts.net\s+and\s+type\s+\S+\s", shown):
            shown += os.read(outer, 4096)
        while "▄" not in shown.decode(errors="ignore"):
            shown += os.read(outer, 4096)
    finally:
        process.terminate()
        process.wait(60)
        os.close(outer)


def test_the_start_waits_for_no_dns(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(_: str) -> str:
        pytest.fail("the name of the address was looked up")

    monkeypatch.setattr(pywsgi.socket, "getfqdn", look_up)
    server = Server(("127.0.0.1", 0), None, connections=Connections())
    server.init_socket()
    server.close()
    assert server.environ["SERVER_NAME"] == "localhost"
