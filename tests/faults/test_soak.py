"""Fifty sessions for an hour: `make soak`, or `make soak MINUTES=3`; with --conformance real CLIs.

What the agents say that they decided is compared with what was posted, to the last answer.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest
from every_cli import CLIS
from held_by import Held
from killed_world import LABELS, KilledWorld
from patience import until

from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

REAL = {"claude": "2.1.332", "codex": "0.169.0", "gemini": "0.61.0"}
SESSIONS, CHATS, AT_ONCE = 50, 5, 8
ASKS_A_MINUTE = 60
BURST_EVERY = 2.0
"""A message and AT_ONCE answers each time: time is what is tried here, not load."""
WARM = 0.2
"""The part of the time after which memory is compared: caches are full then."""


class Answerer:
    """Answers what the demo agents ask, each prompt with a label of its own."""

    def __init__(self, world, dice):
        self.world, self.dice = world, dice
        self.by_session = {agent.id: agent for agent in world.agents}
        self.pool = ThreadPoolExecutor(AT_ONCE + 1)
        self.posts = []
        self.under_way = {}

    def say(self, agent, text):
        """Send a message."""
        self.posts.append(self.pool.submit(agent.say, text))

    def answer_some(self):
        """Answer as many of the prompts that wait as may be under way at once."""
        self.under_way = {each: post for each, post in self.under_way.items() if not post.done()}
        prompts = [p for p in self.world.client.get("/api/pending").body if p["state"] == "pending"]
        waiting = [prompt for prompt in prompts if prompt["requestId"] not in self.under_way]
        self.dice.shuffle(waiting)
        for prompt in waiting[: AT_ONCE - len(self.under_way)]:
            agent = self.by_session[prompt["sessionId"]]
            post = self.pool.submit(agent.answer, prompt, self.dice.choice(LABELS))
            self.under_way[prompt["requestId"]] = post
            self.posts.append(post)

    def end(self):
        """Wait for all posts; the first error of any."""
        self.pool.shutdown()
        for post in self.posts:
            post.result()


def tally(agents):
    """Count the answers that were delivered right, wrong, twice or not at all."""
    count = Counter()
    for agent in agents:
        made = {agent.command(at): labels for at, labels in enumerate(agent.decisions())}
        enters = sum(line["key"] == "Enter" for line in agent.logged("key"))
        count["doubled"] += max(0, enters - len(made)) if agent.asks else 0
        for command, posted in agent.posted.items():
            labels = made.get(command)
            count["posted again"] += len(posted) - 1
            count["lost" if labels is None else "right" if labels == posted[-1:] else "wrong"] += 1
        heard = Counter(line["text"] for line in agent.logged("message"))
        count["messages"] += len(heard)
        count["doubled"] += sum(heard.values()) - len(heard)
        count["lost"] += len(set(agent.accepted) - set(heard))
    return count


def drive(cli, version, folder, end, count):
    """Let a real CLI ask for one command after another; each runs once if it was allowed."""
    testbed = CLIS[cli].open(version, folder)
    try:
        talk = testbed.start()
        talk.idle(90)
        ran = talk.cwd / "ran.txt"
        allowed = 0
        while time.monotonic() < end:
            yes = (allowed + count[cli]) % 3 != 2
            number = count[cli]
            prompt = talk.do(CLIS[cli].turns.shell(f"echo {number} >> ran.txt"))
            reply = talk.approve(prompt) if yes else talk.deny(prompt)
            assert reply.status == 200, (reply, talk.get("/screen").body, talk.journal()[-12:])
            if yes:
                until(lambda n=number: str(n) in lines_of(ran), 60)
            talk.idle(60)
            allowed += yes
            count[cli] += 1
            wrong = lines_of(ran).count(str(number)) != yes
            count["wrong" if wrong else "right"] += 1
        assert len(lines_of(ran)) == allowed
        talk.leave()
    finally:
        testbed.close()


def lines_of(path):
    return path.read_text().split() if path.exists() else []


@pytest.fixture
def world(nursery, tmp_path):
    world = KilledWorld(nursery, tmp_path / "world", SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.start()
    yield world
    world.server.stop()
    end_server(world.socket)


@contextmanager
def real_clis(names, folder, end, count):
    """Real CLIs that work beside it, each on a server of its own; their problems."""
    problems = []

    def work(cli):
        try:
            drive(cli, REAL[cli], folder / cli, end, count)
        except Exception as problem:
            problems.append(f"{cli}: {problem!r}")

    threads = [threading.Thread(target=work, args=(cli,), name=f"soak-{cli}") for cli in names]
    for thread in threads:
        (folder / thread.name.removeprefix("soak-")).mkdir()
        thread.start()
    try:
        yield problems
    finally:
        for thread in threads:
            thread.join()


@pytest.mark.long
@pytest.mark.timeout(0)
def test_soak(world, tmp_path, request):
    minutes = request.config.getoption("--soak-minutes")
    real = [*REAL] if request.config.getoption("--conformance") else []
    for number in range(SESSIONS - CHATS - len(real)):
        world.asking(f"s{number:02}", int(ASKS_A_MINUTE * minutes) + 1)
    chats = [world.chatting(f"chat{number}") for number in range(CHATS)]
    answerer, of_real, held = Answerer(world, random.Random(17)), Counter(), []
    began = time.monotonic()
    end = began + minutes * 60
    with real_clis(real, tmp_path, end, of_real) as problems:
        while time.monotonic() < end:
            answerer.answer_some()
            answerer.say(chats[len(held) % CHATS], f"message {len(held)}")
            held.append(Held.by(world.server.pid))
            time.sleep(max(0.0, began + BURST_EVERY * len(held) - time.monotonic()))
        answerer.end()
        after = Held.by(world.server.pid)
    # Each of them is idle, or what it asks now is shown.
    for agent in world.agents:
        agent.rests()
    # The agent of the last answer has yet to write down what it decided.
    with suppress(AssertionError):
        until(lambda: not tally(world.agents)["lost"], 30)
    count, warm = tally(world.agents), held[int(len(held) * WARM)]
    print(f"\n[soak] {minutes:g} minutes, {len(world.agents)} demo sessions: {dict(count)}")
    each = sorted(len(agent.decisions()) for agent in world.agents if agent.asks)
    print(f"[soak] answers of each session: {each[0]} to {each[-1]}")
    print(f"[soak] real CLIs: {dict(of_real)} {problems}")
    print(f"[soak] {held[0]}; {warm} after a fifth of the time; {after} at its end")
    assert not problems
    assert not count["wrong"] + count["lost"] + count["doubled"] + of_real["wrong"]
    assert count["right"] > SESSIONS
    assert after.level_with(warm, memory=30, descriptors=20)
    world.audit()
