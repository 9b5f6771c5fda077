"""Capture a pane with one line of commands."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core.model import Screen
from clawtap_core.model.ansi import with_lines
from clawtap_core.terminal import desk_keys
from clawtap_core.terminal.api import PaneEnd
from clawtap_core.terminal.quoting import Command

# Unguessable, so that no title or folder name can imitate the end of a field.
SEPARATOR = secrets.token_hex(8)
_FIELDS = (
    "pane_id",
    "pane_width",
    "pane_height",
    "cursor_x",
    "cursor_y",
    "cursor_flag",
    "alternate_on",
    "pane_pid",
    "pane_dead",
    "pane_dead_status",
    "pane_dead_signal",
    *desk_keys.FIELDS,
    "pane_title",
)


def record_format(fields: Sequence[str]) -> str:
    """Return a format that prints these variables as one record."""
    return SEPARATOR + SEPARATOR.join(f"#{{{name}}}" for name in fields) + SEPARATOR + "."


def records(lines: Sequence[bytes], width: int) -> list[list[str]]:
    """Return the printed records; values may hold newlines."""
    values = b"\n".join(lines).decode("utf-8", "replace").split(SEPARATOR)
    return [values[at : at + width] for at in range(1, len(values) - 1, width + 1)]


@dataclass(frozen=True, slots=True)
class Capture:
    """A pane's screen and the state of its program; `end` is how a dead one ended, once known."""

    screen: Screen
    pid: int
    dead: bool
    end: PaneEnd | None
    typed_at: str = ""
    in_front: str = ""
    keys_of_others: str = ""


def capture_commands(pane_id: str) -> tuple[Command, Command]:
    """Return the commands whose output `read_capture` parses."""
    return (
        ("display-message", "-p", "-t", pane_id, record_format(_FIELDS)),
        ("capture-pane", "-p", "-e", "-t", pane_id),
    )


def read_capture(pane_id: str, blocks: Sequence[Sequence[bytes]], revision: int) -> Capture | None:
    """Parse a capture with this revision, or return None if it is torn."""
    facts, lines = blocks
    ((shown, cols, rows, x, y, visible, alternate, pid, dead, *rest),) = records(
        facts, len(_FIELDS)
    )
    status, signal, typed_at, in_front, keys_of_others, title = rest
    if shown != pane_id or len(lines) != int(rows):
        return None
    screen = Screen(
        tuple(with_lines(b"\n".join(lines).decode("utf-8", "replace")).split("\n")),
        int(cols),
        int(rows),
        revision,
        cursor=(int(x), int(y)),
        cursor_visible=visible == "1",
        title=title,
        alternate=alternate == "1",
    )
    end = PaneEnd(status=int(status) if status else None, signal=signal)
    known = end if signal or status else None
    return Capture(screen, int(pid), dead == "1", known, typed_at, in_front, keys_of_others)
