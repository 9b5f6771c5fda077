"""The socket of a server that a CLI shares: lines go as frames, and come as lines."""

from __future__ import annotations

import socket
import threading

import pytest
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Request, TextMessage

from clawtap_core.errors import ClawTapError, Conflict, Unavailable
from clawtap_core.protocol.unix_socket import SocketWire

pytestmark = pytest.mark.process


class Server:
    """Takes one client, echoes each frame in two pieces, and pings it first."""

    def __init__(self, path):
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(path))
        self.listening.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        client, _ = self.listening.accept()
        ws = WSConnection(ConnectionType.SERVER)
        with client:
            while data := client.recv(65536):
                ws.receive_data(data)
                for event in ws.events():
                    if isinstance(event, Request):
                        client.sendall(
                            ws.send(AcceptConnection()) + ws.send(Ping(b"are you there"))
                        )
                    elif isinstance(event, TextMessage) and event.data == "bye":
                        client.sendall(ws.send(CloseConnection(code=1000)))
                        return
                    elif isinstance(event, TextMessage):
                        half = len(event.data) // 2
                        first = TextMessage(event.data[:half], message_finished=False)
                        client.sendall(ws.send(first))
                        client.sendall(ws.send(TextMessage(event.data[half:])))

    def close(self):
        self.listening.close()
        self.thread.join(60)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s"


@pytest.fixture
def wire(path):
    server = Server(path)
    wire = SocketWire(str(path))
    yield wire
    wire.close()
    server.close()


def heard(wire):
    """What comes, line by line; the end is b""."""
    lines, more = [], threading.Condition()

    def received(data):
        with more:
            lines.append(data)
            more.notify_all()

    wire.start(received)

    def wait(count):
        with more:
            assert more.wait_for(lambda: len(lines) >= count, 10), lines
            return list(lines)

    return wait


def test_lines_go_as_frames_and_come_as_lines(wire):
    wait = heard(wire)
    wire.write(b'{"a":1}\n{"b":"\xc3\xa4"}\n').result(60)
    assert wait(2) == [b'{"a":1}\n', b'{"b":"\xc3\xa4"}\n']


def test_the_end_is_reported_and_nothing_is_written_after_it(wire):
    wait = heard(wire)
    wire.write(b"bye\n").result(60)
    assert wait(1)[-1] == b""
    with pytest.raises(Conflict):
        wire.write(b"more\n").result(60)


def test_a_server_that_is_not_there_is_an_error_with_a_sentence(path):
    with pytest.raises(Unavailable, match="the CLI's server was not found"):
        SocketWire(str(path))


def test_a_server_that_speaks_something_else_is_an_error_too(path):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()

    def serve():
        client, _ = listening.accept()
        client.recv(65536)
        client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        client.close()

    thread = threading.Thread(target=serve)
    thread.start()
    with pytest.raises(ClawTapError):
        SocketWire(str(path))
    thread.join(60)
    listening.close()
