"""A machine that sleeps for an hour: everything stands still, and then the clock has moved."""

from __future__ import annotations

import os
import signal
import uuid
from contextlib import contextmanager

import pytest
from killed_world import YES, KilledWorld
from patience import until

from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

HOUR = 3600
ASK = {"type": "question", "title": "Go?", "questions": [{"question": "Which one?"}]}


@pytest.fixture
def world(nursery, tmp_path):
    world = KilledWorld(nursery, tmp_path, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.clock = tmp_path / "clock"
    # What a sleep may delay the end of a prompt by: half a minute elsewhere.
    world.start(clock=str(world.clock), timings={"expiry_longest": 1.0})
    yield world
    world.server.stop()
    end_server(world.socket)


@contextmanager
def asleep(world, seconds):
    """Stop the server and tmux; before they go on the clock has moved."""
    stopped = (world.server.pid, int(world.tmux("display-message", "-p", "#{pid}")))
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
        world.clock.write_text(str(seconds))
    finally:
        for pid in reversed(stopped):
            os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize(
    "hours",
    [1, *(pytest.param(hours, marks=pytest.mark.long) for hours in (-1, 24 * 365))],
)
def test_what_waited_before_the_sleep_waits_after_it_and_is_answered_once(world, hours):
    agent, other = world.asking("file", 4), world.asking("other", 2)
    prompt, waits = agent.rests(), other.rests()
    events = world.client.events()
    with asleep(world, hours * HOUR):
        join = world.at_once(lambda: agent.answer(prompt, YES))
    join()
    assert agent.replied == {prompt["requestId"]: "answered"}
    assert other.rests()["requestId"] == waits["requestId"]
    for each in (agent, other, agent):
        each.answer(each.rests(), YES)
    events.wait("prompt_resolved", where=lambda data: data["requestId"] == waits["requestId"])
    events.close()
    world.audit()
    ended = world.client.get(f"/api/prompts/{prompt['requestId']}").body["resolution"]
    asked = world.client.get(f"/api/prompts/{waits['requestId']}").body["createdAt"]
    assert (ended["at"] > asked) == (hours > 0)


def test_a_question_with_a_time_limit_has_expired_after_the_sleep(world):
    asked = world.client.post("/api/prompts", {**ASK, "timeout": 600}).body["requestId"]
    patient = world.client.post("/api/prompts", {**ASK, "timeout": 0}).body["requestId"]
    world.asking("file", 1).rests()
    with asleep(world, HOUR):
        pass
    state = lambda name: world.client.get(f"/api/prompts/{name}").body["state"]  # noqa: E731
    until(lambda: state(asked) == "expired", 60)
    assert state(patient) == "pending"
