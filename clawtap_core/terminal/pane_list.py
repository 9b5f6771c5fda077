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
    """Asks for every pane of the server; `read_panes` understands the answer."""
    return ("list-panes", "-a", "-F", record_format(_FIELDS))


def facts_command(pane_id: str) -> Command:
    """Asks for one pane."""
    return ("display-message", "-p", "-t", pane_id, record_format(_FIELDS))


def read_panes(lines: Sequence[bytes]) -> tuple[PaneFacts, ...]:
    """Each pane once, without those of a keeper session."""
    panes: dict[str, PaneFacts] = {}
    for row in records(lines, len(_FIELDS)):
        found = dict(zip(_FIELDS, row, strict=True))
        # Asked for a pane that is not there, tmux answers with a record of nothing.
        if found["pane_id"] and not found["session_name"].startswith(anchor_session.NAME):
            panes.setdefault(found["pane_id"], _facts(found))
    return tuple(panes.values())


def _facts(found: dict[str, str]) -> PaneFacts:
    status = found["pane_dead_status"]
    return PaneFacts(
        id=found["pane_id"],
        tmux_session=found["session_name"],
        command=found["pane_current_command"],
        cwd=found["pane_current_path"],
        title=found["pane_title"],
        pid=int(found["pane_pid"]),
        tty=found["pane_tty"],
        cols=int(found["pane_width"]),
        rows=int(found["pane_height"]),
        dead=found["pane_dead"] == "1",
        exit_status=int(status) if status else None,
        owner=found[OWNER] or None,
        argv=foreground_argv(int(found["pane_pid"])),
    )
