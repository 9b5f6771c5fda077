"""Demo agents behind a server that is killed again and again, and an audit of what came of it.

What counts is what the agents say that they read and did, beside what was posted and what the
journal holds.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import requests
from clawtap_demo.info import PROGRAM
from forked_server import ForkedServer, Nursery
from patience import until

from clawtap_core.testing.server_process import clean_environment

YES, ALWAYS, NO = LABELS = (
    "Yes, run it",
    "Yes, and don't ask again for touch",
    "No, don't run it",
)
SHELL = ("env", "PS1=desk$ ", "bash", "--norc", "-i")
OUTCOMES = {"pending", "answered", "denied", "failed"}


@dataclass(eq=False)
class Agent:
    """One demo agent in its pane, and what was posted to its session."""

    world: KilledWorld
    id: str
    log: Path
    prefix: str = ""
    asks: int = 0
    posted: dict[str, list[str]] = field(default_factory=dict)
    replied: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    at_desk: set[str] = field(default_factory=set)

    def logged(self, event):
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def decisions(self):
        return [line["labels"] for line in self.logged("decision")]

    def command(self, number):
        return f"touch {self.prefix}-{number:04}"

    def pending(self):
        return self.world.client.get(f"/api/sessions/{self.id}/pending").body

    def rests(self):
        """The prompt of the command that it asks now; None for one that listens and is idle."""

        def waits():
            number = len(self.decisions())
            if number == self.asks:
                now = self.world.client.get(f"/api/sessions/{self.id}").body
                return [None] if now["state"] == "idle" and not now["queued"] else []
            return [p for p in self.pending() if p["description"] == self.command(number)]

        (prompt,) = until(waits, 60, lambda: f"{self.pending()} after {self.decisions()}\n")
        assert len(self.pending()) <= 1
        return prompt

    def answer(self, prompt, label):
        """Post an answer; the server may die meanwhile."""
        option = next(each for each in prompt["options"] if each["label"] == label)
        self.posted.setdefault(prompt["description"], []).append(label)
        body = {"requestId": prompt["requestId"], "selectedOption": option["value"]}
        with suppress(requests.RequestException):
            reply = self.world.client.post(f"/api/sessions/{self.id}/respond", body)
            assert reply.status in (200, 409, 502, 503), reply
            if reply.status == 200:
                self.replied[prompt["requestId"]] = reply.body["state"]

    def answer_at_desk(self):
        """Somebody at the desk chooses the first row."""
        command = self.command(len(self.decisions()))
        self.posted[command] = [YES]
        self.at_desk.add(command)
        pane = self.world.client.get(f"/api/sessions/{self.id}").body["pane"]
        self.world.tmux("send-keys", "-t", pane, "Enter")

    def say(self, text):
        """Post a message; the server may die meanwhile."""
        self.said.append(text)
        with suppress(requests.RequestException):
            reply = self.world.client.post(f"/api/sessions/{self.id}/message", {"message": text})
            assert reply.status in (200, 202, 502), reply
            if reply.status != 502:
                self.accepted.append(text)


class KilledWorld:
    """A tmux server, a server that dies, and agents."""

    def __init__(self, nursery: Nursery, folder: Path, socket: str) -> None:
        self.folder, self.socket = folder, socket
        folder.mkdir(parents=True, exist_ok=True)
        self.server = ForkedServer(nursery, folder, socket)
        self.trace = folder / "trace"
        self.agents: list[Agent] = []

    @property
    def client(self):
        return self.server.client

    def start(self, point="", times=1, *, wait=True, **more):
        """Start the server; it will kill itself at this point of the next answer."""
        self.trace.unlink(missing_ok=True)
        fault = {"trace": str(self.trace), "point": point, "times": times}
        self.server.start(wait=wait, fault=fault, **more)

    def traced(self):
        return self.trace.read_text().splitlines() if self.trace.exists() else []

    def tmux(self, *command):
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", os.devnull, "-u", *command],
            capture_output=True,
            text=True,
            timeout=60,
            env=clean_environment(self.folder / "home"),
            check=True,
        )
        return done.stdout.rstrip("\n")

    def asking(self, prefix, asks, *, shell=False):
        """An agent that asks so many commands; one in a user's shell exits to it in the end."""
        script = self.folder / f"{prefix}.json"
        items = [{"run": f"touch {prefix}-{number:04}"} for number in range(asks)]
        script.write_text(json.dumps([[*items, *([{"exit": 0}] if shell else [])]]))
        agent = self._agent(prefix, ("--script", str(script)), shell=shell)
        agent.asks = asks
        return agent

    def chatting(self, name):
        return self._agent(name, ("--chat",))

    def _agent(self, name, flags, *, shell=False):
        log = self.folder / f"{name}.jsonl"
        args = ("--delay", "0", "--log", str(log), *flags)
        if shell:
            new = ("new-session", "-dP", "-F", "#{pane_id}", "-x", "80", "-y", "24")
            pane = self.tmux(*new, "-c", str(self.folder), "--", *SHELL)
            self.tmux("send-keys", "-t", pane, " ".join((*PROGRAM, *args)), "Enter")
            until(log.exists)
            body = {"adopt": pane, "adapter": "demo"}
        else:
            body = {"adapter": "demo", "cwd": str(self.folder), "args": args}
        reply = self.client.post("/api/sessions", body)
        assert reply.status == 201, reply
        self.agents.append(Agent(self, reply.body["id"], log, name))
        return self.agents[-1]

    def at_once(self, *calls):
        """Start calls in threads; returns what waits for their end."""
        threads = [threading.Thread(target=call) for call in calls]
        for thread in threads:
            thread.start()

        def join():
            for thread in threads:
                thread.join(60)
                assert not thread.is_alive()

        return join

    def journal(self):
        """Every event."""
        events, after = [], 0
        while page := self.client.get("/api/journal", after=after, limit=1000).body["events"]:
            events += page
            after = page[-1]["seq"]
        return events

    def audit(self):
        """What must hold whenever the server has started again."""
        events = self.journal()
        for agent in self.agents:
            mine = [event for event in events if event["sessionId"] == agent.id]
            audit_answers(agent, mine)
            audit_messages(agent, mine)


def audit_answers(agent, events):
    """Each decision is the last that was posted for its command; the journal says no other."""
    decisions = agent.decisions()
    for number, labels in enumerate(decisions):
        posted = agent.posted.get(agent.command(number))
        assert posted, f"{agent.command(number)} was decided, and nobody answered it"
        assert labels == posted[-1:], f"{agent.command(number)}: {labels}, posted {posted}"
    if agent.asks:
        enters = [line for line in agent.logged("key") if line["key"] == "Enter"]
        assert len(enters) == len(decisions), "an Enter that decided nothing"
    made = {agent.command(number): labels for number, labels in enumerate(decisions)}
    asked: dict[str, str] = {}
    ended: dict[str, str] = {}
    for event in events:
        data = event["data"]
        if event["type"] == "approval_required":
            assert data["requestId"] not in asked, "a prompt was opened twice"
            asked[data["requestId"]] = data["description"]
        elif event["type"] == "prompt_resolved":
            assert data["requestId"] not in ended, "a prompt ended twice"
            ended[data["requestId"]] = data["state"]
            check_outcome(data, made.get(asked[data["requestId"]]), agent.at_desk)
    for request_id, state in agent.replied.items():
        assert ended.get(request_id) == state, "what was replied is not what the journal says"
    sure = [asked[name] for name, state in ended.items() if state != "failed"]
    assert len(sure) == len(set(sure)), "one command was answered twice"


def check_outcome(data, made, at_desk):
    """The outcome of a prompt beside what its agent did."""
    state = data["state"]
    assert (state == "answered_elsewhere") == (data["description"] in at_desk), data
    assert state in {*OUTCOMES, "answered_elsewhere"}, data
    if state in ("answered", "denied"):
        assert made, f"{data} and the agent decided nothing"
        assert (state == "denied") == (made == [NO]), (data, made)


def audit_messages(agent, events):
    """No message arrives twice; one that was accepted arrives, or its loss is reported."""
    arrived = [line["text"] for line in agent.logged("message")]
    assert len(arrived) == len(set(arrived)), f"a message arrived twice: {arrived}"
    assert set(arrived) <= set(agent.said)
    of_messages = [event for event in events if "messageId" in event["data"]]
    queued = {
        event["data"]["messageId"]: event["data"]["message"]
        for event in of_messages
        if event["type"] == "message_queued"
    }
    unsure = {
        queued[event["data"]["messageId"]]
        for event in of_messages
        if event["type"] == "session_error"
    }
    assert set(agent.accepted) <= set(arrived) | unsure
    assert set(queued.values()) <= set(arrived) | unsure
