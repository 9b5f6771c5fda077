"""A CLI as a child process, read and written in threads of its own."""

from __future__ import annotations

import logging
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, NotConfirmed, Unavailable
from clawtap_core.protocol.reaper import Reaper
from clawtap_core.protocol.stderr import Tail

log = logging.getLogger(__name__)
_CHUNK = 65536
# Seconds to wait for the output of a child that exited: its own children may hold it open.
LINGER = 1.0
QUEUED_AT_MOST = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Exit:
    """The status of a child that ended (minus a signal), and the end of its stderr."""

    status: int
    stderr: str = ""

    @property
    def how(self) -> str:
        """Return the status or signal in words."""
        how = f"by signal {-self.status}" if self.status < 0 else f"with status {self.status}"
        return f"ended {how}"

    @property
    def reason(self) -> str:
        """Return why it ended, as a sentence."""
        return f"{self.how}: {self.stderr}" if self.status and self.stderr else self.how


_Item = tuple[bytes, "Future[None]"]


class Child:
    """A running CLI.

    Callbacks must not wait for an answer. Reading stops while `received` runs, so the pipe
    slows down a CLI that writes faster. `reaper` ends the child when this process dies.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        reaper: Reaper | None = None,
    ) -> None:
        try:
            self._process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(f"{argv[0]} could not be started: {error}") from error
        self._reaper = reaper
        if reaper:
            reaper.hold(self.pid)
        self.stderr = Tail()
        self._queue: queue.Queue[_Item | None] = queue.Queue()
        self._queued = 0
        self._started = self._shut = False
        self._lock = threading.Lock()
        self._over = threading.Event()

    @property
    def pid(self) -> int:
        """Return the process id, which is also the group's."""
        return self._process.pid

    def start(self, received: Callable[[bytes], None], ended: Callable[[Exit], None]) -> None:
        """Start reading; `received` gets b"" at the end, then `ended` is called once."""
        self._started = True
        streams = ((self._process.stdout, received), (self._process.stderr, self.stderr.add))
        readers = [self._thread("read", _drain, stream, take) for stream, take in streams]
        self._thread("write", self._write)
        self._thread("wait", self._wait, readers, received, ended)

    def write(self, data: bytes) -> Future[None]:
        """Queue bytes for the child's input."""
        written: Future[None] = Future()
        with self._lock:
            if self._shut:
                written.set_exception(Conflict("the CLI has ended", code=ErrorCode.SESSION_ENDED))
            elif self._queued + len(data) > QUEUED_AT_MOST:
                why = "the CLI does not read what is sent to it"
                written.set_exception(Conflict(why, code=ErrorCode.CLI_STUCK))
            else:
                self._queued += len(data)
                self._queue.put((data, written))
        return written

    def close(self, grace: float = 1.0) -> None:
        """Close the child's input, then terminate it, then kill it."""
        if not self._started:
            self.start(_ignore, _ignore)
        self._shut_input()
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self._over.wait(grace):
                return
            self._signal(sign)
        if not self._over.wait(grace):
            log.warning("child %s does not end", self.pid)

    def _thread(self, name: str, run: Callable[..., None], *arguments: object) -> threading.Thread:
        name = f"clawtap-{name}-{self.pid}"
        thread = threading.Thread(target=run, name=name, args=arguments, daemon=True)
        thread.start()
        return thread

    def _shut_input(self) -> None:
        with self._lock:
            if not self._shut:
                self._shut = True
                self._queue.put(None)

    def _write(self) -> None:
        stream = self._process.stdin
        while (item := self._queue.get()) is not None:
            data, written = item
            if error := _write_all(stream, data):
                written.set_exception(error)
            else:
                written.set_result(None)
            with self._lock:
                self._queued -= len(data)
        _close(stream)

    def _wait(
        self,
        readers: Sequence[threading.Thread],
        received: Callable[[bytes], None],
        ended: Callable[[Exit], None],
    ) -> None:
        status = self._process.wait()
        self._shut_input()
        for reader in readers:
            reader.join(LINGER)
        if any(reader.is_alive() for reader in readers):
            self._signal(signal.SIGKILL)
            for reader in readers:
                reader.join(LINGER)
        for stream in (self._process.stdout, self._process.stderr):
            _close(stream)
        if self._reaper:
            self._reaper.free(self.pid)
        self._over.set()
        _pass_on(received, b"")
        ended(Exit(status, self.stderr.text))

    def _signal(self, sign: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, sign)


def _ignore(_: object) -> None:
    """Do nothing: nobody waits for a child that is closed before its start."""


def _drain(stream: IO[bytes] | None, take: Callable[[bytes], None]) -> None:
    # The stream may be closed while it is read.
    with suppress(OSError, ValueError):
        while stream and (data := stream.read(_CHUNK)):
            _pass_on(take, data)


def _pass_on(take: Callable[[bytes], None], data: bytes) -> None:
    try:
        take(data)
    except Exception:
        log.exception("could not handle the output of a child")


def _write_all(stream: IO[bytes] | None, data: bytes) -> ClawTapError | None:
    view = memoryview(data)
    try:
        while stream and view:
            view = view[stream.write(view) or 0 :]
    except (OSError, ValueError):
        if len(view) < len(data):
            return NotConfirmed("the CLI ended while this was being sent")
        return Conflict("the CLI has ended", code=ErrorCode.SESSION_ENDED)
    return None


def _close(stream: IO[bytes] | None) -> None:
    with suppress(OSError, ValueError):
        if stream:
            stream.close()
