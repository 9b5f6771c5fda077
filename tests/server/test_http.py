"""What comes over a connection: bodies, headers and requests that are none."""

from __future__ import annotations

import json
import socket

import pytest
import requests
from served_process import TOKEN, Served, StartServer, until_closed

pytestmark = pytest.mark.process


def test_a_huge_body_is_refused_without_being_read(served: Served) -> None:
    answer = requests.post(
        f"{served.url}/api/sessions/s1/message",
        data=b"x" * 3_000_000,
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        timeout=60,
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_a_body_in_chunks_is_limited_too(served: Served) -> None:
    answer = requests.post(
        f"{served.url}/api/sessions/s1/message",
        data=(b"x" * 65536 for _ in range(40)),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        timeout=60,
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("request_bytes", "status", "code"),
    [
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414, "too_large"),
        (b"GET\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1\r\nHost: localhost\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 400, "bad_request"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", 400, "bad_request"),
        (
            b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}",
            400,
            "bad_request",
        ),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400, "bad_request"),
        *(
            (
                b"POST / HTTP/1.1\r\nHost: localhost\r\n%b\r\n\r\n0\r\n\r\n" % headers,
                400,
                "bad_request",
            )
            for headers in (
                b"X: y\rTransfer-Encoding: chunked",
                b"Content-Length : 5",
                b"no header\r\nContent-Length: 5",
                b"X: y\r\n Content-Length: 5",
                b"X: y\0z",
                b"Content-Length: 0_5",
                b"Content-Length: +5",
                b"Content-Length: 5\r\nTransfer-Encoding: chunked",
            )
        ),
        (
            f"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
            "Connection: close\r\n\r\nzz\r\n".encode(),
            400,
            "bad_request",
        ),
    ],
    ids=[
        *("address", "line", "version", "half", "length", "headers", "header"),
        *("two lengths", "coding", "bare CR", "blank", "no colon", "folded", "NUL"),
        *("underscore", "sign", "length and chunks", "chunk"),
    ],
)
def test_what_is_no_http_gets_the_same_form_of_error(
    start_server: StartServer, request_bytes: bytes, status: int, code: str
) -> None:
    served = start_server()
    with served.connected() as line:
        line.sendall(request_bytes)
        head, _, body = until_closed(line).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"content-type: application/json" in head.lower()
    error = json.loads(body)
    assert error["code"] == code
    assert " " in error["error"]
    assert error["error"] != "bad request"
    assert "Traceback" not in served.end()[2]


def test_nothing_follows_the_headers_that_answer_head(served: Served) -> None:
    head = b"HEAD %b HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %b\r\n%b\r\n"
    with served.connected() as line:
        line.sendall(head % (b"/api/events", TOKEN.encode(), b""))
        line.sendall(head % (b"/healthz", TOKEN.encode(), b"Connection: close\r\n"))
        replies = until_closed(line).split(b"\r\n\r\n")
    assert [reply[:15] for reply in replies] == [b"HTTP/1.1 200 OK"] * 2 + [b""]


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        (b"http://localhost/healthz", b"localhost", 200),
        (b"HTTP://127.0.0.1:1?next=http://x", b"evil.example", 401),
        (b"http://evil.example/healthz", b"localhost", 403),
        (b"http://me@localhost/healthz", b"localhost", 403),
        (b"/healthz?to=http://evil.example/", b"localhost", 400),
    ],
    ids=["whole", "no path", "other host", "user", "query"],
)
def test_a_request_line_may_hold_the_whole_address_whose_host_then_counts(
    start_server: StartServer, target: bytes, host: bytes, status: int
) -> None:
    served = start_server()
    with served.connected() as line:
        line.sendall(b"GET %b HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n" % (target, host))
        assert until_closed(line).startswith(f"HTTP/1.1 {status} ".encode())


def test_hooks_need_no_token_on_the_private_socket_and_one_over_tcp(served: Served) -> None:
    _, path = (served.data / "hooks" / "server").read_text().split(maxsplit=1)
    report = b"POST /api/hooks/demo/Stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    other = b"GET /api/sessions HTTP/1.1\r\nHost: localhost\r\n\r\n"
    clients = [socket.socket(socket.AF_UNIX) for _ in range(5)]
    for client in clients:
        client.settimeout(20)
        client.connect(path.strip())
    for client in clients:
        client.sendall(report)
        assert client.recv(1000).startswith(b"HTTP/1.1 204")
        client.sendall(other)
        assert client.recv(1000).startswith(b"HTTP/1.1 401")
        client.close()
    url = f"{served.url}/api/hooks/demo/Stop"
    assert requests.post(url, timeout=60).status_code == 401
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert requests.post(url, timeout=60, headers=headers).status_code == 204


def test_idle_connections_on_the_private_socket_are_closed_for_new_ones(
    start_server: StartServer,
) -> None:
    served = start_server(descriptors=64)
    _, path = (served.data / "hooks" / "server").read_text().split(maxsplit=1)
    idle = [socket.socket(socket.AF_UNIX) for _ in range(60)]
    for client in idle:
        client.connect(path.strip())
    assert requests.get(f"{served.url}/healthz", timeout=60).json()["ok"] is True
    for client in idle:
        client.close()
