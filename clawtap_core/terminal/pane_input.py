"""Keys and text into one pane, each sent only while its CLI is in the foreground."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import islice

from clawtap_core.errors import Conflict, ErrorCode, Unavailable
from clawtap_core.terminal import desk_keys, errors, keys
from clawtap_core.terminal.api import DeskKeys
from clawtap_core.terminal.command_client import CommandClient
from clawtap_core.terminal.quoting import Command
from clawtap_core.terminal.timings import TerminalTimings


class PaneInput:
    """What we send to a pane; none of it counts as a key of others.

    `check_alive` raises the error to report if the pane or its CLI is gone.
    """

    def __init__(
        self,
        pane_id: str,
        link: CommandClient,
        desk: desk_keys.DeskWatch,
        timings: TerminalTimings,
        check_alive: Callable[[], None],
    ) -> None:
        self._id, self._link, self._desk, self._timings = pane_id, link, desk, timings
        self._check_alive = check_alive
        self._counting: Mapping[str, Command] = {}
        self._may_shut, self._shut_until = False, 0.0

    def install(self) -> None:
        """Have tmux count the keys of others, where hooks of the user leave room for that."""
        counted, counting = desk_keys.users_hooks(), desk_keys.session_hooks(self._id)
        shutting = desk_keys.hooks_of_shutting(self._id)
        printed = iter(self._link.run(*counted, *counting, *shutting))
        self._counting = desk_keys.install(self._id, list(islice(printed, len(counted))))
        ended = desk_keys.forget_ended(self._id, list(islice(printed, len(counting))))
        self._may_shut = not any(map(desk_keys.is_set, printed))
        if commands := [*ended, *self._counting.values()]:
            self._link.run(*commands)

    def send(self, commands: list[Command]) -> None:
        """Run commands that send keys or text."""
        if not commands:
            return
        front = self._check_ready()
        self._run(*front, *desk_keys.uncounted(commands, self._counting))

    def press_alone(self, key: str, since: DeskKeys, shows: str, *, shut: bool = True) -> bool:
        """Press a key unless others did `since`, or the pane no longer shows a text."""
        shut = shut and self._may_shut
        front = self._check_ready()
        if self._desk.unread():
            return False
        test = desk_keys.check_alone(self._id, since, shows)
        pressing = desk_keys.uncounted(keys.press(self._id, key), self._counting)
        if shut:
            pressing += desk_keys.shut(self._id, self._timings.others_shut_out)
        try:
            self._run(*front, test, *pressing)
        except Unavailable as error:
            if desk_keys.WITHHELD in error.message:
                return False
            raise
        if shut:
            self._shut_until = time.monotonic() + self._timings.others_shut_out
        return True

    def open_again(self) -> None:
        """Let the keys of others in, which `press_alone` shut out for a moment."""
        if time.monotonic() < self._shut_until:
            self._shut_until = 0.0
            self._link.run(desk_keys.open_again(self._id))

    def _check_ready(self) -> list[Command]:
        """Return what must be before the keys on their line."""
        self.open_again()
        # A runtime that was here before may have shut the pane; a busy machine opens it later.
        until = time.monotonic() + 4 * self._timings.others_shut_out
        while True:
            ((state,),) = self._link.run(keys.readiness(self._id))
            try:
                program = keys.check_ready(state)
            except Conflict as error:
                if error.code != ErrorCode.PANE_INPUT_OFF or time.monotonic() > until:
                    raise
            else:
                self._check_alive()
                return keys.check_front(self._id, program)
            time.sleep(self._timings.look_shut)

    def _run(self, *commands: Command) -> None:
        try:
            self._link.run(*commands)
        except Unavailable as error:
            if keys.NOT_IN_FRONT in error.message:
                raise errors.not_in_front() from None
            raise
