"""One control-mode client: a `tmux -C` process and a thread that reads it."""

from __future__ import annotations

import contextlib
import logging
import secrets
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import IO

from clawtap_core.errors import ClawTapError
from clawtap_core.terminal import errors
from clawtap_core.terminal.control_parser import Answer, Block, ControlParser, Garbled, Notice
from clawtap_core.terminal.program import Tmux
from clawtap_core.terminal.quoting import Command, Line, line

log = logging.getLogger(__name__)
_CHUNK = 16384
_PATIENCE = 5.0
_READER_ENDS = 1.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the commands of one line printed, or why they stopped."""

    blocks: tuple[tuple[bytes, ...], ...] = ()
    error: ClawTapError | None = None


class ControlClient:
    """Run commands over one `tmux -C` process and report tmux's notices.

    `on_notice` and the callbacks of `submit` run in the reader thread and must return at once;
    `on_lost` runs there if the client ends without being closed.
    """

    def __init__(
        self,
        tmux: Tmux,
        arguments: Sequence[str],
        *,
        name: str,
        on_notice: Callable[[ControlClient, Notice], None],
        on_lost: Callable[[ControlClient], None],
        start: bool = False,
    ) -> None:
        self._registry = tmux.registry
        self._process = tmux.client(arguments, start=start)
        self._on_notice, self._on_lost = on_notice, on_lost
        self._order = threading.Lock()
        self._ready = threading.Event()
        self._parser = ControlParser()
        self._pending: deque[Callable[[Reply], None]] = deque()
        self._closing = self._over = False
        self._complaint = ""
        self._reader = threading.Thread(target=self._read, name=f"clawtap-{name}", daemon=True)
        self._reader.start()

    @property
    def client_name(self) -> str:
        """The name that tmux gives this client."""
        return f"client-{self._process.pid}"

    @property
    def alive(self) -> bool:
        """Whether tmux still serves this client."""
        return not (self._over or self._closing)

    def submit(self, line: Line, then: Callable[[Reply], None]) -> None:
        """Send commands as one line; `then` gets the reply, even if the client is lost."""
        with self._order:
            if self.alive:
                nonce = secrets.token_hex(8).encode()
                self._pending.append(then)
                self._parser.expect(len(line.parts), nonce)
                self._write(line.framed(nonce))
                return
        then(Reply(error=errors.gone(self._complaint)))

    def run(self, *commands: Command, timeout: float = 10.0) -> tuple[tuple[bytes, ...], ...]:
        """Send commands and return what they print."""
        answer: Future[Reply] = Future()
        self.submit(line(*commands), answer.set_result)
        try:
            reply = answer.result(timeout)
        except FutureTimeout:
            # A late answer would be taken for that of the next command.
            self._process.kill()
            self._give_up()
            raise errors.timed_out(timeout) from None
        if reply.error:
            raise reply.error
        return reply.blocks

    def wait_ready(self, timeout: float = 10.0) -> None:
        """Wait until tmux attached this client."""
        if not self._ready.wait(timeout):
            self._process.kill()
            raise errors.timed_out(timeout)
        if not self.alive:
            raise errors.gone(self._complaint)

    def close(self) -> None:
        """Kill the client."""
        # tmux drops a killed client in one step. One that takes its leave is half gone for a
        # moment, in which tmux 3.3 may crash.
        self._closing = True
        self._process.kill()
        if threading.current_thread() is not self._reader:
            # A tmux server that is stopped holds the pipes of our killed client open.
            self._reader.join(_READER_ENDS)
            self._give_up()

    def _write(self, data: bytes) -> None:
        stream, view = _pipe(self._process.stdin), memoryview(data)
        try:
            while view:
                view = view[stream.write(view) or 0 :]
        except (OSError, ValueError):
            log.debug("tmux client ended while it was written to")

    def _read(self) -> None:
        stream = _pipe(self._process.stdout)
        try:
            while data := stream.read(_CHUNK):
                for item in self._parser.feed(data):
                    self._on_output(item)
        except Garbled:
            log.warning("tmux sent an unexpected answer: reconnecting")
            self._over = True
            self._process.kill()
        except (OSError, ValueError):
            log.debug("tmux client ended while it was read")
        self._end()

    def _on_output(self, item: Answer | Block | Notice) -> None:
        try:
            if isinstance(item, Notice):
                if item.name in ("", "exit") and item.rest:
                    self._complaint = item.rest.decode("utf-8", "replace")
                self._on_notice(self, item)
            elif isinstance(item, Answer) and not self._over:
                last = item.blocks[-1]
                error = errors.refused(_text(last.lines)) if last.failed else None
                blocks = tuple(block.lines for block in item.blocks)
                self._pending.popleft()(Reply(blocks, error))
            elif isinstance(item, Block) and item.failed:
                self._complaint = _text(item.lines)
            elif isinstance(item, Block) and not item.ours:
                self._ready.set()
        except Exception:
            log.exception("handler of tmux output failed")

    def _give_up(self) -> None:
        """Take no more commands, and tell those who wait for a reply that none will come."""
        with self._order:
            self._over = True
            left, self._pending = list(self._pending), deque()
        for then in left:
            then(Reply(error=errors.gone(self._complaint)))

    def _end(self) -> None:
        with self._order:
            self._over = True
        self._reap()
        self._ready.set()
        self._give_up()
        if not self._closing:
            self._on_lost(self)

    def _reap(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # the pipe may be broken already
                _pipe(stream).close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._registry.remove(self._process.pid)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("the client has no pipe")
    return stream


def _text(lines: Sequence[bytes]) -> str:
    return b" ".join(lines).decode("utf-8", "replace").strip()
