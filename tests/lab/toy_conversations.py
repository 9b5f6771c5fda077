"""Desks whose toy CLI writes transcripts and a state file."""

from __future__ import annotations

from pathlib import Path

from fake_terminal import Desk, FakeTerminal, Toy, make_adapter
from toy_transcripts import Notes, write

from clawtap_core import (
    AgentEvent,
    HookReport,
    LaunchRequest,
    Parsed,
    SessionState,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.timings import Timings


@hookimpl
def transcript_sources(env, cwd):
    root = env["HOME"] + "/notes"
    return [
        TranscriptSource(root, "**/*.jsonl"),
        TranscriptSource(root, "**/*.json", rewritten=True),
    ]


@hookimpl
def describe_transcript(path, head):
    name = path.rsplit("/", 1)[-1].partition(".")[0]
    if path.endswith(".task"):
        return TranscriptInfo("", origin=head.decode())
    subagent = {"origin": name, "origin_file": f"{name}.task"} if "/agents/" in path else {}
    return TranscriptInfo(
        name,
        cwd_file="folder",
        title=name,
        version="7.1",
        companions=f"{name}/agents/*.jsonl",
        **subagent,
    )


@hookimpl
def parse_transcript(data, state):
    parsed = Notes()(data, state)
    events = tuple(
        AgentEvent("status_update", {"model": "swift", "contextTokens": 10, "contextWindow": 40})
        for message in parsed.messages
        if message.role == "assistant"
    )
    failed = tuple(
        AgentEvent("session_error", {"error": "too much", "code": "rate_limited"})
        for message in parsed.messages
        if message.id == "failed"
    )
    summed = tuple(
        AgentEvent("status_update", {"summary": "all about the north"})
        for message in parsed.messages
        if message.id == "summed"
    )
    skipped = parsed.skipped
    why = {"a line that is no record": skipped} if skipped else {}
    rewound = [message.id for message in parsed.messages if message.id.startswith("back to ")]
    kept = tuple(message for message in parsed.messages if message.id not in rewound)
    gone = tuple(name.removeprefix("back to ") for name in rewound)
    return Parsed(
        parsed.consumed,
        parsed.state,
        kept,
        (*events, *failed, *summed),
        skipped,
        why,
        removed_from=gone,
    )


@hookimpl
def state_file(env, pid):
    return f"{env['HOME']}/{pid}.state"


@hookimpl
def parse_state_file(data):
    name, state = data.decode().split()
    return HookReport(cli_session_id=name, state=SessionState(state))


_HOOKS = (transcript_sources, describe_transcript, parse_transcript, state_file, parse_state_file)


def talking_adapter():
    """The adapter of a toy that writes transcripts and a state file."""
    adapter = make_adapter()
    for hook in _HOOKS:
        setattr(adapter, hook.__name__, hook)
    return adapter


class Office:
    """Opens desks whose CLI writes transcripts; `home` is where."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.project = folder / "notes", folder / "proj"
        self.project.mkdir()
        self.journal, self.terminal, self.timings = MemoryJournal(), FakeTerminal(), Timings()
        self.opened: list[Runtime] = []
        self.host = Host()
        self.host.add(talking_adapter(), "toy")

    def open(self):
        agent = Runtime(
            self.host,
            self.terminal,
            self.journal,
            env={"HOME": str(self.folder)},
            timings=self.timings,
        )
        self.opened.append(agent)
        return Desk(self.terminal, self.journal, agent)

    def start(self, desk, toy=None, cwd=None):
        self.terminal.program = toy or Toy()
        session = desk.transport().start(LaunchRequest("toy", str(cwd or self.project)))
        return session.id

    def write(self, name, *lines):
        write(self.home / "folder", str(self.project).encode())
        return write(self.home / f"{name}.jsonl", *lines)


def said(desk, session_id, **query):
    page = desk.transport().messages(session_id, **query)
    return [message.id for message in page.messages]


def show(desk, session_id, *history):
    """The CLI paints what was said."""
    pane = desk.terminal.watched[desk.transport().session(session_id).pane]
    pane.program.history.extend(history)
    pane.look()
