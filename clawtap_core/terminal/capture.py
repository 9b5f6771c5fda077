"""What a pane shows, read in one line of commands."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core.model import Screen
from clawtap_core.terminal.quoting import Command

# Unguessable, so that no title and no folder name can pose as the end of a field.
SEPARATOR = secrets.token_hex(8)
_FIELDS = (
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
    "pane_title",
)


def record_format(fields: Sequence[str]) -> str:
    """A format that prints these variables as one record."""
    return SEPARATOR + SEPARATOR.join(f"#{{{name}}}" for name in fields) + SEPARATOR + "."


def records(lines: Sequence[bytes], width: int) -> list[list[str]]:
    """The records that were printed; a value may hold newlines."""
    values = b"\n".join(lines).decode("utf-8", "replace").split(SEPARATOR)
    return [values[at : at + width] for at in range(1, len(values) - 1, width + 1)]


@dataclass(frozen=True, slots=True)
class Capture:
    """A pane's screen (without a revision yet) and the state of its program.

    `status` is how a dead pane's program ended, where tmux knows.
    """

    screen: Screen
    pid: int
    dead: bool
    status: str


def capture_commands(pane_id: str) -> tuple[Command, Command]:
    """The commands whose output `read_capture` understands."""
    return (
        ("display-message", "-p", "-t", pane_id, record_format(_FIELDS)),
        ("capture-pane", "-p", "-e", "-t", pane_id),
    )


def read_capture(blocks: Sequence[Sequence[bytes]]) -> Capture | None:
    """The capture in the output of `capture_commands`; None when it is torn."""
    facts, rows = blocks
    (fields,) = records(facts, len(_FIELDS))
    found = dict(zip(_FIELDS, fields, strict=True))
    if len(rows) != int(found["pane_height"]):
        return None
    screen = Screen(
        tuple(row.decode("utf-8", "replace") for row in rows),
        int(found["pane_width"]),
        int(found["pane_height"]),
        cursor=(int(found["cursor_x"]), int(found["cursor_y"])),
        cursor_visible=found["cursor_flag"] == "1",
        title=found["pane_title"],
        alternate=found["alternate_on"] == "1",
    )
    dead = found["pane_dead"] == "1"
    return Capture(screen, int(found["pane_pid"]), dead, _status(found))


def _status(found: dict[str, str]) -> str:
    if found["pane_dead_signal"]:
        return f"by signal {found['pane_dead_signal']}"
    return f"with status {found['pane_dead_status']}" if found["pane_dead_status"] else ""
