"""What open connections cost: none may stop the server, none outlives its device's token."""

from __future__ import annotations

import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from patience import until
from served_process import TOKEN, Served, StartServer

from clawtap_core.server.connections import Connections, not_arrived

pytestmark = pytest.mark.process
Connect = Callable[..., socket.socket]
OWNER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def descriptors() -> int:
    return 0


@pytest.fixture
def served(start_server: StartServer, descriptors: int) -> Served:
    return start_server(descriptors=descriptors)


@pytest.fixture
def connected(served: Served) -> Iterator[Connect]:
    """Connects to the server, sends some bytes, and nothing more."""
    where = urlsplit(served.url)
    with ExitStack() as stack:

        def connect(data: bytes = b"") -> socket.socket:
            connection = socket.create_connection((where.hostname, where.port), 20)
            stack.enter_context(connection)
            connection.sendall(data)
            return connection

        yield connect


def closed_within(connection: socket.socket, seconds: float) -> bool:
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def new_device(served: Served, role: str = "owner") -> tuple[str, dict[str, str]]:
    body = {"name": "phone", "role": role}
    made = requests.post(f"{served.url}/api/devices", json=body, headers=OWNER, timeout=60).json()
    return made["device"]["id"], {"Authorization": f"Bearer {made['token']}"}


def revoke(served: Served, device: str) -> None:
    url = f"{served.url}/api/devices/{device}"
    assert requests.delete(url, headers=OWNER, timeout=60).status_code == 200


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n",
        b"POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 20\r\n\r\n{",
    ],
    ids=["nothing", "half-headers", "half-body"],
)
def test_a_request_that_does_not_arrive_is_not_waited_for(connected: Connect, data: bytes) -> None:
    connection = connected(data)
    assert closed_within(connection, 20)


def test_a_request_that_comes_in_drops_is_not_waited_for(connected: Connect) -> None:
    connection = connected(b"GET /healthz HTTP/1.1\r\n")
    ended = threading.Event()

    def drip() -> None:
        try:
            while not ended.wait(0.1):
                connection.sendall(b"X-A: b\r\n")
        except OSError:
            pass

    dripping = threading.Thread(target=drip)
    dripping.start()
    assert closed_within(connection, 20)
    ended.set()
    dripping.join()


def test_a_thousand_half_open_connections_do_not_stop_the_server(
    served: Served, connected: Connect
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        alone = answers_within(served)
        for _ in range(1000):
            connected()
        assert answers_within(served) < max(2, 20 * alone)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def answers_within(served: Served) -> float:
    began = time.monotonic()
    assert requests.get(f"{served.url}/healthz", timeout=60).ok
    return time.monotonic() - began


@pytest.mark.parametrize("descriptors", [64])
def test_few_descriptors_are_enough_for_those_who_ask(served: Served, connected: Connect) -> None:
    for _ in range(100):
        connected()
    assert requests.get(f"{served.url}/healthz", timeout=60).ok


def test_a_connection_that_is_served_is_never_chosen() -> None:
    now = 0.0
    connections = Connections(2, clock=lambda: now)
    first, second, third = (socket.socket() for _ in range(3))
    assert connections.admit(first, ("a", 1))
    assert connections.admit(second, ("b", 2))
    for address in (("a", 1), ("b", 2)):
        connections.expect(address, 10, lambda: True)
    assert not connections.admit(third, ("c", 3))
    connections.expect(("b", 2), 10, not_arrived)
    assert connections.admit(third, ("c", 3))
    for sock in (first, second, third):
        sock.close()


def test_a_request_that_came_and_was_not_read_yet_is_not_chosen() -> None:
    connections = Connections(most=2)
    with ExitStack() as stack:
        pairs = [socket.socketpair() for _ in range(3)]
        for pair in pairs:
            for end in pair:
                stack.enter_context(end)
        (asks, served), (_, idle), (_, new) = pairs
        asks.sendall(b"GET")
        assert connections.admit(served, ("asks",))
        assert connections.admit(idle, ("idle",))
        assert connections.admit(new, ("new",))
        assert idle.recv(1) == b""
        served.settimeout(20)
        assert served.recv(3) == b"GET"


@pytest.mark.parametrize("role", ["watch", "answer", "owner"])
def test_the_stream_of_a_revoked_device_ends_at_once(served: Served, role: str) -> None:
    device, token = new_device(served, role)
    stream = requests.get(f"{served.url}/api/events", headers=token, stream=True, timeout=60)
    lines = stream.iter_lines()
    assert next(lines)
    revoke(served, device)
    with suppress(requests.RequestException):
        list(lines)


def test_a_revoked_device_stops_waiting_at_once(served: Served) -> None:
    device, token = new_device(served)
    outcome: list[Any] = []

    def wait() -> None:
        try:
            url = f"{served.url}/api/prompts/r1?wait=30"
            outcome.append(requests.get(url, headers=token, timeout=40).status_code)
        except requests.RequestException:
            outcome.append("closed")

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert served.process.stdout
    assert served.process.stdout.readline() == "waits\n"
    revoke(served, device)
    waiting.join(60)
    assert not waiting.is_alive()
    assert outcome[0] in ("closed", 401)
    assert served.process.stdout.readline() == "waited\n"


def test_who_revokes_its_own_token_gets_the_reply(served: Served) -> None:
    device, token = new_device(served)
    answer = requests.delete(f"{served.url}/api/devices/{device}", headers=token, timeout=60)
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


def test_a_stream_without_events_goes_on(served: Served) -> None:
    stream = requests.get(f"{served.url}/api/events", headers=OWNER, stream=True, timeout=60)
    comments = 0
    for line in stream.iter_lines():
        comments += line.startswith(b":")
        if comments > 12:  # Some 2.4 s, which is longer than a request may take to arrive.
            break
    stream.close()
    until(lambda: served.transport().folders()[0].path == "readers: 0")
