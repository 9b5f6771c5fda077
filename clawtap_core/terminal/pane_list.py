"""The panes of a tmux server as values."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core.terminal import anchor_session
from clawtap_core.terminal.api import PaneFacts
from clawtap_core.terminal.capture import record_format, records
from clawtap_core.terminal.foreground import foreground_argv
from clawtap_core.terminal.quoting import Command

OWNER = "@clawtap_session"
GROUP = "@clawtap_group"
_FIELDS = (
    "pane_id",
    "session_name",
    "pane_current_command",
    "pane_current_path",
    "pane_title",
    "pane_pid",
    "pane_tty",
    "pane_width",
    "pane_height",
    "pane_dead",
    "pane_dead_status",
    OWNER,
)


def list_command() -> Command:
    """Ask for every pane of the server."""
    return ("list-panes", "-a", "-F", record_format(_FIELDS))


def facts_command(pane_id: str) -> Command:
    """Ask for one pane."""
    return ("display-message", "-p", "-t", pane_id, record_format(_FIELDS))


def read_panes(lines: Sequence[bytes]) -> tuple[PaneFacts, ...]:
    """Return each pane once, without those of anchor sessions."""
    panes: dict[str, PaneFacts] = {}
    for row in records(lines, len(_FIELDS)):
        values = dict(zip(_FIELDS, row, strict=True))
        # For a missing pane tmux prints an empty record.
        if values["pane_id"] and not values["session_name"].startswith(anchor_session.NAME):
            panes.setdefault(values["pane_id"], _facts(values))
    return tuple(panes.values())


def _facts(values: dict[str, str]) -> PaneFacts:
    status = values["pane_dead_status"]
    return PaneFacts(
        id=values["pane_id"],
        tmux_session=values["session_name"],
        command=values["pane_current_command"],
        cwd=values["pane_current_path"],
        title=values["pane_title"],
        pid=int(values["pane_pid"]),
        tty=values["pane_tty"],
        cols=int(values["pane_width"]),
        rows=int(values["pane_height"]),
        dead=values["pane_dead"] == "1",
        exit_status=int(status) if status else None,
        owner=values[OWNER] or None,
        argv=foreground_argv(int(values["pane_pid"])),
    )
