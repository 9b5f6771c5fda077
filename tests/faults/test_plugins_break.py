"""Plugins that raise, hang, compute or return rubbish in a hook: they harm only themselves."""

from __future__ import annotations

import time
import uuid

import pytest
from hostile_plugins import HOOKS
from killed_world import YES, KilledWorld
from patience import until

from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

LONGEST = 15.0
"""Seconds that a neighbour's answer may take, beside twelve hooks that are ended after two each."""


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("how", ["raises", "hangs", "computes", "rubbish"])
def test_a_plugin_harms_only_itself(nursery, tmp_path, how):
    world = KilledWorld(nursery, tmp_path, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.start(plugins=["hostile_plugins"], env={"HOSTILE": how})
    neighbour = world.asking("neighbour", 10)
    hostile = [start(world, f"hostile-{hook.replace('_', '-')}") for hook in HOOKS]
    took = []
    for _ in range(10):
        prompt = neighbour.rests()
        began = time.monotonic()
        neighbour.answer(prompt, YES)
        took.append(time.monotonic() - began)
        assert neighbour.replied[prompt["requestId"]] == "answered"
        for session in hostile:
            use(world, session)
    assert max(took) < LONGEST, took
    world.audit()
    errors = {each["name"]: each.get("error") for each in world.client.get("/api/plugins").body}
    assert errors["hostile-notify"] or how == "rubbish"
    assert not any(errors[name] for name in ("demo", "webui"))
    for session in hostile:
        if session:
            assert world.client.delete(f"/api/sessions/{session}").status == 200
    world.server.stop()
    end_server(world.socket)


def start(world, adapter):
    """A session of this adapter, if it can be started; it asks something."""
    args = ("--delay", "0", "--show", "permission,loop")
    body = {"adapter": adapter, "cwd": str(world.folder), "args": args}
    reply = world.client.post("/api/sessions", body)
    assert reply.status in (201, 400, 422), reply
    return reply.body["id"] if reply.status == 201 else None


def use(world, session):
    """Do what makes the server call its adapter's hooks."""
    if not session:
        return
    path = f"/api/sessions/{session}"
    for prompt in world.client.get(f"{path}/pending").body:
        reply = world.client.post(f"{path}/approve", {"requestId": prompt["requestId"]})
        assert reply.status in (200, 400, 404, 409, 422, 502), reply
    assert world.client.post(f"{path}/message", {"message": "hello"}).status in (200, 202, 422, 502)
    assert world.client.post(f"{path}/interrupt").status in (200, 409, 422, 502)
    assert world.client.get(f"{path}/messages").status == 200


def test_a_notifier_that_computes_does_not_stop_the_server(nursery, tmp_path):
    world = KilledWorld(nursery, tmp_path, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.start(plugins=["hostile_notifier"])
    agent = world.asking("file", 3)
    for _ in range(3):
        agent.answer(agent.rests(), YES)
    assert agent.rests() is None
    until(lambda: error_of(world, "hostile-notify"))
    assert "computed for longer than" in error_of(world, "hostile-notify")
    world.audit()
    world.server.stop()
    end_server(world.socket)


def error_of(world, name):
    plugins = world.client.get("/api/plugins").body
    return next(each.get("error") for each in plugins if each["name"] == name)
