"""kill -9 of the server at every step of an answer, and at random moments."""

from __future__ import annotations

import functools
import random
import time
import uuid
from collections import Counter
from contextlib import contextmanager

import pytest
from killed_world import LABELS, KilledWorld

from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

STEPS, OUTCOME = "prompt_updated with steps", "prompt_resolved"
ROUND = (
    "the adapter said its steps",
    f"before {STEPS} is written",
    f"{STEPS} is written",
    "before a key",
    "a key is on its way",
    "after a key",
)
ANSWER = (
    *((name, 1) for name in ("the request came", "the answer is taken", "typing begins", *ROUND)),
    *((name, 2) for name in ROUND),
    ("the outcome was seen", 1),
    (f"before {OUTCOME} is written", 1),
    (f"{OUTCOME} is written", 1),
    ("before approval_required is written", 1),
    ("approval_required is written", 1),
    ("before the reply", 1),
)
"""Every moment of an answer that moves the cursor by a key and decides by another."""
IN_THE_SLICE = {
    ("a key is on its way", 2),
    (f"{OUTCOME} is written", 1),
}


def next_row(prompt):
    """A label that takes a key to move to, wherever a killed server left the cursor."""
    values = [option["value"] for option in prompt["options"]]
    at = values.index(prompt["selected"])
    return LABELS[at + 1 if at + 1 < len(LABELS) else at - 1]


def slices(points, chosen):
    return [
        pytest.param(
            *point,
            marks=() if point in chosen else pytest.mark.long,
            id=f"{point[0]}-{point[1]}".replace(" ", "-"),
        )
        for point in points
    ]


@contextmanager
def world_in(nursery, folder):
    world = KilledWorld(nursery, folder, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.start()
    yield world
    world.server.stop()
    end_server(world.socket)


@pytest.fixture(scope="module")
def asked(nursery, tmp_path_factory):
    """A world with an agent that asks, whose server was killed before, perhaps."""
    with world_in(nursery, tmp_path_factory.mktemp("asked")) as world:
        world.asking("file", 200)
        world.server.kill()
        yield world


def test_the_points_of_an_answer_are_those(asked):
    asked.start()
    (agent,) = asked.agents
    prompt = agent.rests()
    agent.answer(prompt, next_row(prompt))
    agent.rests()
    reached = Counter(asked.traced())
    asked.server.kill()
    beside = {name for name in reached if "a marker" in name or "session_status" in name}
    assert reached.keys() - beside == {name for name, _ in ANSWER}
    assert all(reached[name] >= times for name, times in ANSWER)


@pytest.mark.parametrize(("point", "times"), slices(ANSWER, IN_THE_SLICE))
def test_killed_at_a_step_of_an_answer(asked, point, times):
    asked.start(point, times)
    (agent,) = asked.agents
    prompt = agent.rests()
    asked.at_once(lambda: agent.answer(prompt, next_row(prompt)))()
    asked.server.wait_dead()
    asked.start()
    now = agent.rests()
    state = asked.client.get(f"/api/prompts/{prompt['requestId']}").body["state"]
    assert (state == "pending") == (now["requestId"] == prompt["requestId"])
    asked.audit()
    asked.server.kill()


TYPING = (
    ("before message_typed with steps is written", 1),
    ("message_typed with steps is written", 1),
    ("before a key", 1),
    ("a key is on its way", 1),
    ("after a key", 1),
    ("before message_typed with steps is written", 2),
    ("message_typed with steps is written", 2),
    ("before a key", 2),
    ("a key is on its way", 2),
    ("after a key", 2),
)
MESSAGE = (
    ("the request came", 1),
    ("before message_queued and queue_update is written", 1),
    ("message_queued and queue_update is written", 1),
    *TYPING,
    ("the outcome was seen", 1),
    ("before message_sent and queue_update is written", 1),
    ("message_sent and queue_update is written", 1),
    ("before the reply", 1),
)
"""Every moment of a message: its text is one key, Enter the next."""


@pytest.fixture(scope="module")
def chatted(nursery, tmp_path_factory):
    """A world with an agent that listens, whose server was killed before, perhaps."""
    with world_in(nursery, tmp_path_factory.mktemp("chatted")) as world:
        world.chatting("chat").rests()
        world.server.kill()
        yield world


@pytest.mark.parametrize(("point", "times"), slices(MESSAGE, {("a key is on its way", 2)}))
def test_killed_at_a_step_of_a_message(chatted, point, times):
    chatted.start(point, times)
    (agent,) = chatted.agents
    agent.rests()
    text = f"say {point} {times}"
    chatted.at_once(lambda: agent.say(text))()
    chatted.server.wait_dead()
    chatted.start()
    agent.rests()
    chatted.audit()
    chatted.server.kill()


@pytest.mark.timeout(7200)
def test_killed_at_random_moments_nothing_is_delivered_twice_or_lost(nursery, tmp_path, request):
    whole = request.config.getoption("--faults")
    kills = request.config.getoption("--kills") or (500 if whole else 4)
    dice = random.Random(17)
    with world_in(nursery, tmp_path / "world") as world:
        for name in ("one", "two", "shell"):
            world.asking(name, 3 * kills, shell=name == "shell")
        world.chatting("chat")
        longest = max(answer_all(world, dice) for _ in range(3))
        for number in range(kills):
            answer_all(world, dice, dice.uniform(0, 1.2 * longest))
            if dice.random() < 0.1:
                world.start(wait=False)
                time.sleep(dice.uniform(0, 1))
                world.server.kill()
            world.start()
            if number % 25 == 24 or number == kills - 1:
                for agent in world.agents:
                    agent.rests()
                world.audit()


def answer_all(world, dice, die_after=None):
    """Answer every prompt and say something, all at once; return how long that took."""
    prompts = {agent: agent.rests() for agent in world.agents}
    began = time.monotonic()
    join = world.at_once(
        *(
            functools.partial(agent.answer, prompt, dice.choice(LABELS))
            if prompt
            else functools.partial(agent.say, f"message {len(agent.said)}")
            for agent, prompt in prompts.items()
        )
    )
    if die_after is not None:
        time.sleep(die_after)
        world.server.kill()
    join()
    return time.monotonic() - began
