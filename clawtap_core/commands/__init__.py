"""What a shell command line runs, read with a real shell grammar and without running anything."""

from clawtap_core.commands.asker import asker, subagent_label
from clawtap_core.commands.headline import headline, mcp_tool
from clawtap_core.commands.parser import parse
from clawtap_core.commands.paths import command_paths, resolve
from clawtap_core.commands.permissions import (
    COMMAND_KEYS,
    CONTENT_KEYS,
    FOLDER_KEYS,
    NEW_TEXT_KEYS,
    OLD_TEXT_KEYS,
    PATH_KEYS,
    Marks,
    command_key,
    is_unset,
    named_paths,
    permission_marks,
    shell_command,
    written_paths,
)
from clawtap_core.commands.risks import Risk, risks
from clawtap_core.commands.tool_verbs import is_powershell, tool_verb, types_text
from clawtap_core.commands.values import Command, Redirection, Script, Word

__all__ = [
    "COMMAND_KEYS",
    "CONTENT_KEYS",
    "FOLDER_KEYS",
    "NEW_TEXT_KEYS",
    "OLD_TEXT_KEYS",
    "PATH_KEYS",
    "Command",
    "Marks",
    "Redirection",
    "Risk",
    "Script",
    "Word",
    "asker",
    "command_key",
    "command_paths",
    "headline",
    "is_powershell",
    "is_unset",
    "mcp_tool",
    "named_paths",
    "parse",
    "permission_marks",
    "resolve",
    "risks",
    "shell_command",
    "subagent_label",
    "tool_verb",
    "types_text",
    "written_paths",
]
