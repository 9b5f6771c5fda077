"""Sessions to look for: four of three CLIs in three folders."""

from __future__ import annotations

from typing import Any


def add_sessions(served: Any) -> dict[str, str]:
    """Add them; their ids by a word of their titles."""
    add = served.do
    return {
        "flaky": add("add", title="The flaky checkout", cwd="/home/me/projects/shop"),
        "rename": add("add", adapter="claude", title="Rename the client", cwd="/home/me/api"),
        "busy": add("add", adapter="codex", title="Update all", state="busy", cwd="/home/me/api"),
        "over": add("add", adapter="claude", title="Slow page", state="ended", cwd="/home/me/db"),
    }
