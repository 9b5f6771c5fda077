"""One prompt from what the screen shows and what a hook, the transcript or the daemon reports."""

from __future__ import annotations

import re
import shlex
import unicodedata
from dataclasses import replace

from clawtap_codex.cli_hooks.mcp_call import argument_rows, is_mcp, is_same_mcp_call
from clawtap_codex.cli_hooks.parse import ASK, question_form
from clawtap_codex.protocol.permissions import strip_shell
from clawtap_codex.text import remembered_commands
from clawtap_codex.words import WORDS
from clawtap_core import Kind, PromptForm, hookimpl
from clawtap_core.commands import named_paths
from clawtap_core.prompts.identity import squeeze
from clawtap_core.prompts.merging import may_be_one, merge_known, shows_question_of
from clawtap_core.prompts.sanitize import has_control_chars, show_control_chars

_PATCH = "apply_patch"
_DELETED = re.compile(r"^\*\*\* Delete File: ", re.MULTILINE)
_CHANGED = re.compile(r"^ *\d+ ([-+].*)$", re.MULTILINE)
_APPROVED = ("exec_command", "apply_patch", "write_stdin", "request_permissions")
_BY_TITLE = ("request_permissions", "write_stdin")
_RUN = "exec_command"
_SHELLS = (_RUN, "shell", "shell_command", "local_shell")
# What a call tells the CLI about the sandbox and the output: it changes nothing of what runs.
_ASIDE = frozenset(
    (
        *("sandbox_permissions", "justification", "prefix_rule"),
        *("yield_time_ms", "max_output_tokens", "timeout_ms", "tty"),
    )
)
_LABELS = {"justification": "Reason", "workdir": "Folder", "shell": "Shell"}
_HIDDEN = ("workdir", "shell")
_SHELL_MARK = "\n$ "
# A note of the CLI's own, which no call has.
_ENVIRONMENT = WORDS.pattern("permissions.environment")


@hookimpl
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Merge the options on the screen with the full call, or return None if they differ."""
    seen, reported = _as_prompt(seen), _as_prompt(reported)
    if not may_be_one(seen, reported) or not _is_same_call(seen, reported):
        return None
    # A permission prompt names the sub-agent that asks, so a call of another agent is not its.
    approval = seen.tool_name in _APPROVED and reported.tool_call_id is not None
    if approval and (seen.origin is None) != (reported.origin is None):
        return None
    # The screen names a tool in the CLI's own word, and may show more of its input.
    tool_name, shown = seen.tool_name or reported.tool_name, seen.tool_input or {}
    called = (reported.tool_input or {}).items()
    whole = all(shown.get(name) == value for name, value in called)
    # Only the screen shows which permissions a command gets as well.
    granted = {name: shown[name] for name in shown if name == "permissions"}
    tool_input = seen.tool_input if whole else {**(reported.tool_input or {}), **granted} or None
    merged = merge_known(_cut_if_hidden(seen, reported), reported)
    doubtful = (seen.rewrapped and reported.rewrapped) or _shows_nothing_of_tool(seen, reported)
    return replace(merged, tool_name=tool_name, tool_input=tool_input, rewrapped=doubtful)


def _shows_nothing_of_tool(seen: PromptForm, reported: PromptForm) -> bool:
    return is_mcp(reported) and not (seen.description or seen.tool_input or seen.tool_call_id)


def _as_prompt(form: PromptForm) -> PromptForm:
    """Return the prompt about a call; those from transcripts come as they are."""
    if form.kind is not Kind.UNKNOWN or not form.tool_input:
        return form
    if form.tool_name == ASK:
        return question_form(form.tool_input, form.tool_call_id)
    if is_mcp(form):
        return replace(form, kind=Kind.PERMISSION, description="\n".join(argument_rows(form)))
    arguments = form.tool_input
    if form.tool_name == _PATCH and isinstance(patch := arguments.get("input"), str):
        return replace(form, kind=Kind.PERMISSION, description=show_control_chars(patch).rstrip())
    if form.tool_name not in _SHELLS:
        return form
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, list):
        command = strip_shell(shlex.join(map(str, command)))
    if not isinstance(command, str):
        return form
    others = {k: v for k, v in arguments.items() if k not in ("cmd", "command") and k not in _ASIDE}
    about = [
        f"{label}: {arguments[name]}" for name, label in _LABELS.items() if arguments.get(name)
    ]
    return replace(
        form,
        kind=Kind.PERMISSION,
        description="\n".join((*about, f"$ {show_control_chars(command)}")),
        tool_name=_RUN,
        tool_input={"command": command, **others},
    )


def _cut_if_hidden(seen: PromptForm, reported: PromptForm) -> PromptForm:
    """Return the prompt on the screen as one that is cut if it hides something of the command.

    The CLI prints neither tabs and other control characters nor the folder and the shell.
    """
    called = reported.tool_input or {}
    command = str(called.get("command", ""))
    hides = "\t" in command or has_control_chars(command) or any(map(called.get, _HIDDEN))
    return replace(seen, truncated=True) if seen.tool_name == _RUN and hides else seen


def _is_same_call(seen: PromptForm, reported: PromptForm) -> bool:
    if seen.kind is Kind.QUESTION:
        return shows_question_of(seen, reported)
    if reported.tool_name == _PATCH:
        return seen.tool_name == _PATCH and _is_same_patch(seen, reported)
    if is_mcp(reported):
        return is_same_mcp_call(seen, reported)
    if seen.tool_name not in (None, reported.tool_name):
        return False
    if reported.tool_name in _BY_TITLE or "." in (reported.tool_name or ""):
        return squeeze(seen.title) == squeeze(reported.title)
    return _is_same_command(seen, reported)


def _is_same_command(seen: PromptForm, reported: PromptForm) -> bool:
    """Return True if the screen shows this command, or its beginning where the CLI cut it.

    A command that is a part of another one is a call of its own, so a part is not enough.
    """
    shown, command = _printed(_command_of(seen)), _command_of(reported)
    if seen.truncated and _SHELL_MARK not in f"\n{seen.description}":
        # A low pane may show the notes alone, and the list how the command begins.
        begins = remembered_commands(seen.options)
        rows = seen.description.split("\n")
        notes = _printed("\n".join(row for row in rows if not _ENVIRONMENT.fullmatch(row)))
        if not notes or not _printed(reported.description).startswith(notes):
            return False
        return all(_printed(command).startswith(_printed(each)) for each in begins)
    if seen.truncated:
        return bool(shown) and shown in _printed(command)
    return shown in (_printed(command), _printed(strip_shell(command)))


def _command_of(form: PromptForm) -> str:
    command = (form.tool_input or {}).get("command")
    if isinstance(command, str):
        return command
    # Notes stand before a command, which begins at the mark of a shell.
    return f"\n{form.description}".partition(_SHELL_MARK)[2] or form.description


def _printed(text: str) -> str:
    """Return the text without what a terminal wraps or leaves out."""
    return "".join(each for each in squeeze(text) if unicodedata.category(each)[0] != "C")


def _is_same_patch(seen: PromptForm, reported: PromptForm) -> bool:
    """Return True if the screen names a file of this patch, or the patch names none.

    Of several patches that a transcript reports it is the one whose rows are shown.
    """
    if seen.description == reported.description:
        return True
    patch = (reported.tool_input or {}).get("input")
    if isinstance(patch, str) and not _has_rows(patch, seen):
        return False
    names = [path.rpartition("/")[2] for path in named_paths(reported.tool_input or {})]
    shown = f"{seen.description}\n{seen.subject}"
    return not names or any(name in shown for name in names)


def _has_rows(patch: str, seen: PromptForm) -> bool:
    """Return True if a patch has the changed rows that are shown with their numbers.

    Most of them are enough where the CLI shortens them: 0.116 leaves older text in some blanks.
    """
    rows, whole = _CHANGED.findall(seen.description), squeeze(patch)
    # The rows of a file that is deleted stand in no patch.
    if not rows or _DELETED.search(patch):
        return True
    present = sum(squeeze(row) in whole for row in rows)
    return present * 2 > len(rows) if seen.truncated else present == len(rows)
