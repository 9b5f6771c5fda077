"""Many sessions, prompts, clients and connections: answered right, and no more is held after it."""

from __future__ import annotations

import resource
import selectors
import socket
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from held_by import Held
from killed_world import ALWAYS, NO, YES, KilledWorld
from patience import until

from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server
from clawtap_core.testing.server_process import TOKEN

GET = "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\r\n"
ASK = {"type": "question", "title": "Load", "questions": [{"question": "Which one?"}]}


@pytest.fixture
def world(nursery, tmp_path):
    world = KilledWorld(nursery, tmp_path, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.start()
    yield world
    world.server.stop()
    end_server(world.socket)


@pytest.fixture
def many_descriptors():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def figure(name, text):
    """Print a figure for docs/reliability.md: shown with -s."""
    print(f"\n[{name}] {text}")


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_100_sessions_that_ask_at_once_get_their_own_answers(world):
    agents = [world.asking(f"s{number:03}", 2) for number in range(100)]
    for step in range(2):
        assert all(agent.rests() for agent in agents)
        assert len(world.client.get("/api/pending").body) == 100
        began, rounds = time.monotonic(), 0
        # A machine that is too busy for tmux refuses some, and they are answered again.
        while left := [agent for agent in agents if len(agent.decisions()) == step]:
            rounds += 1
            with ThreadPoolExecutor(100) as pool:
                list(pool.map(answer_own, left))
            assert rounds < 10
        figure("sessions", f"100 answered in {time.monotonic() - began:.1f} s, {rounds} rounds")
    for agent in agents:
        agent.rests()
        assert len(agent.decisions()) == 2
    world.audit()
    held = Held.by(world.server.pid)
    for agent in agents:
        assert world.client.delete(f"/api/sessions/{agent.id}").status == 200
    after = Held.by(world.server.pid)
    figure("sessions", f"{held} with 100 sessions, {after} without")
    assert after.descriptors < held.descriptors / 3


def answer_own(agent):
    """Answer what this agent asks, with a label that its neighbours do not get."""
    number = int(agent.prefix.removeprefix("s")) + len(agent.decisions())
    agent.answer(agent.rests(), (YES, ALWAYS, NO)[number % 3])


@pytest.mark.timeout(14400)
def test_after_many_prompts_in_a_row_no_more_is_held(world, request):
    whole = request.config.getoption("--faults")
    count = request.config.getoption("--prompts") or (10_000 if whole else 30)
    agent = world.asking("file", count)
    # The latest prompts and events are kept in memory: so many that it is level after them.
    warm = min(count // 2, 1500)
    before = held_after(world, agent, warm)
    after = held_after(world, agent, count - warm)
    figure("prompts", f"{before} after {warm} prompts, {after} after {count}")
    # A few are opened late, whatever the number of prompts.
    assert after.level_with(before, memory=5 + 5 * (count - warm) / 10_000, descriptors=5)
    assert agent.decisions() == [[YES]] * count
    assert sum(line["key"] == "Enter" for line in agent.logged("key")) == count


def held_after(world, agent, prompts):
    done = agent.log.read_text().count('"decision"') if agent.log.exists() else 0
    for number in range(done, done + prompts):
        command = agent.command(number)
        prompt = until(
            lambda command=command: next(
                (p for p in agent.pending() if p["description"] == command), None
            ),
            60,
        )
        body = {"requestId": prompt["requestId"], "selectedOption": prompt["options"][0]["value"]}
        reply = world.client.post(f"/api/sessions/{agent.id}/respond", body)
        assert reply.body["state"] == "answered", reply
    return Held.by(world.server.pid)


@contextmanager
def connections(world, count, request):
    host, port = "127.0.0.1", world.server.settings["port"]
    opened = []
    try:
        for _ in range(count):
            opened.append(socket.create_connection((host, port), 60))
            opened[-1].sendall(request)
        yield opened
    finally:
        for connection in opened:
            connection.close()


def received(readers, words, wanted, seconds):
    """Read from all until each has got these words so often, or the time is over."""
    counts = {key.fd: 0 for key in readers.get_map().values()}
    end = time.monotonic() + seconds
    while min(counts.values()) < wanted and time.monotonic() < end:
        for key, _ in readers.select(0.5):
            counts[key.fd] += key.fileobj.recv(1 << 20).count(words)
    return counts


def test_clients_that_never_read_keep_nobody_waiting(world, many_descriptors, request):
    whole = request.config.getoption("--faults")
    reading, deaf, events = (900, 100, 20) if whole else (30, 10, 5)
    world.client.post("/api/prompts", ASK)
    until(lambda: Held.by(world.server.pid))
    before = Held.by(world.server.pid)
    stream = GET.format("/api/events", TOKEN).encode()
    with connections(world, deaf, stream), connections(world, reading, stream) as ears:
        readers = selectors.DefaultSelector()
        for ear in ears:
            readers.register(ear, selectors.EVENT_READ)
        assert min(received(readers, b"event: snapshot", 1, 120).values()) == 1
        big = {**ASK, "description": "x" * 2000}
        began = time.monotonic()
        ids = [world.client.post("/api/prompts", big).body["requestId"] for _ in range(events)]
        counts = received(readers, b"event: question_prompt", events, 240)
        took = time.monotonic() - began
        assert set(counts.values()) == {events}
        readers.close()
        with_them = Held.by(world.server.pid)
    for request_id in ids:
        assert world.client.delete(f"/api/prompts/{request_id}").status == 200
    until(lambda: Held.by(world.server.pid).descriptors <= before.descriptors + 2, 120)
    after = Held.by(world.server.pid)
    figure("clients", f"{events} events to {reading} clients beside {deaf} deaf ones: {took:.1f} s")
    figure("clients", f"{before} before, {with_them} with them, {after} after")
    assert after.threads <= before.threads + 2


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST /api/login HTTP/1.1\r\nContent-Length: 9\r\n\r\n{",
    ],
    ids=["nothing", "half-headers", "half-body"],
)
def test_half_open_connections_by_the_thousand_keep_nobody_waiting(world, many_descriptors, data):
    agent = world.asking("file", 5)
    prompt = agent.rests()
    before = Held.by(world.server.pid)
    took = []
    with (
        connections(world, 1000, data),
        connections(world, 1000, data),
        connections(world, 1000, data),
    ):
        with_them = Held.by(world.server.pid)
        for _ in range(5):
            began = time.monotonic()
            agent.answer(prompt, YES)
            took.append(time.monotonic() - began)
            prompt = agent.rests()
    assert len(agent.replied) == 5
    until(lambda: Held.by(world.server.pid).descriptors <= before.descriptors + 2, 120)
    after = Held.by(world.server.pid)
    figure("half-open", f"slowest of 5 answers {max(took):.1f} s; {before}, {with_them}, {after}")
    assert after.threads <= before.threads + 2
    world.audit()
