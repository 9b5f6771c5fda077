"""Sessions of real CLIs over their machine protocols, in the same testbed as those in panes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cli_testbed import CliSession, CliTestbed
from codex_testbed import CodexTestbed
from fake_terminal import until

from clawtap_core.testing import Happened
from clawtap_core.testing.scripted.request_log import PATIENCE

ONCE = {"tool_call_start": 1, "tool_call_end": 1, "tool_result": 1}
"""How often each event of a call comes, whoever reports it."""


class ProtocolCliSession(CliSession):
    """A session without a pane: nothing to look at, everything is reported."""

    def __init__(self, testbed: CliTestbed, session: Mapping[str, Any], cwd: Path) -> None:
        self.testbed = testbed
        self.cwd = cwd
        self.id = session["id"]
        self.path = f"/api/sessions/{self.id}"
        self.seat = _NoSeat()  # type: ignore[assignment]
        self.end = ""
        self.met: set[str] = set()
        self.listen()

    def finish(self) -> None:
        """Hear the model's last words, and see the session idle with nothing pending."""
        self.hear(self.end)
        self.idle()

    def hear(self, words: str, seconds: float = PATIENCE) -> Happened:
        """Wait until the model said this."""

        def said(data: Mapping[str, Any]) -> bool:
            blocks = data["message"]["content"] if "message" in data else data.get("content", ())
            return any(words in (block.get("text") or "") for block in blocks)

        return self.events.wait("message", where=said, seconds=seconds)

    def prompts(self, count: int) -> list[dict[str, Any]]:
        """The next prompts, which wait at the same time."""
        found = [self.prompt() for _ in range(count)]
        assert len(self.pending()) == count
        return found

    def expire(self, prompt: Mapping[str, Any]) -> dict[str, Any]:
        """Let the time of a prompt run out; how it ended."""
        path = f"/api/prompts/{prompt['requestId']}/extend"
        assert self.testbed.client.post(path, {"seconds": 0.5}).status == 200
        return self.resolved(prompt)

    def written_calls(self, count: int) -> list[str]:
        """The ids of the calls that the transcript holds, once it holds so many."""

        def found() -> list[str]:
            messages = self.get("/messages").body["messages"]
            blocks = [block for message in messages for block in message["content"]]
            return [block["toolCallId"] for block in blocks if block["type"] == "tool_result"]

        until(lambda: len(found()) >= count, PATIENCE)
        return found()

    def reports_of(self, call: str) -> Counter[str]:
        """How often each event of a call came."""
        mine = [event for event in self.events.seen if event.type in ONCE]
        return Counter(event.type for event in mine if event.data["toolCallId"] == call)

    def problem(self, code: str, seconds: float = PATIENCE) -> Mapping[str, Any]:
        """Wait for an error of the session."""
        where = {"session_error": lambda data: data.get("code") == code}
        return self.events.wait(*where, where=where["session_error"], seconds=seconds).data


class _NoSeat:
    """Where a pane would be looked at."""

    def text(self) -> str:
        """What it shows."""
        return "(no pane)"


def speak(testbed: CliTestbed, adapter: str, **request: Any) -> ProtocolCliSession:
    """A session of this testbed over the protocol, idle."""
    cwd = testbed.project()
    if isinstance(testbed, CodexTestbed):
        testbed.trusted.add(cwd)
        testbed.settle(**testbed.asked)
    body = {"adapter": adapter, "cwd": str(cwd), "channel": "protocol", **request}
    reply = testbed.client.post("/api/sessions", body)
    assert reply.status == 201, reply
    talk = ProtocolCliSession(testbed, reply.body, cwd)
    talk.idle(100)
    return talk


def lose_server(talk: ProtocolCliSession, *words: str) -> None:
    """Kill the server, see its CLI end with it, and start the server again."""
    cli = child_of(talk.testbed, *words)
    talk.testbed.served.kill()
    until(lambda: not _group(cli), PATIENCE)
    talk.testbed.served.start()
    talk.listen()


def goes_on(talk: ProtocolCliSession, prompt: Mapping[str, Any], *, after: str) -> None:
    """In this state what waited is over, and the next message reaches the model once."""
    talk.state(after)
    assert talk.approve(prompt).status == 409
    talk.play()
    talk.say("are you back?")
    talk.hear(talk.end, 100)  # as long as the first start of a CLI may take
    talk.idle()
    assert talk.log.times_said("are you back?") == 1


def child_of(testbed: CliTestbed, *words: str) -> int:
    """The CLI that the server runs, by one of these words in its command line."""
    server = testbed.served.process
    assert server
    for pid, (_, parent, _) in _processes():
        with suppress(OSError):
            argv = Path(f"/proc/{pid}/cmdline").read_text()
            if int(parent) == server.pid and any(word in argv for word in words):
                return pid
    raise AssertionError("the server has no such child")


def _group(leader: int) -> list[int]:
    """What runs in a process group."""
    return [pid for pid, (state, _, group) in _processes() if int(group) == leader and state != "Z"]


def _processes() -> Iterator[tuple[int, list[str]]]:
    """Every process: its state, its parent and its group."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            yield int(folder.name), found
