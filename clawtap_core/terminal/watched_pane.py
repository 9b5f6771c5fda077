"""A watched pane: its changing screen, a thread that calls its listener, keys into it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial

from clawtap_core.errors import ClawTapError, NotFound, Unavailable
from clawtap_core.model import Screen
from clawtap_core.terminal import errors, keys
from clawtap_core.terminal.api import PaneListener
from clawtap_core.terminal.capture import Capture, capture_commands, read_capture
from clawtap_core.terminal.capture_rate import FAST, CaptureRate
from clawtap_core.terminal.command_client import CommandLink
from clawtap_core.terminal.control_client import Reply
from clawtap_core.terminal.foreground import foreground_group, group_ended
from clawtap_core.terminal.quoting import Command, line

log = logging.getLogger(__name__)
_PATIENCE = 10.0
_ENDING = 1.0
_NUDGE = line(("run-shell", "-b", "true"))


class WatchedPane:
    """The `Pane` of TmuxTerminal.

    Captures are taken in tmux's order, in the thread that reads tmux; the listener is called in a
    separate thread. `missed`: the last capture was lost with the connection.
    """

    def __init__(
        self,
        pane_id: str,
        listener: PaneListener,
        link: CommandLink,
        *,
        group: int,
        again: Callable[[WatchedPane], None],
        closed: Callable[[WatchedPane], None],
    ) -> None:
        self._id, self._listener, self._link = pane_id, listener, link
        self._group, self._pid = group, group
        self._again, self._on_closed = again, closed
        self._ask = line(*capture_commands(pane_id))
        self._state = threading.Condition()
        self._screen: Screen | None = None
        self._gone: str | None = None
        self._closed = self._asked = self._stale = False
        self._settled_by = float("inf")
        self._pace, self._awaited = CaptureRate(), 0
        self.missed = False
        self._reporter = threading.Thread(
            target=self._report, name=f"clawtap-pane-{pane_id}", daemon=True
        )

    @property
    def id(self) -> str:
        """tmux's id, like "%12"."""
        return self._id

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, as last seen."""
        screen = self._screen
        return (screen.cols, screen.rows) if screen else (0, 0)

    def start(self) -> None:
        """Take the first screen and start to report."""
        self.look()
        self._reporter.start()

    def heard(self, size: int) -> float:
        """Return the seconds from the last capture to the next, after this much output."""
        self._pace.heard(size)
        return FAST if self._awaited else self._pace.interval(size)

    def capture(self) -> None:
        """Request a capture, or another one after a pending one."""
        with self._state:
            if self._closed or self._gone:
                return
            if self._asked:
                self._stale = True
                return
            self._asked = True
        self._link.submit(self._ask, self._answered)

    def look(self) -> Screen:
        """Return a fresh capture."""
        try:
            return self._ask_for_screen()
        except Unavailable:
            # Only a new connection tells a lost one from a lost server.
            return self._ask_for_screen()

    def _ask_for_screen(self) -> Screen:
        self._link.ensure()
        answer: Future[Screen | ClawTapError] = Future()
        self._link.submit(self._ask, lambda reply: answer.set_result(self._store(reply)))
        try:
            seen = answer.result(_PATIENCE)
        except FutureTimeout:
            raise errors.timed_out(_PATIENCE) from None
        if isinstance(seen, ClawTapError):
            raise seen
        return seen

    def wait(self, revision: int, seconds: float) -> Screen:
        """Return the first screen after `revision`, or the current one after `seconds`."""
        with self._state:
            self._awaited += 1
            self._state.wait_for(lambda: self._over or self._newer(revision), seconds)
            self._awaited -= 1
            screen = self._screen
        return screen or self.look()

    def runs_cli(self) -> bool:
        """Return True if the bound process group is in the foreground."""
        return self._gone is None and foreground_group(self._pid) == self._group

    def press(self, key: str) -> None:
        """Press a key."""
        self._send(keys.press(self._id, key))

    def type(self, text: str) -> None:
        """Type literal text."""
        self._send(keys.type_text(self._id, text))

    def paste(self, text: str) -> None:
        """Paste text."""
        self._send(keys.paste(self._id, text))

    @property
    def group(self) -> int:
        """The bound process group, which is also its first process."""
        return self._group

    def ending(self) -> None:
        """Expect the end: the CLI's first process ended, and tmux will soon notice."""
        self._settled_by = min(self._settled_by, time.monotonic() + _ENDING)
        self._again(self)

    def vanish(self, reason: str) -> None:
        """Report the end of the pane or its program, as the listener's last call."""
        with self._state:
            self._gone = self._gone or reason
            self._state.notify_all()
        self._on_closed(self)

    def close(self) -> None:
        """Stop watching."""
        with self._state:
            self._closed = True
            self._state.notify_all()
        self._on_closed(self)
        if self._reporter.ident and threading.current_thread() is not self._reporter:
            self._reporter.join(_PATIENCE)

    @property
    def _over(self) -> bool:
        return self._closed or self._gone is not None

    def _newer(self, revision: int) -> bool:
        return self._screen is not None and self._screen.revision > revision

    def _send(self, commands: list[Command]) -> None:
        if not commands:
            return
        ((state,),) = self._link.run(keys.readiness(self._id))
        keys.check_ready(state)
        self._link.run(*commands)

    def _answered(self, reply: Reply) -> None:
        self._store(reply)
        with self._state:
            self._asked, stale, self._stale = False, self._stale, False
        if stale:
            self._again(self)

    def _store(self, reply: Reply) -> Screen | ClawTapError:
        if isinstance(reply.error, NotFound):
            self.vanish("closed")
        self.missed = reply.error is not None
        if reply.error:
            return reply.error
        later = self._screen.revision + 1 if self._screen else 1
        if (capture := read_capture(self._id, reply.blocks, later)) is None:
            self._again(self)
            return self._screen or errors.refused("the capture was torn")
        screen = self._keep(capture)
        if capture.dead or group_ended(self._group, capture.pid):
            self._end(capture)
        elif time.monotonic() < self._settled_by < float("inf"):
            self._again(self)
        return screen

    def _end(self, capture: Capture) -> None:
        self._settled_by = min(self._settled_by, time.monotonic() + _ENDING)
        if capture.dead and not capture.status and time.monotonic() < self._settled_by:
            # tmux built with utempter misses the signal with the status until another of its
            # children ends.
            self._link.submit(_NUDGE, lambda _: None)
            self._again(self)
        else:
            self.vanish(" ".join(filter(None, ("ended", capture.status))))

    def _keep(self, capture: Capture) -> Screen:
        self._pid, previous = capture.pid, self._screen
        self._pace.captured(previous, capture.screen)
        if previous is not None and _shows_the_same(previous, capture.screen):
            return previous
        with self._state:
            self._screen = capture.screen
            self._state.notify_all()
        return capture.screen

    def _report(self) -> None:
        reported = 0
        while (screen := self._next(reported)) is not None:
            if screen.revision > reported:
                reported = screen.revision
                self._call(partial(self._listener.screen_changed, screen))
            elif self._gone is not None:
                self._call(partial(self._listener.gone, self._gone, screen))
                return

    def _next(self, reported: int) -> Screen | None:
        with self._state:
            self._state.wait_for(lambda: self._over or self._newer(reported))
            return None if self._closed else self._screen

    def _call(self, tell: Callable[[], None]) -> None:
        try:
            tell()
        except Exception:
            log.exception("listener failed", extra={"tmux_pane": self._id})


def _shows_the_same(a: Screen, b: Screen) -> bool:
    return (
        a.captured == b.captured
        and a.cursor == b.cursor
        and (a.cols, a.rows, a.title) == (b.cols, b.rows, b.title)
        and (a.cursor_visible, a.alternate) == (b.cursor_visible, b.alternate)
    )
