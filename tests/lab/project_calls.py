"""A project, and calls in it."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from clawtap_core.model import Effect, Kind, Option, PromptForm
from clawtap_core.rules import ToolCall, read_call

NOW = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)
OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))


class Project:
    """A folder in which an agent works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def tool(self, tool: str | None, **given: object) -> ToolCall:
        """A call of a tool."""
        form = PromptForm(
            Kind.PERMISSION, "Allow?", "", tool_name=tool, tool_input=given, options=OPTIONS
        )
        return read_call(form, "claude", str(self.folder))

    def bash(self, command: str, **given: object) -> ToolCall:
        """A call of the shell."""
        return self.tool("Bash", command=command, **given)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in a home folder."""
    folder = tmp_path / "home" / "me" / "shop"
    (folder / "src").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home" / "me"))
    return Project(folder)
