"""The HTTP server of a CLI: lines go as requests, and come as replies and events."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from clawtap_core.errors import Conflict, NotConfirmed, Unavailable
from clawtap_core.model import HttpServer
from clawtap_core.protocol import http_wire
from clawtap_core.protocol.http_wire import HttpWire
from clawtap_core.protocol_io.json_lines import json_line

pytestmark = pytest.mark.process


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.heard.append((self.path, self.headers.get("Authorization")))
        if self.path == "/event" and not server.refuses:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for chunk in server.events:
                self.wfile.write(chunk)
                self.wfile.flush()
            server.over.wait(60)
            self.close_connection = True
        elif self.path == "/moved":
            self.say(302, b"", Location=f"http://127.0.0.1:{server.server_port}/list")
        elif self.path == "/mute":
            server.over.wait(60)
        else:
            self.say(*server.replies.get(self.path, (404, b"no such thing")))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append((self.path, json.loads(body)))
        self.say(200, b"true")

    def say(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *about):
        pass


@pytest.fixture
def server():
    """An HTTP server; it sends its `events` and then keeps the stream open."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.events, server.replies, server.heard = [], {}, []
    server.refuses, server.over = False, threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join(60)


@pytest.fixture
def join(server):
    """Joins the server; what came from it as lines, once there are so many."""
    wires = []

    def join(**more):
        lines, changed = [], threading.Condition()

        def received(data):
            with changed:
                lines.append(json.loads(data) if data else None)
                changed.notify_all()

        def wait(count):
            with changed:
                assert changed.wait_for(lambda: len(lines) >= count, 20), lines
                return list(lines)

        wire = HttpWire(HttpServer("/event", server.server_port, **more))
        wires.append(wire)
        wire.start(received)
        return wire, wait

    yield join
    for wire in wires:
        wire.close()


def ask(wire, method, number=1, **params):
    return wire.write(json_line({"id": number, "method": method, "params": params}))


def test_events_come_as_notifications(server, join):
    server.events = [
        b": welcome\n\nda",
        b'ta: {"type":\ndata: "one"}\n\n',
        b"event: named\r\ndata: {}\r\n\r\ndata: not JSON\n\nid: 7\n\n",
    ]
    _, wait = join()
    assert wait(3) == [
        {"method": "message", "params": {"type": "one"}},
        {"method": "named", "params": {}},
        {"method": "message", "params": "not JSON"},
    ]


def test_requests_are_answered_one_after_another(server, join):
    server.replies["/list"] = (200, b"[1, 2]")
    wire, wait = join()
    ask(wire, "GET /list", 1).result(60)
    ask(wire, "POST /reply", 2, reply="once").result(60)
    assert wait(2) == [
        {"id": 1, "result": {"body": [1, 2]}},
        {"id": 2, "result": {"body": True}},
    ]
    assert server.heard[-1] == ("/reply", {"reply": "once"})


def test_the_password_goes_with_each_request_and_is_in_no_text(server, join):
    server.replies["/list"] = (200, b"[]")
    wire, wait = join(user="me", password="sesame")
    ask(wire, "GET /list").result(60)
    wait(1)
    assert [login for _, login in server.heard] == ["Basic bWU6c2VzYW1l"] * 2
    assert "sesame" not in repr(HttpServer("/event", 1, "me", "sesame"))


@pytest.mark.parametrize("path", ["/nothing", "/moved", "/text", "/deep", "/large"])
def test_a_status_a_redirect_and_what_is_no_json_are_errors(server, join, monkeypatch, path):
    monkeypatch.setattr(http_wire, "LARGEST", 10_000)
    server.replies.update(
        {
            "/text": (200, b"<html>"),
            "/deep": (200, b"[" * 9000),
            "/large": (200, b"1" * 10_001),
            "/list": (200, b"[]"),
        }
    )
    wire, wait = join()
    ask(wire, f"GET {path}").result(60)
    (reply,) = wait(1)
    assert reply["error"]["message"]
    # A redirect is not followed.
    assert [heard for heard, _ in server.heard] == ["/event", path]


def test_a_server_that_does_not_reply_in_time_may_have_taken_a_request(server, join, monkeypatch):
    monkeypatch.setattr(http_wire, "SECONDS", 0.2)
    wire, _ = join()
    with pytest.raises(NotConfirmed):
        ask(wire, "GET /mute").result(60)


def test_a_server_that_is_gone_took_nothing(server, join):
    wire, wait = join()
    server.shutdown()
    server.server_close()
    with pytest.raises(Conflict):
        ask(wire, "POST /reply").result(60)
    server.over.set()
    assert wait(1)[-1] is None
    with pytest.raises(Conflict):
        ask(wire, "POST /reply").result(60)


def test_an_endless_event_ends_the_stream(server, join, monkeypatch):
    monkeypatch.setattr(http_wire, "LARGEST", 10_000)
    server.events = [b"data: " + b"x" * 6_000 + b"\n"] * 2
    _, wait = join()
    assert wait(1) == [None]


@pytest.mark.parametrize("method", ["DELETE /all", "GET list", "GET /a b", "GET /\r\nX: y", 7])
def test_what_is_no_request_is_not_sent(server, join, method):
    wire, _ = join()
    with pytest.raises(Conflict):
        ask(wire, method).result(60)
    assert [heard for heard, _ in server.heard] == ["/event"]


def test_a_server_without_events_is_an_error_with_a_sentence(server):
    server.refuses = True
    with pytest.raises(Unavailable, match=r"has no events at port .*: status 404"):
        HttpWire(HttpServer("/event", server.server_port))
    with pytest.raises(Unavailable):
        HttpWire(HttpServer("/event"))


def test_closing_ends_the_stream(server, join):
    wire, wait = join()
    wire.close()
    assert wait(1) == [None]
