"""A testbed: a server as its user starts it, a real CLI, a scripted model, a desk."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from clawtap_gemini.live import home as gemini_home
from clawtap_gemini.live.model import GeminiModel
from clilab.desk import Desk, Seat
from clilab.environment import MCP_SERVER, environment
from clilab.install import install

from clawtap_core.testing import Client, Happened, Reply, Served
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server
from clawtap_core.testing.scripted.request_log import PATIENCE

PROMPTS = ("approval_required", "question_prompt")
_numbers = itertools.count(1)


def asked_in(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The prompts in an event: one that stood before the stream was opened is in its snapshot."""
    return list(data["prompts"]) if "prompts" in data else [data]


class CliTestbed:
    """One version of the Gemini CLI, with everything around it.

    `rests_in`: the mode that a scenario has to leave behind. `patience`: for how many seconds to
    wait for a turn of the CLI.
    """

    rests_in: ClassVar[str | None] = "default"
    patience: ClassVar[float] = PATIENCE
    shared: CliSession | None = None

    def __init__(self, version: str, folder: Path) -> None:
        self.version = version
        self.home = folder / "home"
        self.folder = folder
        self.model = GeminiModel().start()
        self.desk = Desk(SOCKET_PREFIX + version.replace(".", "-"))
        self.env = environment(
            self.home, install("gemini", version), gemini_home.environment(self.model.url)
        )
        self.settle()
        self.served = Served(folder, tmux_socket=self.desk.socket, env=self.env)

    @property
    def client(self) -> Client:
        """A device; the server is started with the first one."""
        if self.served.process is None:
            self.served.start()
        return self.served.client

    def settle(self, **settings: Any) -> None:
        """Rewrite the CLI's settings."""
        gemini_home.write_home(self.home, gemini_home.settings(mcp_server=MCP_SERVER, **settings))

    @contextmanager
    def settings(self, **settings: Any) -> Iterator[None]:
        """Other settings, for CLIs that start in this block."""
        # A CLI that runs may read them, too, and stay without its key after the block.
        self.unshare()
        self.settle(**settings)
        try:
            yield
        finally:
            self.settle()

    def project(self) -> Path:
        """A new folder for a CLI to work in."""
        folder = self.folder / f"proj{next(_numbers)}"
        folder.mkdir()
        return folder

    def start(self, cwd: Path | None = None, **request: Any) -> CliSession:
        """A session that ClawTap starts."""
        cwd = cwd or self.project()
        body = {"adapter": "gemini", "cwd": str(cwd), **request}
        return self.talk(self.client.post("/api/sessions", body), cwd)

    def adopt(self, pane: str, cwd: Path) -> CliSession:
        """A session in a pane that somebody else started."""
        return self.talk(self.client.post("/api/sessions", {"adopt": pane}), cwd)

    def talk(self, reply: Reply, cwd: Path) -> CliSession:
        """The session that a reply tells of."""
        assert reply.status == 201, reply
        return (CliSession if reply.body.get("pane") else ProtocolCliSession)(self, reply.body, cwd)

    def share(self) -> CliSession:
        """The session that scenarios share; a new one when the last scenario spoiled it."""
        if self.shared is None:
            self.shared = self.start()
            self.shared.idle(60)
        if not self.shared.events.open:  # a scenario ended the server and started it again
            self.shared.listen()
        return self.shared

    def unshare(self) -> None:
        """Leave the shared session."""
        if self.shared:
            self.shared.leave()
            self.shared = None

    def close(self) -> None:
        """End it all."""
        self.unshare()
        self.served.stop()
        end_server(self.desk.socket)
        self.model.stop()


class CliSession:
    """One session, from one device; `end` is what the model says when a scenario is over."""

    def __init__(self, testbed: CliTestbed, session: Mapping[str, Any], cwd: Path) -> None:
        self.testbed = testbed
        self.cwd = cwd
        self.id = session["id"]
        self.path = f"/api/sessions/{self.id}"
        self.seat = Seat(testbed.desk, session.get("pane") or "")
        self.end = ""
        self.met: set[str] = set()
        self.listen()

    @property
    def model(self) -> GeminiModel:
        """The model that the CLI talks to."""
        return self.testbed.model

    @property
    def log(self) -> Any:
        """What the model was sent since `play`."""
        return self.model.log

    def listen(self) -> None:
        """Open the event stream."""
        self.events = self.testbed.client.events(f"{self.path}/events")

    def get(self, path: str = "") -> Reply:
        """GET something of this session."""
        return self.testbed.client.get(self.path + path)

    def post(self, path: str, **body: Any) -> Reply:
        """POST something to this session."""
        return self.testbed.client.post(f"{self.path}/{path}", body)

    def play(self, *turns: Any) -> None:
        """Give the model its turns; then it says `end`."""
        self.end = f"all done {next(_numbers)}"
        self.model.play(*turns, self.end)

    def say(self, text: str = "") -> str:
        """Send a message; its text."""
        text = text or f"please do number {next(_numbers)}"
        reply = self.post("message", message=text)
        assert reply.status in (200, 202), (reply, self.seat.text())
        return text

    def begin(self, turn: Mapping[str, Any], *, seconds: float) -> str:
        """Say something; its text, while the CLI still waits for this turn."""
        self.play({**turn, "delay": seconds})
        said = self.say()
        self.state("busy")
        return said

    def do(self, *turns: Any, text: str = "") -> dict[str, Any]:
        """Play the turns, say something, and get the prompt that comes of it.

        What was asked before, and answered by others, is not it.
        """
        self.meet()
        self.play(*turns)
        self.say(text)
        return self.prompt()

    def meet(self) -> None:
        """Count every prompt so far as met."""
        events = [each for each in self.events.seen if each.type in (*PROMPTS, "snapshot")]
        self.met |= {prompt["requestId"] for event in events for prompt in asked_in(event.data)}

    def prompt(self, seconds: float | None = None) -> dict[str, Any]:
        """The next prompt that was not met yet."""
        met = self.met
        event = self.events.wait(
            *PROMPTS,
            "snapshot",
            where=lambda data: any(each["requestId"] not in met for each in asked_in(data)),
            seconds=seconds or self.testbed.patience,
        )
        prompt = next(each for each in asked_in(event.data) if each["requestId"] not in met)
        self.met.add(prompt["requestId"])
        return dict(prompt)

    def resolved(self, prompt: Mapping[str, Any], seconds: float = PATIENCE) -> dict[str, Any]:
        """How a prompt ended, according to the stream."""
        asked = prompt["requestId"]
        event: Happened = self.events.wait(
            "prompt_resolved", where=lambda data: data["requestId"] == asked, seconds=seconds
        )
        return dict(event.data)

    def approve(self, prompt: Mapping[str, Any], **more: Any) -> Reply:
        """POST /approve."""
        return self.post("approve", requestId=prompt["requestId"], **more)

    def deny(self, prompt: Mapping[str, Any], **more: Any) -> Reply:
        """POST /deny."""
        return self.post("deny", requestId=prompt["requestId"], **more)

    def answer(self, prompt: Mapping[str, Any], answers: Mapping[str, Any]) -> Reply:
        """POST /submit-answers."""
        return self.post("submit-answers", requestId=prompt["requestId"], answers=answers)

    def respond(self, prompt: Mapping[str, Any], **response: Any) -> Reply:
        """POST /respond."""
        return self.post("respond", requestId=prompt["requestId"], **response)

    def finish(self) -> None:
        """See the model's last words, and the session idle with nothing pending."""
        self.seat.see(self.end, seconds=self.testbed.patience)
        self.idle()

    def idle(self, seconds: float = PATIENCE) -> None:
        """Wait until the session is idle, with nothing pending or queued."""
        self.until(
            lambda now: now["state"] == "idle" and not now["pending"] + now["queued"], seconds
        )

    def rests(self) -> bool:
        """Whether the session is as a scenario finds it."""
        mode = self.testbed.rests_in
        try:
            self.idle(5)
            self.until(lambda now: mode is None or now.get("mode") == mode, 2)
        except AssertionError:
            return False
        return True

    def state(self, state: str, seconds: float = PATIENCE) -> None:
        """Wait until the session is in this state."""
        self.until(lambda now: now["state"] == state, seconds)

    def until(self, holds: Callable[[dict[str, Any]], bool], seconds: float = PATIENCE) -> None:
        """Wait until something holds for the session."""
        end = time.monotonic() + seconds
        while not holds(now := self.get().body):
            over = now["state"] == "ended"
            if over or time.monotonic() > end:
                screen = "" if over else self.seat.text()
                raise AssertionError(f"not in {seconds:g} s: {json.dumps(now)}\n{screen}")
            time.sleep(0.05)

    def outputs(self, count: int = 1) -> list[Any]:
        """What came of the model's calls, as the model got it; waits for this many."""
        arrived = self.log.wait(
            lambda log: len(log.function_responses()) >= count, self.testbed.patience
        )
        assert arrived, "not delivered"
        return [each["response"] for each in self.log.function_responses()]

    def pending(self) -> list[dict[str, Any]]:
        """The prompts that wait."""
        return list(self.get("/pending").body)

    def journal(self) -> list[dict[str, Any]]:
        """What the journal has of this session among its last 500 events."""
        last = self.testbed.client.get("/api/journal?limit=1").body["last"]
        path = f"/api/journal?limit=500&sessionId={self.id}&after={max(last - 500, 0)}"
        return list(self.testbed.client.get(path).body["events"])

    def noted(self, kind: str) -> dict[str, Any]:
        """What the journal says of the last event of this kind in this session."""
        found = [event for event in self.journal() if event["type"] == kind]
        assert found, f"the journal has no {kind}"
        return dict(found[-1]["data"])

    def leave(self) -> None:
        """End the session, and stop listening."""
        self.events.close()
        self.testbed.client.delete(self.path)


class ProtocolCliSession(CliSession):
    """One session that has no pane."""

    def finish(self) -> None:
        """See the model's last words, and the session idle with nothing pending."""
        self.events.wait(
            "text_delta", where=lambda data: data["text"] == self.end, seconds=PATIENCE
        )
        self.idle()

    def until(self, holds: Callable[[dict[str, Any]], bool], seconds: float = PATIENCE) -> None:
        """Wait until something holds for the session."""
        end = time.monotonic() + seconds
        while not holds(now := self.get().body):
            assert time.monotonic() < end, f"not in {seconds:g} s: {json.dumps(now)}"
            time.sleep(0.05)
