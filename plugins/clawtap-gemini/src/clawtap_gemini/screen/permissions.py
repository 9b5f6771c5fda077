"""Tool confirmations: shell, edit, write, web fetch, MCP, skill, plan mode and new ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import Effect, Kind, Option, Position, PromptForm
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import (
    ParsedPrompt,
    digits,
    inner_boxes,
    paragraph_above,
    slugs,
    split_hint,
    unwrap,
)
from clawtap_gemini.screen.block import CUT, Block, relabelled
from clawtap_gemini.text import command_of, text_of, with_top
from clawtap_gemini.words import WORDS

_TOOL = re.compile(r"\? {1,2}(?P<call>\S.*)")
_OF = re.compile(r"(?P<text>.*?)\s{2,}(?P<index>\d+) of (?P<total>\d+)")
_ASKS = WORDS.pattern("permissions.asks")
_TITLE = re.compile(r"(?P<title>.*?\?)(?:\n(?P<notes>.*))?", re.DOTALL)
_EXECUTION = WORDS.pattern("permissions.execution")
_MCP_ASKS = WORDS.pattern("permissions.mcp_asks")
_MCP_CALL = WORDS.pattern("permissions.mcp_call")
_POLICY = re.compile(r"(?P<label>.*\S) +(?P<path>~/\S*)")
_FOLDER = " [current working directory "
_URLS = WORDS.pattern("permissions.urls")
_SHELL = "run_shell_command"
_NAMES = WORDS.pattern("permissions.names")
# The CLI clips no body that is lower than this, except in panes of fewer rows than that.
_HIGH, _ROOMY = 8, 35
_TOOLS = {
    "Shell": _SHELL,
    "Edit": "replace",
    "WriteFile": "write_file",
    "WebFetch": "web_fetch",
    "Enter Plan Mode": "enter_plan_mode",
    "Activate Skill": "activate_skill",
}


@dataclass(frozen=True, slots=True)
class _Parts:
    """A confirmation taken apart: `name` and `args` are the tool's line, `notes` follow the
    question."""

    name: str
    args: str
    position: Position | None
    body: tuple[str, ...]
    title: str
    notes: str


def read_permission(block: Block) -> ParsedPrompt | None:
    """Read a tool that asks to run: its last option is the refusal that Escape chooses."""
    options = _options(block)
    if len(options) < 2 or options[-1].hint != "esc" or any(o.hint for o in options[:-1]):
        return None
    above = block.rows[: block.start]
    begin, name, args, position = _call(above, block.width)
    asks, title, notes = _question(block, above, begin)
    parts = _Parts(name, args, position, with_top(above[begin:asks]), title, notes)
    if not (parts.args or parts.name or _ASKS.match(parts.title) or not block.box.whole):
        return None
    tool = _tool(parts)
    command, below = command_of(parts.body, block.width) if tool == _SHELL else ("", "")
    # The CLI paints a body before it knows its height: it clips one that is too high as if it were
    # whole, and notes in the next frame how many lines it hides.
    clipped = bool(command) and not block.cut and _clipped(parts.title, command)
    cut = block.cut or clipped or _lacks_body(parts)
    body = "\n".join(filter(None, (command, below))) or text_of(parts.body, block.width)
    body += f"\n{CUT}" * clipped
    # What the tool's line adds to the body.
    details = _without(command, parts.args.split(_FOLDER)[0]) if command else parts.args
    shown = squeeze(details.rstrip(CUT))
    if shown in squeeze(body) or (command and squeeze(command).startswith(shown)):
        details = ""
    warned = bool(below) and not below.startswith("Note: ")
    rows = tuple(zip(block.options, options, strict=True))
    form = PromptForm(
        kind=Kind.PERMISSION,
        title=parts.title or "Action Required",
        description="\n".join(part for part in (details, body, parts.notes) if part),
        subject=_subject(parts, tool, details, body),
        truncated=cut or details.endswith(CUT),
        tool_name=tool,
        tool_input=_input(parts, "" if cut or warned else command),
        options=options,
        more_options=block.begins_above,
        selected=next((o.value for row, o in rows if row.selected), None),
        position=parts.position,
        top=block.box.top,
        # The CLI leaves out escape sequences, with whatever they hide, and shows no trace of them.
        rewrapped=bool(command),
        # A low pane may show the question a frame after its options, and an empty box before the
        # command in it.
        provisional=clipped
        or not (body or (parts.title and not parts.body))
        or (block.box.whole and _is_painted_again(block, parts, command)),
    )
    labelled = tuple(relabelled(row, option.label) for row, option in rows)
    return ParsedPrompt(form, labelled, digits(labelled))


def _without(command: str, text: str) -> str:
    """Return a text without the lines that are part of the command."""
    whole = squeeze(command)
    lines = (line for line in text.split("\n") if squeeze(line.rstrip(CUT)) not in whole)
    return "\n".join(lines)


def _subject(parts: _Parts, tool: str | None, details: str, body: str) -> str:
    # The command of a shell is its body; a low pane that has no room for it may show it in the
    # tool's line only. The body of an MCP tool can be folded and unfolded.
    if tool == _SHELL and body.strip(f"{CUT}\n"):
        details = ""
    elif tool and tool.startswith("mcp_"):
        body = ""
    top = "" if parts.name or parts.args else CUT
    return "\n".join((tool or "", top, details, body, parts.title.replace(CUT, f"{CUT}\n")))


def _is_painted_again(block: Block, parts: _Parts, command: str) -> bool:
    """Return True if the body may show other rows soon: the CLI paints a long one three times."""
    if block.cut or len(parts.body) >= _HIGH:
        return True
    # In a low pane the first time may lack the end of any body but what the tool's line repeats.
    repeated = bool(command) and squeeze(parts.args) == squeeze(command)
    return bool(parts.body) and block.screen.rows < _ROOMY and not repeated


def _lacks_body(parts: _Parts) -> bool:
    """Return True if the box for a command or a diff is empty: a low pane has no room in it."""
    return any(not any(box.rows) for box in inner_boxes(parts.body))


def _clipped(title: str, command: str) -> bool:
    """Return True if the question names more commands than are above it."""
    match = _NAMES.fullmatch(title)
    names = Counter(match["names"].split(", ")) if match else Counter()
    del names["redirection"]
    shown = squeeze(command)
    # Names of several words, such as "heredoc (<<)", are not in the command.
    return any(" " not in name and shown.count(name) < count for name, count in names.items())


def _options(block: Block) -> tuple[Option, ...]:
    options = []
    for row in block.options:
        label, hint = split_hint(row.label)
        policy = _POLICY.fullmatch(label)
        label, path = (policy["label"], policy["path"]) if policy else (label, None)
        if row is block.options[-1] and hint:
            effect = Effect.DENY
        elif label.startswith("Allow"):
            effect = Effect.ALLOW_ONCE if label.endswith("once") else Effect.ALLOW_ALWAYS
        else:
            effect = Effect.OTHER
        options.append(Option("", label, effect, hint, path))
    names = slugs(option.label for option in options)
    return tuple(replace(o, value=name) for o, name in zip(options, names, strict=True))


def _call(rows: tuple[str, ...], width: int) -> tuple[int, str, str, Position | None]:
    """Return the body's first row, the tool's name and arguments on the screen, the position."""
    position = None
    for at, row in enumerate(rows[:4]):
        text = row.strip()
        if match := _OF.fullmatch(text):
            text, position = match["text"], Position(int(match["index"]), int(match["total"]))
        if match := _TOOL.fullmatch(text):
            call = match["call"]
            named = (each for each in _TOOLS if call == each or call.startswith(f"{each} "))
            name = next(named, "")
            begin = _end_of_call(rows, at + 1, width, speaks=at == 0 and name == "Shell")
            lines = (call[len(name) :].strip() if name else call, *rows[at + 1 : begin])
            return begin, name, "\n".join(map(str.strip, lines)).strip(), position
        if text and text != "Action Required":
            break
    return (1 if position else 0), "", "", position


def _end_of_call(rows: tuple[str, ...], start: int, width: int, *, speaks: bool) -> int:
    """Return the row after the tool's line, on which a short command has lines of its own.

    The command stands again in the box below, which is as wide as the text can be. `speaks`: what
    a hook of the user's says may stand between them. Versions without this box show the command
    there itself, which may draw one; they have a heading above the tool's line.
    """
    for at in range(start, len(rows)):
        if rows[at].startswith("╭") and len(rows[at]) == width:
            return at
        if rows[at].strip() and not (speaks or rows[at].startswith("  ")):
            break
    return start


def _question(block: Block, rows: tuple[str, ...], begin: int) -> tuple[int, str, str]:
    """Return the row of the question, the question, and the notes below it."""
    for at in range(len(rows) - 1, begin - 1, -1):
        if _ASKS.match(rows[at]):
            text = unwrap(rows[at:], block.width)
            match = _TITLE.fullmatch(text)
            title, notes = (match["title"], match["notes"]) if match else (text, "")
            return at, title.replace("\n", " "), notes or ""
    return _cut_question(block, rows, begin)


def _cut_question(block: Block, rows: tuple[str, ...], begin: int) -> tuple[int, str, str]:
    # A question in other words is the last sentence, or what a cut has left of it.
    last = paragraph_above(rows, len(rows))
    start = max(last.start, begin)
    text = unwrap(rows[start:], block.width)
    if not block.box.whole and start == 0 and text.endswith("'?"):
        return 0, f"Allow execution of: {CUT}\n{text}".replace("\n", " "), ""
    lines = text.split("\n")
    return (last.stop - 1 if text else len(rows)), lines[-1].strip(), ""


def _tool(parts: _Parts) -> str | None:
    if parts.name:
        return _TOOLS[parts.name]
    if mcp := _MCP_ASKS.search(parts.title) or _mcp_call(parts):
        return f"mcp_{mcp['server']}_{mcp['tool']}"
    if match := _EXECUTION.match(parts.title):
        shell = match["tool"] in ("", "Shell", CUT) or ":" in parts.title
        return _SHELL if shell else match["tool"]
    if parts.body and _URLS.fullmatch(parts.body[-1]):
        return "web_fetch"
    return None


def _input(parts: _Parts, command: str) -> Mapping[str, Any] | None:
    if command:
        return {"command": command}
    call = _mcp_call(parts)
    try:
        arguments = json.loads(call["args"]) if call else None
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def _mcp_call(parts: _Parts) -> re.Match[str] | None:
    """Return the call on the tool's line: what a model says of other tools may read like one."""
    call, asks = _MCP_CALL.match(parts.args), _MCP_ASKS.search(parts.title)
    if call is None or parts.name:
        return None
    named = ("tool", "server")
    return call if asks is None or asks.group(*named) == call.group(*named) else None
