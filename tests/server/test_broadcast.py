"""What clients get that are sent the same events together."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from patience import until

from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Event
from clawtap_core.runtime.state.event_stream import EventStream
from clawtap_core.server.sse import Subscription, stream

NOW = datetime(2026, 11, 24, tzinfo=timezone.utc)


class Published:
    """The events of a transport, over the real stream."""

    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.stream = EventStream(self.journal, self._snapshot)
        self.open = 0

    def _snapshot(self, session_id: str | None) -> Event:
        cursor = f"{self.journal.epoch}-{self.journal.last}"
        return Event("snapshot", NOW, None, {"cursor": cursor}, self.journal.last)

    def tell(self, number: int) -> None:
        self.stream.publish(self.journal.append([Event("message", NOW, "s1", {"n": number})]))

    def write(self, number: int) -> None:
        """Publish text that is being written, which has no cursor."""
        self.stream.publish([Event("text_delta", NOW, "s1", {"n": number})])

    def events(
        self, after: str | None = None, *, session_id: Any, screens: bool, idle: float
    ) -> Iterator[Event | None]:
        events = self.stream.read(after, session_id, screens, idle)
        self.open += 1
        return self._counted(events)

    def _counted(self, events: Iterator[Event | None]) -> Iterator[Event | None]:
        try:
            yield from events
        finally:
            self.open -= 1


class Client:
    """A client that takes what it is sent, or `most` bytes of it at once."""

    def __init__(self, app: Any, published: Published, most: int = 1 << 20) -> None:
        self.got = b""
        self.most = most
        self.rests = 0
        self.takes_rest = threading.Event()
        self.takes_rest.set()
        self.hung_up = False
        self.allowed = True
        subscription = Subscription(published, lambda: self.allowed, shared=True)
        self._pieces = stream(app, subscription, self)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        for piece in self._pieces:
            self.got += piece

    def send_now(self, piece: bytes) -> bytes:
        if self.hung_up:
            raise BrokenPipeError
        self.got += piece[: self.most]
        return piece[self.most :]

    def send_rest(self, rest: bytes) -> None:
        self.takes_rest.wait()
        self.rests += 1
        self.got += rest

    def numbers(self, kind: str = "message") -> list[int]:
        """Return the events of a kind that arrived whole."""
        blocks = [block.split("\n") for block in self.got.decode().split("\n\n")[:-1]]
        return [
            json.loads(lines[-1].removeprefix("data: "))["n"]
            for lines in blocks
            if f"event: {kind}" in lines
        ]

    @property
    def caught_up(self) -> bool:
        return b"event: snapshot" in self.got


@pytest.fixture
def published() -> Iterator[Published]:
    made = Published()
    yield made
    made.stream.close()
    until(lambda: made.open == 0)


@pytest.fixture
def join(app: Any, published: Published) -> Iterator[Callable[..., Client]]:
    app.config["CLAWTAP_SSE_IDLE"] = 0.05
    clients: list[Client] = []

    def one(**more: Any) -> Client:
        clients.append(Client(app, published, **more))
        until(lambda: clients[-1].caught_up)
        return clients[-1]

    yield one
    published.stream.close()
    for client in clients:
        client.takes_rest.set()
        client.thread.join(60)
        assert not client.thread.is_alive()


def test_clients_at_the_same_place_are_served_by_one_reader(published, join):
    clients = [join() for _ in range(10)]
    until(lambda: published.open == 2)  # the one that waits for events, and the one that reads
    for number in range(3):
        published.tell(number)
    until(lambda: all(client.numbers() == [0, 1, 2] for client in clients))
    for client in clients:
        assert client.got.count(b"id: ") == 4
    assert published.open == 2


def test_nobody_who_joins_while_text_is_written_misses_or_repeats_any(published, join):
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            published.write(number)
            if number % 5 == 0:
                published.tell(number)
            over.wait(0.0005)

    writer = threading.Thread(target=write)
    writer.start()
    clients = [join() for _ in range(20)]
    over.set()
    writer.join()
    published.write(0)
    until(lambda: all(client.numbers("text_delta")[-1:] == [0] for client in clients))
    for client in clients:
        for kind, step in (("text_delta", 1), ("message", 5)):
            numbers = [number for number in client.numbers(kind) if number]
            # The text so far is what a new client begins with, and comes with its next piece again.
            begun = numbers[1:] if numbers[:1] == numbers[1:2] else numbers
            assert begun == list(range(begun[0], begun[-1] + 1, step)) if begun else True


def test_one_that_does_not_keep_up_gets_all_later_and_holds_up_nobody(published, join):
    slow, quick = join(), join()
    slow.takes_rest.clear()
    slow.most = 40
    for number in range(50):
        published.tell(number)
    until(lambda: quick.numbers() == list(range(50)))
    assert slow.numbers() == []
    slow.most = 1 << 20
    slow.takes_rest.set()
    until(lambda: slow.numbers() == list(range(50)))
    published.tell(50)
    until(lambda: slow.numbers()[-1] == quick.numbers()[-1] == 50)
    assert slow.rests == 1
    until(lambda: published.open == 2)


def test_one_that_takes_little_at_a_time_gets_each_event_once(published, join):
    client = join(most=7)
    for number in range(30):
        published.tell(number)
    until(lambda: client.numbers() == list(range(30)))


def test_one_that_hung_up_leaves_and_frees_its_reader(published, join):
    left, stays = join(), join()
    left.hung_up = True
    left.thread.join(60)
    assert not left.thread.is_alive()
    published.tell(1)
    until(lambda: stays.numbers() == [1])
    stays.hung_up = True
    until(lambda: published.open == 0)


def test_a_revoked_device_is_sent_nothing_more(published, join):
    revoked, stays = join(), join()
    revoked.allowed = False
    published.tell(1)
    until(lambda: stays.numbers() == [1])
    revoked.thread.join(60)
    assert not revoked.thread.is_alive()
    assert revoked.numbers() == []


def test_silence_is_broken_by_comments(join):
    client = join()
    until(lambda: client.got.count(b": idle\n\n") >= 2)


def test_the_streams_end_with_the_runtime(published, join):
    clients = [join() for _ in range(3)]
    published.stream.close()
    for client in clients:
        client.thread.join(60)
        assert not client.thread.is_alive()


def test_what_fails_to_be_encoded_ends_the_stream_and_the_next_client_begins_anew(
    published, join, app, monkeypatch
):
    client = join()
    until(lambda: published.open == 2)
    monkeypatch.setattr(Event, "json", property(lambda event: 1 / 0))
    published.stream.publish([Event("message", NOW, "s1", {"n": 1})])
    client.thread.join(60)
    assert not client.thread.is_alive()
    monkeypatch.undo()
    other = join()
    published.tell(2)
    until(lambda: other.numbers()[-1:] == [2])
