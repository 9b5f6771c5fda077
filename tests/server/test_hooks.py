"""The route of the hooks: who may report, limits, and a reply when there is one."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

import pytest
from served_process import TOKEN

from clawtap_core.errors import BadRequest, TooManyRequests
from clawtap_core.model import HookCall
from clawtap_core.server.app import create_app
from clawtap_core.server.connections import PRIVATE, SOCKET
from clawtap_core.server.hook_receiver import (
    LIMIT,
    HookReceiver,
    RateLimiter,
    client_disconnected,
)

BEARER = {"Authorization": f"Bearer {TOKEN}"}
OVER_THE_SOCKET = {PRIVATE: True}
PATH = "/api/hooks/demo/Ask"


class Sink:
    """Takes what hooks tell."""

    def __init__(self) -> None:
        self.calls: list[HookCall] = []
        self.answer: dict[str, Any] | None = None

    def report(self, call: HookCall, gone: Any) -> dict[str, Any] | None:
        if call.adapter == "nobody":
            raise BadRequest("no such adapter", code="unknown_adapter")
        self.calls.append(call)
        return self.answer


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def hooked(fake: Any, settings: Any, devices: Any, sink: Sink) -> Any:
    receiver = HookReceiver(sink, RateLimiter(often=5, seconds=60))
    return create_app(fake.for_actor, settings, devices=devices, hooks=receiver).test_client()


def test_a_hook_is_reported_with_where_it_ran(hooked, sink):
    where = {"X-ClawTap-Pane": "%3", "X-ClawTap-Tmux": "42", "X-ClawTap-Process": "7"}
    reply = hooked.post(PATH, json={"a": 1}, headers={**BEARER, **where})
    assert (reply.status_code, reply.data) == (204, b"")
    assert sink.calls == [HookCall("demo", "Ask", {"a": 1}, "%3", "42", 7)]


def test_what_a_hook_returns_comes_as_it_is(hooked, sink):
    sink.answer = {"decision": {"behavior": "allow"}}
    reply = hooked.post(PATH, json={}, headers=BEARER)
    assert (reply.status_code, reply.get_json()) == (200, sink.answer)


@pytest.mark.parametrize("header", [None, "Bearer x", "Bearer the-owner-toke", "Bearer é"])
def test_over_tcp_a_token_is_needed(hooked, sink, header):
    headers = {"Authorization": header, "X-ClawTap-Private": "1"} if header else {}
    assert hooked.post(PATH, json={}, headers=headers).status_code == 401
    assert sink.calls == []


@pytest.mark.parametrize("path", [PATH, "/api/hooks/demo/before-tool"])
def test_over_the_private_socket_no_token_is_needed(hooked, sink, path):
    assert hooked.post(path, json={}, environ_base=OVER_THE_SOCKET).status_code == 204
    assert [call.event for call in sink.calls] == [path.rpartition("/")[2]]


@pytest.mark.parametrize("path", ["/api/sessions", "/api/openapi.json", "/api/hooks/demo/Ask"])
def test_the_private_socket_opens_nothing_else(hooked, path):
    reply = hooked.get(path, environ_base=OVER_THE_SOCKET)
    assert reply.status_code in (401, 405)


def test_a_server_without_a_receiver_has_no_hooks(fake, settings, devices):
    app = create_app(fake.for_actor, settings, devices=devices)
    assert app.test_client().post(PATH, json={}, headers=BEARER).status_code == 404


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"a": "\\u0000"}', b'{"a": "\\ud800"}'])
def test_what_is_no_payload_is_refused(hooked, sink, body):
    reply = hooked.post(PATH, data=body, content_type="application/json", headers=BEARER)
    assert reply.status_code == 400
    assert sink.calls == []


def test_a_payload_may_hold_a_large_file_but_not_any(hooked, sink):
    large = {"content": "x" * (4 * 1024 * 1024)}
    assert hooked.post(PATH, json=large, headers=BEARER).status_code == 204
    larger = b'{"content": "' + b"x" * LIMIT + b'"}'
    reply = hooked.post(PATH, data=larger, content_type="application/json", headers=BEARER)
    assert reply.status_code == 413
    assert len(sink.calls) == 1


def test_a_missing_adapter_is_reported(hooked, code):
    reply = hooked.post("/api/hooks/nobody/Ask", json={}, headers=BEARER)
    assert (reply.status_code, code(reply)) == (400, "unknown_adapter")


def test_reporting_too_often_is_refused_for_a_while(hooked, code):
    replies = [hooked.post(PATH, json={}, headers=BEARER) for _ in range(6)]
    assert [reply.status_code for reply in replies] == [204] * 5 + [429]
    assert code(replies[-1]) == "too_many_hooks"


def test_the_pace_is_that_of_the_last_seconds():
    now = [0.0]
    pace = RateLimiter(often=2, seconds=10, clock=lambda: now[0])
    taken = []
    for moment in (0.0, 5.0, 9.9, 10.0, 14.9, 15.0):
        now[0] = moment
        with suppress(TooManyRequests):
            pace.count()
            taken.append(moment)
    assert taken == [0.0, 5.0, 10.0, 15.0]


def test_who_hangs_up_is_seen_to():
    ours, theirs = socket.socketpair()
    gone = client_disconnected({SOCKET: ours})
    assert not gone()
    theirs.close()
    assert gone()
    ours.close()
    assert gone()
    assert not client_disconnected({})()
