"""A machine behind a network of its own, whose link is cut while nobody says goodbye."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from patience import until
from served_fleet import prompt_of

from clawtap_core.config import Settings
from clawtap_core.fleet.key_file import write_key
from clawtap_core.fleet.timings import FLEET_TIMINGS
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server
from clawtap_core.testing.server_process import TOKEN, clean_environment, free_port

pytestmark = [
    pytest.mark.redis,
    pytest.mark.process,
    pytest.mark.tmux,
    pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("ip"),
        reason="network namespaces need root and `ip`",
    ),
]
CLAWTAP = str(Path(sys.executable).with_name("clawtap"))


class Namespace:
    """A network namespace with one cable to this one: `here` and `there` are its ends."""

    def __init__(self, name):
        self.name = name
        net = f"10.203.{os.getpid() % 256}"
        self.here, self.there = f"{net}.1", f"{net}.2"
        self.cable = f"c{os.getpid() % 100_000}"

    def make(self):
        name, inside = self.name, f"{self.cable}i"
        self.ip("netns", "add", name)
        self.ip("link", "add", self.cable, "type", "veth", "peer", "name", inside, "netns", name)
        self.ip("address", "add", f"{self.here}/30", "dev", self.cable)
        self.ip("link", "set", self.cable, "up")
        self.ip("-n", name, "address", "add", f"{self.there}/30", "dev", inside)
        for device in ("lo", inside):
            self.ip("-n", name, "link", "set", device, "up")

    def ip(self, *arguments):
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"ip {' '.join(arguments)}: {done.stderr.strip()}")

    def cut(self):
        self.ip("link", "set", self.cable, "down")

    def restore(self):
        self.ip("link", "set", self.cable, "up")

    def argv(self, *command):
        return ["ip", "netns", "exec", self.name, *command]

    def remove(self):
        for command in (("link", "del", self.cable), ("netns", "del", self.name)):
            subprocess.run(["ip", *command], capture_output=True, check=False)


@pytest.fixture
def namespace():
    namespace = Namespace(f"clawtap-{os.getpid()}")
    try:
        namespace.make()
        yield namespace
    finally:
        namespace.remove()


@pytest.fixture
def laptop(namespace, redis_server, fleet_key, tmp_path):
    """A machine in the namespace; returns what runs a command of clawtap there."""
    port = free_port()
    redis_server.stop()
    # The cable is the test's own, and Redis holds nothing that can be read.
    redis_server.start("--port", str(port), "--bind", namespace.here, "--protected-mode", "no")
    folder = tmp_path / "laptop"
    data = folder / "data"
    data.mkdir(parents=True, mode=0o700)
    key = replace(fleet_key, redis_url=f"redis://{namespace.here}:{port}")
    write_key(Settings(data_dir=data).fleet_key, key)
    env, socket = clean_environment(folder / "home"), f"{SOCKET_PREFIX}laptop"
    served = ("--port", "7000", "--data-dir", str(data), "--token", TOKEN)
    named = ("--machine-name", "laptop", "--tmux-socket", socket)
    with (folder / "serve.log").open("wb") as log:
        argv = namespace.argv(CLAWTAP, "serve", *served, *named)
        process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def run(*command):
        argv = namespace.argv(CLAWTAP, *command, "--url", "http://127.0.0.1:7000")
        asked = {**env, "CLAWTAP_TOKEN": TOKEN}
        return subprocess.run(argv, env=asked, capture_output=True, text=True, check=False).stdout

    yield run
    namespace.restore()
    process.terminate()
    process.wait(30)
    end_server(socket)


def state_of(desk, name):
    machines = desk.client.get("/api/machines").body
    return next((one["state"] for one in machines if one["name"] == name), None)


def test_a_link_that_is_cut_and_restored_loses_and_doubles_nothing(
    serve, laptop, namespace, tmp_path
):
    desk = serve("desk")
    until(lambda: state_of(desk, "laptop") == "online", 60)
    body = {"adapter": "demo", "cwd": str(tmp_path), "args": ["--show", "permission"]}
    session = desk.client.post("/api/sessions?machine=laptop", body)
    assert session.status == 201, session.body
    path = f"/api/sessions/{session.body['id']}"
    prompt = until(lambda: prompt_of(desk, session.body["id"]), 60)
    answer = {"requestId": prompt["requestId"]}
    namespace.cut()
    began, replies = time.monotonic(), []
    asked = threading.Thread(
        target=lambda: replies.append(desk.client.post(f"{path}/approve", answer))
    )
    asked.start()
    until(lambda: state_of(desk, "laptop") == "away", 60)
    # Its presence ends by itself, and is looked for every few seconds.
    assert time.monotonic() - began < 2 * (FLEET_TIMINGS.away + FLEET_TIMINGS.renewal)
    assert desk.client.get(path).body["state"] == "lost"
    away = desk.client.post(f"{path}/approve", answer)
    assert (away.status, away.body["code"]) == (503, "machine_away")
    queued = desk.client.post(f"{path}/message", {"message": "when you are back"})
    assert queued.status == 202
    until(lambda: "Redis" in laptop("fleet", "ls"), 60)
    asked.join(60)
    assert [(one.status, one.body["code"]) for one in replies] == [(503, "machine_away")]
    namespace.restore()
    until(lambda: desk.client.get(path).body["state"] == "waiting", 60)
    # The call that was not begun was withdrawn.
    assert prompt_of(desk, session.body["id"])["requestId"] == prompt["requestId"]
    approved = desk.client.post(f"{path}/approve", answer)
    assert (approved.status, approved.body["state"]) == (200, "answered"), approved.body
    until(lambda: desk.client.get(f"{path}/queue").body == [], 60)
    assert "laptop" in laptop("fleet", "ls")
