"""Permissions and plans: a tool call, what it would do, a question and a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import (
    OptionRow,
    ParsedPrompt,
    cells,
    digits,
    is_verbatim,
    paragraph_above,
    slugs,
    split_hint,
    unwrap,
)
from clawtap_qwen.screen.block import Block
from clawtap_qwen.words import WORDS

_MCP = WORDS.pattern("permissions.mcp")
_PLANS = WORDS.pattern("permissions.keeps_planning")
_ONCE = WORDS.pattern("permissions.once")
_EXECUTION = WORDS.pattern("permissions.execution")
_STEERS = WORDS.pattern("permissions.steers")
_ALWAYS = WORDS.pattern("permissions.always")
SHELL = "run_shell_command"
PLAN = "exit_plan_mode"
_TOOLS = {
    "Shell": SHELL,
    "Edit": "edit",
    "WriteFile": "write_file",
    "WebFetch": "web_fetch",
    "Agent": "agent",
    "ExitPlanMode": PLAN,
    "EnterPlanMode": "enter_plan_mode",
    "Skill": "skill",
}
_CUT = "…"
_INDENT = "  "
_DIFFS = ("edit", "write_file")
# After the command stand its description and that it runs in the background.
_AFTER_COMMAND = ("", "(", "[")


def read_permission(block: Block) -> ParsedPrompt | None:
    """Read a call that asks to run, or a plan: Escape chooses the last option."""
    options = _options(block.options)
    if len(options) < 2 or options[-1].hint != "esc":
        return None
    asks = paragraph_above(block.rows, block.start)
    title = unwrap((block.rows[row] for row in asks), block.width).replace("\n", " ")
    headline, rows = _split(block, block.rows[: asks.start])
    text = _text(rows)
    tool = _tool(block, title, text, options)
    command = tool == SHELL and not block.cut and _is_whole(text, headline)
    text = _text(rows, block.width) if command else text
    cut = block.cut or (not command if tool == SHELL else _reaches_edge(block, tool, rows))
    form = PromptForm(
        Kind.PLAN if tool == PLAN else Kind.PERMISSION,
        title,
        "\n".join(filter(None, (_details(tool, headline, text), text))),
        truncated=cut,
        tool_name=tool,
        tool_input={"command": text} if command else None,
        options=options,
        selected=next(
            (o.value for o, row in zip(options, block.options, strict=True) if row.selected), None
        ),
        top=block.begin,
        rewrapped=command and not is_verbatim(text, rows),
    )
    listed = tuple(
        replace(row, label=option.label) for row, option in zip(block.options, options, strict=True)
    )
    return ParsedPrompt(form, listed, digits(listed))


def _options(rows: Sequence[OptionRow]) -> tuple[Option, ...]:
    split = [split_hint(row.label) for row in rows]
    labels = [label for label, _ in split]
    # The CLI may cut two options down to the same words.
    unique = [
        f"{label} ({row.number})" if labels.count(label) > 1 else label
        for label, row in zip(labels, rows, strict=True)
    ]
    return tuple(
        Option(name, label, _effect(label, hint), hint)
        for name, label, (_, hint) in zip(slugs(unique), unique, split, strict=True)
    )


def _effect(label: str, hint: str | None) -> Effect:
    if hint == "esc":
        return Effect.DENY
    if _ONCE.match(label):
        return Effect.ALLOW_ONCE
    return Effect.ALLOW_ALWAYS if _ALWAYS.match(label) else Effect.OTHER


def _tool(block: Block, title: str, text: str, options: Sequence[Option]) -> str | None:
    if mcp := _MCP.search(text):
        return f"mcp__{mcp['server']}__{mcp['tool']}"
    if _PLANS.match(options[-1].label):
        return PLAN
    if _EXECUTION.match(title):
        return SHELL
    return _TOOLS.get((block.head or "").split(" ", 1)[0])


def _split(block: Block, rows: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the headline without the tool's name, and the rows of the body.

    A headline may take several rows, even blank ones: that of a command has all of it.
    """
    blanks = [at for at, row in enumerate(rows) if not row.strip()]
    if block.head is None or not blanks:
        return "", rows
    call = block.head.split(" ", 1)[-1]
    for at in blanks:
        body = squeeze("".join(rows[at:]))
        if body and squeeze("".join((call, *rows[:at]))).startswith(body):
            break
    else:
        at = blanks[0]
    return "\n".join((call, *rows[:at])), rows[at + 1 :]


def _text(rows: Sequence[str], width: int | None = None) -> str:
    """Return the text of the body; with a width, rows that were broken there are joined."""
    lines = [row.rstrip() for row in rows if not _STEERS.fullmatch(row.strip())]
    if all(line.startswith(_INDENT) for line in lines if line):
        lines = [line.removeprefix(_INDENT) for line in lines]
    return unwrap(lines, width, code=True) if width else "\n".join(lines).strip("\n")


def _is_whole(command: str, headline: str) -> bool:
    """Return True if the headline proves that no end of a row is cut off."""
    whole, shown = squeeze(headline), squeeze(command)
    return bool(shown) and whole.startswith(shown) and whole[len(shown) :][:1] in _AFTER_COMMAND


def _reaches_edge(block: Block, tool: str | None, rows: Sequence[str]) -> bool:
    return tool in _DIFFS and any(cells(row) >= block.width - 1 for row in rows)


def _details(tool: str | None, headline: str, text: str) -> str:
    """Return what the headline adds to the body."""
    call = " ".join(headline.split())
    if tool in (SHELL, PLAN, None) or squeeze(call).rstrip(_CUT) in squeeze(text):
        return ""
    return call
