"""The environment of a CLI."""

from __future__ import annotations

from collections.abc import Mapping

_OURS = ("CLAWTAP_", "CODETAP_")
# tmux sets these for each pane.
_OF_THE_TERMINAL = frozenset({"TMUX", "TMUX_PANE", "TERM"})


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without ClawTap's variables and the terminal's."""
    return {
        name: value
        for name, value in environ.items()
        if not name.startswith(_OURS) and name not in _OF_THE_TERMINAL
    }
