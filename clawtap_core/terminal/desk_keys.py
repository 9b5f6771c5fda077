"""Keys that others send to a pane: none of ours may follow one that was meant to be the last.

tmux knows when a terminal that is attached to a session typed last, in whole seconds, and which of
its panes gets the keys. Programs send keys through `send-keys`, as terminals with a tmux mode do; a
hook of the session counts them. Each process has a hook and a count of its own: to two servers that
watch the same pane, the keys of the other are keys of others.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clawtap_core.system.processes import group_at_work, lives
from clawtap_core.terminal.api import DeskKeys
from clawtap_core.terminal.foreground import unread_bytes
from clawtap_core.terminal.quoting import Command
from clawtap_core.terminal.timings import TerminalTimings

TESTED = "@clawtap_test"
_COUNT_OF = "@clawtap_keys_of_others_"
_ME = os.getpid()
COUNT = f"{_COUNT_OF}{_ME}"
WITHHELD = "clawtap-withheld"
_ATTACHED = "@clawtap_attached"
# For tmux a session is active when it begins and when a client attaches, ours too.
_BEGAN = "#{==:#{session_activity},#{session_created}}"
_ACTIVE_AT = (
    f"#{{?#{{||:{_BEGAN},#{{==:#{{session_activity}},#{{{_ATTACHED}}}}}}},0,#{{session_activity}}}}"
)
# tmux 3.2 crashes if it shall print the times of a session that has ended.
_TYPED_AT = f"?session_id,{_ACTIVE_AT},0"
# Keys of a terminal go to one pane of the session, or to all of its window; the wheel counts as
# typing, too.
_IN_FRONT = "?#{&&:#{window_active},#{||:#{pane_active},#{pane_synchronized}}},1,"
FIELDS = (_TYPED_AT, _IN_FRONT, COUNT)
# tmux 3.2 takes no empty hook; this command does nothing to a server that runs.
_NOTHING = "start-server"
_HOOKS = {"send-keys": "after-send-keys", "paste-buffer": "after-paste-buffer"}
# After this many seconds without reading a key a CLI will not read it soon.
_MAY_BE_UNREAD = 60.0
# In fewer seconds nobody comes to a pane, types there, and leaves it again.
_VISIT = 1.0
# For so long after a key should have shown, a CLI at work may be at work on it still.
_ASKED_LATE = 2.0
_OF_A_PROCESS = re.compile(rf"((?:{'|'.join(_HOOKS.values())})\[(\d+)\]) .*{_COUNT_OF}")
_COUNTS = f'set-option -pF {COUNT} "#{{e|+:#{{?{COUNT},#{{{COUNT}}},0}},1}}"'


def users_hooks() -> list[Command]:
    """Return the commands that print the hooks of the user, which ours would hide."""
    return [("show-hooks", "-g", hook) for hook in _HOOKS.values()]


def session_hooks(pane_id: str) -> list[Command]:
    """Return the commands that print the hooks that count in the pane's session."""
    return [("show-hooks", "-t", pane_id, hook) for hook in _HOOKS.values()]


def forget_ended(pane_id: str, printed: Sequence[Sequence[bytes]]) -> list[Command]:
    """Return the commands that remove the hooks and counts of processes that have ended."""
    text = b"\n".join(line for lines in printed for line in lines).decode("utf-8", "replace")
    commands: list[Command] = []
    for hook, process in _OF_A_PROCESS.findall(text):
        if not lives(int(process)):
            commands.append(("set-hook", "-u", "-t", pane_id, hook))
            commands.append(("set-option", "-p", "-u", "-t", pane_id, f"{_COUNT_OF}{process}"))
    return commands


def hooks_of_shutting(pane_id: str) -> list[Command]:
    """Return the commands that print the hooks that `shut` would set off."""
    return [("show-hooks", *where, "after-select-pane") for where in (("-g",), ("-t", pane_id))]


def install(pane_id: str, printed: Sequence[Sequence[bytes]]) -> dict[str, Command]:
    """Return by command what counts its keys in the pane's session, except over users' hooks."""
    return {
        name: ("set-hook", "-t", pane_id, f"{hook}[{_ME}]", _COUNTS)
        for (name, hook), lines in zip(_HOOKS.items(), printed, strict=True)
        if not is_set(lines)
    }


def is_set(printed: Sequence[bytes]) -> bool:
    """Return True if a hook has a command; without one tmux prints at most its name."""
    return any(b" " in line for line in printed)


def attached(session: str) -> Command:
    """Return the command by which a client that attached says that nobody typed."""
    return ("set-option", "-F", "-t", session, _ATTACHED, "#{session_activity}")


def shut(pane_id: str, seconds: float) -> list[Command]:
    """Return the commands that drop keys until `open_again`, or for this many seconds.

    A CLI that reads two keys at once may take the second, and a key that comes later would answer
    the next prompt, which nobody has seen yet.
    """
    # tmux ends it by itself, so that nobody is locked out. A command that tmux would run later is
    # forgotten when our connection ends; a shell of its own lives on.
    later = f"select-pane -e -t {pane_id}"
    return [
        ("select-pane", "-d", "-t", pane_id),
        ("run-shell", "-b", "-d", str(seconds), "-C", later),
        # tmux shows what fails in a pane of the user; by then this pane may be closed.
        ("run-shell", "-b", f"sleep {seconds}; tmux {later} || true"),
    ]


def open_again(pane_id: str) -> Command:
    """Return the command that lets keys in."""
    return ("select-pane", "-e", "-t", pane_id)


def remove(pane_id: str) -> list[Command]:
    """Return the commands that stop the counting."""
    hooks: list[Command] = [("set-hook", "-u", "-t", pane_id, hook) for hook in _HOOKS.values()]
    return [
        *hooks,
        ("set-option", "-p", "-u", "-t", pane_id, COUNT),
        ("set-option", "-u", "-t", pane_id, _ATTACHED),
    ]


def uncounted(commands: Sequence[Command], hooks: Mapping[str, Command]) -> list[Command]:
    """Return commands with which no hook counts the keys."""
    names = {command[0] for command in commands}
    mine = [hook for name, hook in hooks.items() if name in names]
    return [*((*hook[:-1], _NOTHING) for hook in mine), *commands, *mine]


def check_alone(pane_id: str, since: DeskKeys, shows: str) -> Command:
    """Return the command that fails if others typed `since`, or the pane lost a text.

    A command that fails ends its line, and tmux runs a line without interruption: no key gets
    between the test and those that follow it there.
    """
    typed = f"#{{==:#{{{_TYPED_AT}}},{since.session_typed_at}}}"
    if not since.in_front:
        typed = f"#{{||:{typed},#{{==:#{{{_IN_FRONT}}},}}}}"
    tests = [typed, f"#{{==:#{{{COUNT}}},{since.count or ''}}}"]
    if shows:
        tests.append(f"#{{C:{shows}}}")
    holds = tests[0]
    for test in tests[1:]:
        holds = f"#{{&&:{holds},{test}}}"
    # tmux expands the name of an option.
    return ("set-option", "-p", "-t", pane_id, f"#{{?{holds},{TESTED},{WITHHELD}}}", "1")


class DeskWatch:
    """What the captures of a pane say about the keys of others, and whether its CLI took them.

    `tty` is its terminal and `group` the process group of its CLI.
    """

    def __init__(self, timings: TerminalTimings, tty: str, group: int) -> None:
        self.last = DeskKeys()
        self._key_shows, self._work_shows = timings.key_shows, timings.work_shows
        self._tty, self._group = tty, group
        self._counted_at = self._typed_by = float("-inf")
        self._unread_at = self._works_until = float("-inf")
        self._counted_on_clock = 0.0
        self._captured_at = float("-inf")

    def captured(self, typed_at: str, in_front: str, count: str) -> None:
        """Record what a capture says."""
        session_typed_at = int(typed_at or 0)
        keys = DeskKeys(int(count or 0), session_typed_at, session_typed_at, bool(in_front))
        if self._stayed_behind(keys):
            keys = replace(keys, typed_at=self.last.typed_at)
        is_first = self._captured_at == float("-inf")
        if keys.count != self.last.count and not is_first:
            self._counted_at, self._counted_on_clock = time.monotonic(), time.time()
        if keys.typed_at != self.last.typed_at:
            # A second key within the same second would not be noticed. From here on no clock
            # counts that somebody may set.
            ago = max(time.time() - keys.typed_at, 0.0)
            self._typed_by = time.monotonic() + 1 - ago
        self.last, self._captured_at = keys, time.monotonic()

    def _stayed_behind(self, keys: DeskKeys) -> bool:
        """Return True if no key of a terminal can have gone here since the last capture."""
        behind = not (keys.in_front or self.last.in_front)
        return behind and time.monotonic() - self._captured_at < _VISIT

    @property
    def typed_at(self) -> float:
        """When others typed last, in seconds since 1970; 0 if never."""
        return max(self.last.typed_at, self._counted_on_clock)

    def unread(self) -> bool:
        """Return whether keys wait that the CLI has not read, after others typed."""
        typed_at = max(self.last.session_typed_at, self._counted_on_clock)
        if time.time() - typed_at > _MAY_BE_UNREAD or not unread_bytes(self._tty):
            return False
        self._unread_at = time.monotonic()
        return True

    def cli_at_work(self) -> bool:
        """Return whether the CLI runs or waits for a core just now."""
        return group_at_work(self._group)

    def settles_in(self) -> float:
        """Return after how many seconds the screen shows what they did, and tmux any other key."""
        self.unread()
        # A CLI shows a key only after it has read it.
        typed_by = max(self._counted_at, self._typed_by, self._unread_at)
        shows_at, asked = max(typed_by + self._key_shows, self._works_until), time.monotonic()
        # On a busy machine a CLI may have read a key long before it comes to it, and whoever asks
        # here may have waited for a core meanwhile.
        if asked - shows_at < _ASKED_LATE and self.cli_at_work():
            self._works_until = time.monotonic() + self._work_shows
        return max(shows_at - asked, self._works_until - time.monotonic(), 0.0)
