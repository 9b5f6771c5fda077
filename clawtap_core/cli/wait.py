"""The commands wait and run: scripts that wait for an agent."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine, with_server
from clawtap_core.cli.durations import Seconds
from clawtap_core.cli.lookup import session_named
from clawtap_core.cli.output import as_json, dumped, echo, harmless, limit_line, print_json
from clawtap_core.commands import headline
from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    ErrorCode,
    Impossible,
    NotFound,
    Unavailable,
    UsageError,
)
from clawtap_core.model import LaunchRequest, Message, Prompt, Session, SessionState
from clawtap_core.transport import Transport

T = TypeVar("T")
FAILED, ENDED, ASKED, LIMITED, TIMED_OUT = 1, 3, 4, 5, 124
# A session counts as idle after this many seconds: a message that was just sent starts a turn.
IDLE_FOR = 1.0
# How many seconds an answer may take to reach the transcript after its turn.
ANSWER_SECONDS = 20.0
LOOK_SECONDS = 0.25
RETRIES = 120


@dataclass(frozen=True, slots=True)
class WaitResult:
    """The end of a wait: `status` is the exit status, `text` the line that matched."""

    status: int
    session: Session
    text: str = ""


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.option(
    "--until",
    "states",
    multiple=True,
    type=click.Choice(["idle", "waiting", "limited", "ended"]),
    help="The state to wait for [idle]; repeatable.",
)
@click.option(
    "--text", "pattern", help="A regular expression to wait for in what the agent writes."
)
@click.option("--timeout", type=Seconds(), help="Give up after this many seconds.")
@as_json
@with_server
def wait(
    server: Transport,
    session: str,
    states: tuple[str, ...],
    pattern: str | None,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Wait until a session is idle, asks something, reaches its usage limit, or has ended.

    Or until its agent writes a text (--text). Exits with 0 then, with 3 if the session ends
    first, with 5 if it should become idle and reaches its limit, and with 124 after --timeout.
    """
    try:
        words = re.compile(pattern) if pattern else None
    except re.error as error:
        raise UsageError(f"--text is not a regular expression: {error}") from None
    check = _StateCheck(server, states or (() if words else ("idle",)), words)
    named = session_named(server, session)
    result = wait_for(server, named.id, check, timeout)
    result = result or WaitResult(TIMED_OUT, server.session(named.id))
    if as_json:
        ok = result.status == 0
        print_json({"ok": ok, "text": result.text, "session": dumped([result.session])[0]})
    elif result.status == TIMED_OUT:
        echo(f"still {result.session.state.value} after {timeout:g} s", err=True)
    else:
        echo(harmless(result.text) or result.session.state.value, err=bool(result.status))
    sys.exit(result.status)


@click.command
@click.argument("adapter", shell_complete=complete.adapters)
@click.argument("task")
@click.argument("args", nargs=-1)
@click.option(
    "--cwd", type=click.Path(path_type=Path), default=Path(), help="The folder to work in."
)
@click.option("--model", help="The id of the model.")
@click.option("--mode", "permission_mode", help="The id of the permission mode.")
@click.option("--effort", help="The id of the effort level.")
@click.option("--timeout", type=Seconds(), help="Give up after this many seconds.")
@click.option(
    "--on-prompt",
    type=click.Choice(["ask", "deny", "fail"]),
    default="ask",
    show_default=True,
    help="What to do when the agent asks something: ask you as usual, deny it, or give up.",
)
@click.option("--keep", is_flag=True, help="Leave the session running.")
@as_json
@with_machine
def run(
    server: Transport,
    adapter: str,
    task: str,
    args: tuple[str, ...],
    cwd: Path,
    timeout: float | None,
    on_prompt: str,
    keep: bool,
    as_json: bool,
    **how: str | None,
) -> None:
    """Start an agent, give it a task, and print its answer.

    The task `-` is read from stdin. Arguments after `--` are passed to the CLI.
    Exits with 1 if there is no answer, with 3 if the session ends first, with 4 if the agent asked
    something that `--on-prompt` does not allow, with 5 if it reached its usage limit, and with 124
    after --timeout.
    """
    message = sys.stdin.read().strip() if task == "-" else task
    if not message:
        raise BadRequest("the task is empty", code=ErrorCode.MESSAGE_REQUIRED)
    request = LaunchRequest(adapter, str(cwd.absolute()), message=message, args=args, **how)  # type: ignore[arg-type]
    session = server.start(request)
    try:
        check = _TaskCheck(server, on_prompt)
        result = wait_for(server, session.id, check, timeout)
        result = result or WaitResult(TIMED_OUT, server.session(session.id))
    finally:
        if not keep:
            with suppress(ClawTapError):
                server.end(session.id)
    if as_json:
        print_json({"ok": not result.status, "text": result.text, "sessionId": session.id})
    elif result.status == 0:
        echo(harmless(result.text))
    else:
        echo(f"error: {_why(result, timeout)}", err=True)
    sys.exit(result.status)


def wait_for(
    server: Transport,
    session_id: str,
    check: Callable[[Session], T | None],
    seconds: float | None = None,
) -> T | None:
    """Return what `check` gives for the session once it is not None, or None after `seconds`.

    A server that restarts meanwhile is waited for.
    """
    end = None if seconds is None else time.monotonic() + seconds
    tries = 0
    while True:
        try:
            result = check(server.session(session_id))
            tries = 0
        except Unavailable:
            result, tries = None, tries + 1
            if tries > RETRIES:
                raise
        if result is not None or (end is not None and time.monotonic() >= end):
            return result
        time.sleep(LOOK_SECONDS)


class _IdleClock:
    """A clock of how long a session has been idle, with no message queued."""

    def __init__(self) -> None:
        self._since: float | None = None

    def seconds(self, session: Session) -> float:
        """Return for how long the session has been idle, or 0.0 if it is not."""
        if session.state is not SessionState.IDLE or session.queued:
            self._since = None
            return 0.0
        self._since = self._since or time.monotonic()
        return time.monotonic() - self._since


class _StateCheck:
    """A check whether a session is in one of these states, or wrote what a pattern matches."""

    def __init__(
        self, server: Transport, states: tuple[str, ...], words: re.Pattern[str] | None
    ) -> None:
        self._server, self._states, self._words = server, states, words
        self._idle = _IdleClock()

    def __call__(self, session: Session) -> WaitResult | None:
        idle_for = self._idle.seconds(session)
        if self._words:
            for line in _agents_text(self._server, session.id).splitlines():
                if self._words.search(line):
                    return WaitResult(0, session, line)
        if "idle" in self._states and idle_for >= IDLE_FOR:
            return WaitResult(0, session)
        if "waiting" in self._states and session.state is SessionState.WAITING:
            return WaitResult(0, session)
        if session.state.over:
            return WaitResult(0 if "ended" in self._states else ENDED, session)
        if session.state is SessionState.LIMITED and "limited" in self._states:
            return WaitResult(0, session, limit_line(session))
        return _stopped_by_limit(session) if "idle" in self._states else None


class _TaskCheck:
    """A check whether an agent has finished its task; `on_prompt` says what its prompts get."""

    def __init__(self, server: Transport, on_prompt: str) -> None:
        self._server, self._on_prompt = server, on_prompt
        self._idle = _IdleClock()
        self._denied: set[str] = set()

    def __call__(self, session: Session) -> WaitResult | None:
        if self._on_prompt != "ask":
            for prompt in self._server.pending(session.id):
                if self._on_prompt == "fail" or not self._deny(prompt):
                    return WaitResult(ASKED, session, headline(prompt))
        idle_for = self._idle.seconds(session)
        if stopped := _stopped_by_limit(session):
            return stopped
        if idle_for < IDLE_FOR and not session.state.over:
            return None
        if text := _agents_text(self._server, session.id):
            return WaitResult(0, session, text)
        if session.state.over:
            return WaitResult(ENDED, session, session.detail or "")
        return WaitResult(FAILED, session) if idle_for > ANSWER_SECONDS else None

    def _deny(self, prompt: Prompt) -> bool:
        if prompt.request_id not in self._denied:
            self._denied.add(prompt.request_id)
            try:
                self._server.deny(prompt.session_id, prompt.request_id)
            except Impossible:
                return False
            except (Conflict, NotFound):
                pass  # It has been answered, or has left.
        return True


def _stopped_by_limit(session: Session) -> WaitResult | None:
    limit = session.limit if session.state is SessionState.LIMITED else None
    if limit is None or limit.resume is not None:
        return None  # it is not limited, or will be resumed
    return WaitResult(LIMITED, session, limit_line(session))


def _agents_text(server: Transport, session_id: str) -> str:
    """Return what the agent wrote since the last message of the user."""
    messages: list[Message] = []
    for message in server.messages(session_id, limit=50).messages:
        if message.role == "user":
            messages.clear()
        elif message.role == "assistant" and message.origin is None:
            messages.append(message)
    texts = [b.text for message in messages for b in message.content if b.type == "text" and b.text]
    return "\n\n".join(texts)


def _why(result: WaitResult, timeout: float | None) -> str:
    if result.status == TIMED_OUT:
        return f"still {result.session.state.value} after {timeout:g} s"
    if result.status == ASKED:
        return f"it asked: {harmless(result.text)}"
    if result.status == LIMITED:
        return harmless(result.text)
    if result.status == ENDED:
        return f"the session ended without an answer {harmless(result.text)}".rstrip()
    return (
        "the turn ended without an answer that ClawTap could read;"
        f" clawtap attach {result.session.id} shows the screen"
    )
