"""What a permission asks for: a command, files, or a tool with its input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clawtap_core.commands import (
    COMMAND_KEYS,
    FOLDER_KEYS,
    Script,
    Word,
    parse,
    resolve,
    written_paths,
)
from clawtap_core.model import Kind, PromptForm
from clawtap_core.rules.command_paths import named_paths
from clawtap_core.rules.paths import NamedPath

# Inputs of a command that change nothing of what it does.
_REMARKS = frozenset(("description", "timeout", "timeout_ms"))
_MCP = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.+)|(?P<server2>[^.\s]+)\.(?P<tool2>[^\s]+)")


@dataclass(frozen=True)
class ToolCall:
    """The call that a permission is about, in a session of an adapter and a folder."""

    form: PromptForm
    adapter: str
    folder: str

    @property
    def tool(self) -> str:
        """The tool's name, as the CLI names it."""
        return self.form.tool_name or ""

    @property
    def input(self) -> Mapping[str, Any]:
        """The tool's input; empty where it is not known."""
        return self.form.tool_input or {}

    @cached_property
    def is_mcp(self) -> bool:
        """Whether the tool belongs to an MCP server."""
        return self.tool.startswith("mcp_") or _MCP.fullmatch(self.tool) is not None

    def is_tool(self, server: str | None, tool: str | None) -> bool:
        """Return whether this is the tool of this name, or of this server."""
        if server is None:
            return tool in (None, self.tool)
        match = _MCP.fullmatch(self.tool)
        if tool is None:
            names = (match["server"], match["server2"]) if match else ()
            return server in names or self.tool.startswith(f"mcp_{server}_")
        return self.tool in (f"mcp__{server}__{tool}", f"mcp_{server}_{tool}", f"{server}.{tool}")

    @cached_property
    def command(self) -> str | None:
        """The command line that a shell tool runs."""
        texts = [self.input[key] for key in COMMAND_KEYS if key in self.input]
        return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else None

    @cached_property
    def script(self) -> Script | None:
        """The command line, parsed."""
        if self.command is None or self.is_mcp:
            return None
        return parse(self.command, self.runs_in)

    @cached_property
    def runs_in(self) -> str | None:
        """The folder in which a command starts; None where that is not known."""
        named = next((self.input[key] for key in FOLDER_KEYS if self.input.get(key)), ".")
        if not isinstance(named, str):
            return None
        folder = self.folder or None
        place = NamedPath.of(named, resolve(Word(named), folder), folder)
        return place.path if place.real else None

    @property
    def hides_command(self) -> bool:
        """Whether a tool of the CLI is given a command that cannot be read."""
        given = any(self.input.get(key) for key in COMMAND_KEYS)
        return given and self.script is None and not self.is_mcp

    @cached_property
    def paths(self) -> tuple[NamedPath, ...]:
        """Every path that the call names, outside of MCP tools."""
        if self.script is not None:
            return tuple(path for each in self.script.commands for path in named_paths(each))
        if self.is_mcp:
            return ()
        written = tuple(dict.fromkeys(written_paths(self.input)))
        folder = self.folder or None
        return tuple(
            NamedPath.of(text, resolve(Word(text, exact="$" not in text), folder), folder)
            for text in written
        )

    @cached_property
    def unknown_inputs(self) -> tuple[str, ...]:
        """The inputs of a command that may change what it does."""
        understood = {*COMMAND_KEYS, *FOLDER_KEYS, *_REMARKS}
        return tuple(
            str(name)
            for name, value in self.input.items()
            if name not in understood and value not in (None, "", False, [], {})
        )

    @property
    def unanswerable(self) -> str | None:
        """Why no rule may answer this at all; None for permissions."""
        form = self.form
        if form.kind is not Kind.PERMISSION or form.questions:
            return "rules answer permissions only, never questions or plans"
        if form.dialog:
            return "this is a dialog of the CLI itself"
        return None


def read_call(form: PromptForm, adapter: str, folder: str) -> ToolCall:
    """Return the call of a prompt, in a session of this adapter and folder."""
    return ToolCall(form, adapter, folder)
