"""A watched pane: its changing screen, a thread that calls its listener, keys into it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import replace
from functools import partial

from clawtap_core.errors import ClawTapError, NotFound, Unavailable
from clawtap_core.model import Screen
from clawtap_core.terminal import desk_keys, errors, keys
from clawtap_core.terminal.api import DeskKeys, EndCause, PaneEnd, PaneListener
from clawtap_core.terminal.capture import Capture, capture_commands, read_capture
from clawtap_core.terminal.capture_rate import FAST, CaptureRate
from clawtap_core.terminal.command_client import CommandClient
from clawtap_core.terminal.control_client import Reply
from clawtap_core.terminal.exit_status import ExitStatusWait
from clawtap_core.terminal.foreground import (
    foreground_group,
    group_ended,
    input_facts,
    resume_group,
    takes_keys,
)
from clawtap_core.terminal.key_reader import KeyReader
from clawtap_core.terminal.nested import shows_terminal, without_status_line
from clawtap_core.terminal.output_frame import OutputFrame
from clawtap_core.terminal.pane_input import PaneInput
from clawtap_core.terminal.quoting import line
from clawtap_core.terminal.terminal_loan import TerminalLoan
from clawtap_core.terminal.timings import TerminalTimings

log = logging.getLogger(__name__)
_PATIENCE = 10.0
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
        link: CommandClient,
        *,
        group: int,
        pid: int,
        tty: str,
        timings: TerminalTimings,
        again: Callable[..., None],
        closed: Callable[[WatchedPane], None],
    ) -> None:
        self._id, self._listener, self._link = pane_id, listener, link
        self._group, self._pid, self._tty, self._timings = group, pid, tty, timings
        self._again, self._on_closed = again, closed
        self._ask = line(*capture_commands(pane_id))
        self._state = threading.Condition()
        self._screen: Screen | None = None
        self._gone: PaneEnd | None = None
        self._closed = self._asked = self._stale = False
        self._last_living = float("inf")  # the revision of the program's last screen
        self._status_wait = ExitStatusWait(group, timings.exit_status)
        self._rate, self._awaited = CaptureRate(), 0
        self._frame = OutputFrame()
        # Counts of output pieces: all, up to the last that left a frame unfinished, and when the
        # current screen was asked for.
        self._pieces = self._screen_piece = 0
        self._unfinished_piece = -1
        self._unfinished_until = 0.0
        self._withheld = False
        self._desk = desk_keys.DeskWatch(timings, tty, group)
        self._reader, self._loan = KeyReader(group, tty), TerminalLoan(group, tty)
        self._input = PaneInput(pane_id, link, self._desk, timings, self._check_alive)
        self.missed = False
        self._nested = shows_terminal(group)
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
        self._input.install()
        self.look()
        self._reporter.start()

    def add_output(self, data: bytes) -> tuple[float, float]:
        """Return when to capture after this output: seconds from the last capture, and from now."""
        now = time.monotonic()
        self._rate.add_output(len(data))
        with self._state:
            self._pieces += 1
            if self._frame.feed(data, now):
                if self._is_whole(now):
                    self._unfinished_until = now + self._timings.frame_ends
                self._unfinished_piece = self._pieces
                # A screen that was whole may not be reported yet, and stay the same.
                self._withheld = True
            left = self._unfinished_until - now if self._unfinished_piece == self._pieces else 0.0
        return FAST if self._awaited else self._rate.interval(len(data)), left

    def capture(self) -> None:
        """Request a capture, or another one after a pending one."""
        with self._state:
            if self._closed or self._gone:
                return
            if self._asked:
                self._stale = True
                return
            self._asked = True
            piece = self._pieces
        self._link.submit(self._ask, lambda reply: self._answered(reply, piece))

    def look(self) -> Screen:
        """Return a fresh capture, of a whole frame where its end comes soon."""
        try:
            screen = self._ask_for_screen()
        except Unavailable:
            # Only a new connection tells a lost one from a lost server.
            screen = self._ask_for_screen()
        self._reader.follow()
        with self._state:
            # Another capture may have followed, and only that one be of a whole frame.
            self._state.wait_for(
                lambda: self._over or self._is_whole(time.monotonic()), self._timings.frame_ends
            )
            return self._screen or screen

    def _ask_for_screen(self) -> Screen:
        self._link.ensure()
        answer: Future[Screen | ClawTapError] = Future()
        piece = self._pieces
        self._link.submit(self._ask, lambda reply: answer.set_result(self._store(reply, piece)))
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
            self._state.wait_for(lambda: self._over or self._reportable(revision), seconds)
            self._awaited -= 1
            screen = self._screen
        return screen or self.look()

    def runs_cli(self) -> bool:
        """Return True if the bound process group is in the foreground."""
        return self._gone is None and foreground_group(self._pid) == self._group

    @property
    def shows_terminal(self) -> bool:
        """Whether its program shows another terminal, as ssh does: no process tells of the CLI."""
        return self._nested

    @property
    def ended_clis(self) -> int:
        """How many CLIs have ended here whose wrapper lives on."""
        return self._reader.ended

    def shows_cli(self) -> None:
        """Note that the screen is the CLI's own: no other program has its terminal."""
        self._loan.returned()

    def is_lent(self) -> bool:
        """Return True if the CLI runs another program on its terminal, such as an editor."""
        return self._loan.is_lent()

    def takes_keys(self) -> bool:
        """Return True if its program receives each key, not whole lines."""
        return takes_keys(self._tty)

    def resume(self) -> None:
        """Let a CLI run on that suspended itself."""
        resume_group(self._group)

    @property
    def desk_keys(self) -> DeskKeys:
        """The keys of others, as of the last capture."""
        return self._desk.last

    @property
    def desk_typed_at(self) -> float:
        """When others typed last, in seconds since 1970, as of the last capture."""
        return self._desk.typed_at

    def desk_settles_in(self) -> float:
        """Return after how many seconds the keys of others show; 0 if they do."""
        return self._desk.settles_in()

    def desk_unread(self) -> bool:
        """Return True if the CLI has not read what others typed."""
        return self._desk.unread()

    def cli_at_work(self) -> bool:
        """Return True if the CLI runs or waits for a core just now."""
        return self._desk.cli_at_work()

    def press(self, key: str) -> None:
        """Press a key."""
        self._input.send(keys.press(self._id, key))

    def press_alone(self, key: str, since: DeskKeys, shows: str, *, shut: bool = True) -> bool:
        """Press a key unless others did `since`, or the pane no longer shows a text."""
        return self._input.press_alone(key, since, shows, shut=shut)

    def open_again(self) -> None:
        """Let the keys of others in, which `press_alone` shut out for a moment."""
        self._input.open_again()

    def type(self, text: str) -> None:
        """Type literal text."""
        self._input.send(keys.type_text(self._id, text))

    def paste(self, text: str) -> None:
        """Paste text."""
        self._input.send(keys.paste(self._id, text))

    @property
    def group(self) -> int:
        """The bound process group, which is also its first process."""
        return self._group

    def ending(self) -> None:
        """Expect the end: the CLI's first process ended, and tmux will soon notice."""
        self._status_wait.begin()
        self._again(self)

    def vanish(self, end: PaneEnd) -> None:
        """Report the end of the pane or its program, as the listener's last call."""
        with self._state:
            self._gone = self._gone or end
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

    def _reportable(self, revision: int) -> bool:
        newer = self._screen is not None and self._screen.revision > revision
        return newer and self._is_whole(time.monotonic())

    def _is_whole(self, now: float) -> bool:
        return self._screen_piece > self._unfinished_piece or now >= self._unfinished_until

    def _check_alive(self) -> None:
        if self._gone and self._gone.cause is EndCause.CLOSED:
            raise errors.no_such_pane(self._id)
        # Keys that a CLI leaves unread would go to the shell behind it.
        if not self.runs_cli() or self._reader.is_gone():
            raise errors.not_in_front()

    def _answered(self, reply: Reply, piece: int) -> None:
        self._store(reply, piece)
        now = time.monotonic()
        with self._state:
            self._asked, stale, self._stale = False, self._stale, False
            left = 0.0 if self._is_whole(now) else self._unfinished_until - now
        if stale:
            self._again(self)
        elif left > 0:
            self._again(self, delay=left)
        elif not (self._link.reports_output or self.missed):
            self._again(self, delay=self._timings.unreported_output)

    def _store(self, reply: Reply, piece: int) -> Screen | ClawTapError:
        if isinstance(reply.error, NotFound):
            self.vanish(PaneEnd(EndCause.CLOSED))
        self.missed = reply.error is not None
        if reply.error:
            return reply.error
        later = self._screen.revision + 1 if self._screen else 1
        if (capture := read_capture(self._id, reply.blocks, later)) is None:
            self._again(self)
            return self._screen or errors.refused("the capture was torn")
        if capture.pid != self._pid:
            # What it shows now is another program's, though ours may survive the hang-up.
            self.vanish(PaneEnd(EndCause.RESPAWNED))
            return self._screen or capture.screen
        if facts := input_facts(self._tty):
            capture = replace(capture, screen=replace(capture.screen, **facts))
        if self._nested:
            capture = replace(capture, screen=without_status_line(capture.screen))
        ended = capture.dead or group_ended(self._group, capture.pid)
        if ended:
            # What was on the screen says no more about the program than that it ended.
            self._last_living = min(self._last_living, later - 1)
        screen = self._keep(capture, piece)
        if ended:
            self._end(capture)
        elif self._status_wait.lasts():
            self._again(self)
        return screen

    def _end(self, capture: Capture) -> None:
        self._status_wait.begin()
        # A pane whose own program ended is dead soon, though it was not when it was captured.
        dies = capture.dead or self._pid == self._group
        if dies and not capture.end and self._status_wait.lasts():
            # tmux built with utempter misses the signal with the status until another of its
            # children ends.
            self._link.submit(_NUDGE, lambda _: None)
            self._again(self)
        else:
            self.vanish(capture.end or PaneEnd())

    def _keep(self, capture: Capture, piece: int) -> Screen:
        previous = self._screen
        self._desk.captured(capture.typed_at, capture.in_front, capture.keys_of_others)
        self._rate.captured(previous, capture.screen)
        same = previous is not None and _shows_the_same(previous, capture.screen)
        if not same or self._reader.settles_in:
            self._reader.look()
        if wait := self._reader.settles_in:
            self._again(self, delay=wait)
        with self._state:
            self._screen_piece = max(self._screen_piece, piece)
            screen = previous if same and previous else capture.screen
            if screen is not previous or self._withheld:
                self._screen = screen
                self._state.notify_all()
            self._withheld = not self._is_whole(time.monotonic())
        return screen

    def _report(self) -> None:
        reported = 0
        while (screen := self._next(reported)) is not None:
            if screen.revision > reported:
                reported = screen.revision
                if reported <= self._last_living:
                    self._call(partial(self._listener.screen_changed, screen))
            elif self._gone is not None:
                self._call(partial(self._listener.gone, self._gone, screen))
                return

    def _next(self, reported: int) -> Screen | None:
        with self._state:
            self._state.wait_for(lambda: self._over or self._reportable(reported))
            return None if self._closed else self._screen

    def _call(self, notify: Callable[[], None]) -> None:
        try:
            notify()
        except Exception:
            log.exception("listener failed", extra={"tmux_pane": self._id})


def _shows_the_same(a: Screen, b: Screen) -> bool:
    return (
        a.captured == b.captured
        and a.cursor == b.cursor
        and (a.cols, a.rows, a.title) == (b.cols, b.rows, b.title)
        and (a.cursor_visible, a.alternate) == (b.cursor_visible, b.alternate)
        and (a.hides_input, a.takes_keys) == (b.hides_input, b.takes_keys)
    )
