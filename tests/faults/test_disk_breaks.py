"""The journal locked, its disk full, its file damaged or removed; few descriptors, no HOME."""

from __future__ import annotations

import hashlib
import resource
import sqlite3
import uuid
from contextlib import closing

import pytest
from killed_world import YES, KilledWorld
from patience import never, until

from clawtap_core.system.processes import lives
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server


@pytest.fixture
def world(nursery, tmp_path):
    world = KilledWorld(nursery, tmp_path, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    yield world
    world.server.stop()
    end_server(world.socket)


def answered(agent, prompt):
    option = next(each for each in prompt["options"] if each["label"] == YES)
    body = {"requestId": prompt["requestId"], "selectedOption": option["value"]}
    return agent.world.client.post(f"/api/sessions/{agent.id}/respond", body)


def refuses(agent, words):
    """The journal cannot be written: nothing is typed, and what waits is shown."""
    prompt = agent.rests()
    keys = agent.logged("key")
    reply = answered(agent, prompt)
    assert (reply.status, reply.body["code"]) == (503, "journal_failed"), reply
    assert words in reply.body["error"]
    assert agent.rests()["requestId"] == prompt["requestId"]
    assert agent.logged("key") == keys
    asked = {"type": "question", "title": "Kept?", "questions": [{"question": "Which?"}]}
    assert agent.world.client.post("/api/prompts", asked).status == 503
    return prompt


def goes_on(agent):
    agent.answer(agent.rests(), YES)
    agent.rests()
    agent.world.audit()


def messages_indexed(world):
    with closing(sqlite3.connect(world.folder / "data" / "search.db")) as database:
        ((number,),) = database.execute("SELECT count(*) FROM message")
    return number


def limit_files(pid, most):
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def test_a_full_disk_refuses_answers_and_loses_nothing(world):
    world.start()
    agent, other = world.asking("file", 3), world.asking("other", 3)
    other.rests()
    limit_files(world.server.pid, 0)
    refuses(agent, "disk")
    # Somebody at the desk answers: the next prompt is shown, though nothing can be written.
    other.answer_at_desk()
    until(other.decisions)
    shown = other.rests()
    assert shown["description"] == other.command(1)
    limit_files(world.server.pid, resource.RLIM_INFINITY)
    goes_on(agent)
    goes_on(other)
    assert world.client.get(f"/api/prompts/{shown['requestId']}").body["state"] == "answered"


def test_a_full_disk_that_takes_no_report_of_failed_work_ends_nothing(world):
    world.start(timings={"search_settle": 0.05, "search_scan": 0.1})
    agent = world.chatting("chat")
    agent.say("first words")
    until(lambda: messages_indexed(world))
    limit_files(world.server.pid, 0)
    # The search index, which is filled in a native thread, cannot be written; nor can stderr.
    pane = world.client.get(f"/api/sessions/{agent.id}").body["pane"]
    world.tmux("send-keys", "-t", pane, "second words", "Enter")
    never(lambda: not world.server.answers(), 1.0, lambda: "no answer within five seconds")
    before = messages_indexed(world)
    limit_files(world.server.pid, resource.RLIM_INFINITY)
    until(lambda: messages_indexed(world) > before)


def test_a_locked_journal_refuses_answers_until_it_is_free(world):
    world.start()
    agent = world.asking("file", 3)
    agent.rests()
    with closing(sqlite3.connect(world.folder / "data" / "journal.db")) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        refuses(agent, "locked")
    goes_on(agent)


def test_a_journal_that_was_removed_is_reported_and_begun_again(world):
    world.start()
    agent = world.asking("file", 3)
    agent.rests()
    for path in (world.folder / "data").glob("journal.db*"):
        path.unlink()
    refuses(agent, "was removed")
    world.server.stop()
    world.start()
    assert world.client.get("/api/sessions").body == []
    (pane,) = world.client.get("/api/panes").body
    reply = world.client.post("/api/sessions", {"adopt": pane["pane"], "adapter": "demo"})
    agent.id = reply.body["id"]
    goes_on(agent)


@pytest.mark.long
def test_a_damaged_journal_is_left_as_it_is_and_explained(world):
    world.start()
    agent = world.asking("file", 3)
    goes_on(agent)
    world.server.stop()
    path = world.folder / "data" / "journal.db"
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 4096))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    world.start(wait=False)
    until(lambda: not lives(world.server.pid))
    said = world.server.log.read_text()
    assert "is damaged" in said
    assert f"mv {path}" in said
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest


@pytest.mark.long
def test_64_descriptors_refuse_sessions_and_keep_those_there_are(world):
    world.start(limits={"NOFILE": 64})
    agent = world.asking("file", 3)
    agent.rests()
    body = {"adapter": "demo", "cwd": str(world.folder), "args": ["--chat"]}
    replies = [world.client.post("/api/sessions", body) for _ in range(24)]
    started = [reply for reply in replies if reply.status == 201]
    assert all(reply.body["code"] for reply in replies if reply not in started)
    goes_on(agent)
    for reply in started:
        assert world.client.delete(f"/api/sessions/{reply.body['id']}").status == 200
    goes_on(agent)


@pytest.mark.long
def test_no_home_is_no_hindrance(world):
    world.start(without=["HOME", "USER", "LOGNAME", "SHELL"])
    agent = world.asking("file", 2)
    goes_on(agent)
