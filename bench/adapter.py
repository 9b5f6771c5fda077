"""The adapter for the painter: as small as an adapter can be."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from clawtap_claude import parse_transcript

from bench.spoken import BenchPeer
from clawtap_core import (
    AdapterInfo,
    Capabilities,
    Effect,
    Kind,
    Launch,
    LaunchRequest,
    Option,
    Press,
    PromptForm,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)

__all__ = ["parse_transcript"]
SPOKEN = str(Path(__file__).with_name("spoken.py"))
PAINTER = str(Path(__file__).with_name("painter.py"))
IDLE = ("sh", "-c", "echo Ready; exec sleep 3600")
_ASK = re.compile(r"^(Question \d+\?)\n1\. Yes\n2\. No\Z", re.MULTILINE)
_OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))


@hookimpl
def adapter_info() -> AdapterInfo:
    """Who it is."""
    able = Capabilities(resume=True, channels=("terminal", "protocol"))
    return AdapterInfo(id="bench", name="Bench", capabilities=able)


@hookimpl
def launch(request: LaunchRequest) -> Launch:
    """The painter with the request's arguments; without any, a program that does nothing."""
    if request.channel == "protocol":
        return Launch((sys.executable, SPOKEN, *request.args))
    argv = (sys.executable, PAINTER, *request.args) if request.args else IDLE
    return Launch(argv, cli_session_id=request.resume)


@hookimpl
def open_protocol(request: LaunchRequest) -> BenchPeer:
    """A conversation with the program that asks."""
    return BenchPeer()


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """The question that the painter shows."""
    found = _ASK.search(screen.text)
    if found is None:
        return None
    return PromptForm(
        Kind.PERMISSION,
        found[1],
        tool_name="bench-shell",
        tool_input={"command": found[1].rstrip("?").lower()},
        options=_OPTIONS,
    )


@hookimpl
def detect_state(screen: Screen) -> SeenState | None:
    """Busy while it spins."""
    if _ASK.search(screen.text):
        return SeenState(SessionState.WAITING)
    last = screen.text.rpartition("\n")[2]
    state = SessionState.BUSY if "Working" in last else SessionState.IDLE
    return SeenState(state, draft="")


@hookimpl
def respond(response: Response) -> Steps:
    """One key."""
    key = "1" if response.selected_option == "yes" else "2"
    return Steps((Press(key, deciding=True),), done=True)


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """A folder of its own; its transcripts are those of Claude Code."""
    return (TranscriptSource(f"{env['HOME']}/talks", "*.jsonl"),)


@hookimpl
def describe_transcript(path: str) -> TranscriptInfo:
    """Named by its file."""
    return TranscriptInfo(Path(path).stem)
