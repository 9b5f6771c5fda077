"""Approvals: commands, edits, input to a terminal, permissions, network access, MCP requests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_codex.screen.block import BlockKind, PromptBlock
from clawtap_codex.text import to_options
from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.screens import OptionRow, ParsedPrompt, cells, unwrap
from clawtap_core.screens.columns import in_one_column

_TITLE = re.compile(
    r"Would you like to .+\?|Do you want to .+\?|Approve .+\?|.+ needs your approval\."
)
_BEGINS = re.compile(r"[ •◦]? (?P<text>(?:Would you|Do you want|Approve |\S.* needs your ).*)")
_TITLE_ROWS = 4
_CUT = re.compile(r" *\[… \d+ lines?\].*")
_PROMPT = "  $ "
_LABELLED = re.compile(r"  [A-Z][A-Za-z ]{2,20}:(?: |$)")
_FILE = re.compile(r"(?P<path>\S.*?).\(\+(?P<more>\d+).-(?P<less>\d+)\)")
_INPUT = re.compile(r"Input: (?P<text>\".*\")")
_RULE = re.compile(r"Permission rule: (?P<text>.+)")
_THREAD = re.compile(r"Thread: (?:\S*/)?(?P<name>\S.*)")
_HOST = re.compile(r'network access to "(?P<host>.+)"\?')
_EDITED = re.compile(r"• (?:Edited|Added|Deleted|Proposed) .+\(\+\d+ -\d+\)")
_SHORTENED = "    + Show details"
_MARGINS = 4
_TOOLS = (
    (re.compile(r"run the following command"), "exec_command"),
    (re.compile(r"make the following edits"), "apply_patch"),
    (re.compile(r"send input to terminal"), "write_stdin"),
    (re.compile(r"grant these permissions"), "request_permissions"),
)
_NAMED_KEYS = {"esc": "Escape", "enter": "Enter"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """An approval taken apart; `top` is the row of its title."""

    top: int
    title: str
    tool: str | None
    notes: tuple[str, ...]
    body: tuple[str, ...]
    cut: bool


def read_permission(block: PromptBlock) -> ParsedPrompt | None:
    """A tool that asks; the list ends with the refusal, which Escape stands for too."""
    if block.kind is not BlockKind.APPROVAL or sum(row.selected for row in block.options) != 1:
        return None
    layout = _split(block)
    if layout is None:
        return None
    rows, options, whole = _read_options(block)
    if not options:
        return None
    text, short = _description(block, layout)
    form = PromptForm(
        kind=Kind.PERMISSION if layout.tool else _untitled_kind(layout.title),
        title=layout.title,
        description="\n".join((*layout.notes, text)).strip(),
        subject=_subject(layout),
        truncated=layout.cut or short,
        tool_name=layout.tool,
        tool_input=_tool_input(block, layout),
        options=options,
        origin=_subagent_name(layout),
        more_options=not whole,
        selected=next((o.value for o, r in zip(options, rows, strict=True) if r.selected), None),
        top=layout.top,
    )
    keys = ((option.label, _key_of(option)) for option in options)
    return ParsedPrompt(form, rows, tuple((label, key) for label, key in keys if key))


def _read_options(block: PromptBlock) -> tuple[tuple[OptionRow, ...], tuple[Option, ...], bool]:
    """The rows, the options, and whether they are all: the last one refuses.

    0.169 shows as many as fit, and no mark for the others. The last row in view may be cut; every
    whole one ends with its key.
    """
    found = in_one_column(block.rows, block.options)
    options = to_options(found)
    if options[-1].effect is not Effect.DENY and options[-1].hint is None:
        found, options = found[:-1], options[:-1]
    rows = tuple(replace(row, label=o.label) for row, o in zip(found, options, strict=True))
    ends = bool(options) and options[-1].effect is Effect.DENY
    return rows, options, ends and block.options[0].number == 1


def _untitled_kind(title: str) -> Kind:
    return Kind.QUESTION if title.endswith("needs your approval.") else Kind.PERMISSION


def _key_of(option: Option) -> str | None:
    """The key that the row itself names."""
    if option.hint and len(option.hint) == 1:
        return option.hint
    return _NAMED_KEYS.get(option.hint or "")


def _split(block: PromptBlock) -> _Layout | None:
    found = _title(block)
    if found is None:
        return None
    top, below, title = found
    inside = block.rows[below : block.list_top]
    tool = next((name for words, name in _TOOLS if words.search(title)), None)
    kept = [row for row in inside if not _CUT.fullmatch(row)]
    notes, body = _split_notes(kept, tool)
    return _Layout(top, title, tool, notes, body, len(kept) < len(inside))


def _title(block: PromptBlock) -> tuple[int, int, str] | None:
    """Row, row after it, and words of the title: the lowest bold one, or the lowest."""
    found = [
        (row, *title)
        for row in range(block.list_top - 1, -1, -1)
        if (title := _title_starting_at(block.rows, row, block.list_top))
    ]
    return next((each for each in found if block.is_bold(each[0])), found[0] if found else None)


def _title_starting_at(rows: Sequence[str], row: int, end: int) -> tuple[int, str] | None:
    begins = _BEGINS.fullmatch(rows[row])
    words = begins["text"] if begins else ""
    for below in range(row + 1, min(row + 1 + _TITLE_ROWS, end)):
        if not rows[below].strip():
            return (below, words) if words and _TITLE.fullmatch(words) else None
        words = f"{words} {rows[below].strip()}" if words else ""
    return None


def _split_notes(rows: Sequence[str], tool: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labelled lines, each whole, and what follows them: the command, or the diff."""
    notes: list[str] = []
    for at, row in enumerate(rows):
        if row.startswith(_PROMPT) or (tool == "apply_patch" and _FILE.fullmatch(row.strip())):
            return tuple(notes), _dedent(rows[at:])
        if _LABELLED.match(row) or (row.strip() and not notes):
            notes.append(row.strip())
        elif row.strip():
            notes[-1] += _joint(notes[-1]) + row.strip()
        elif any(later.strip() for later in rows[at:]) and notes and tool is None:
            notes.append("")
    return tuple(note for note in notes if note), ()


def _joint(note: str) -> str:
    """A path or a word that alone fills its line was cut in two; words are not."""
    _, _, value = note.partition(": ")
    return "" if value and " " not in value and value[0] in "/~" else " "


def _dedent(rows: Sequence[str]) -> tuple[str, ...]:
    return tuple("\n".join(row[2:] for row in rows).strip("\n").split("\n"))


def _description(block: PromptBlock, layout: _Layout) -> tuple[str, bool]:
    """The command or the diff, and whether the CLI shows less than all of it."""
    if layout.tool != "apply_patch":
        return unwrap(layout.body, block.screen.cols - _MARGINS, code=True), False
    if layout.body != ("",) and layout.body:
        return "\n".join(_file_header(row) for row in layout.body), False
    return _diff_in_history(block, layout.top), True


def _diff_in_history(block: PromptBlock, top: int) -> str:
    """The diff as the history above shows it, shortened: 0.169 has none in its prompt."""
    for row in range(top - 1, -1, -1):
        if _EDITED.fullmatch(block.rows[row]):
            kept = (line for line in block.rows[row + 1 : top] if line != _SHORTENED)
            return "\n".join(_dedent(tuple(kept)))
        if block.rows[row] and not block.rows[row].startswith(" "):
            break
    return ""


def _file_header(row: str) -> str:
    """A file's line in a diff. 0.116 lets what stood there before show through its blanks."""
    found = _FILE.fullmatch(row)
    return f"{found['path']} (+{found['more']} -{found['less']})" if found else row


def _subject(layout: _Layout) -> str:
    """A diff is shown as far as it fits, and damaged: its first file tells it."""
    if layout.tool != "apply_patch":
        return ""
    return "\n".join((layout.title, *layout.notes, *map(_file_header, layout.body[:1])))


def _subagent_name(layout: _Layout) -> str | None:
    """The sub-agent that asks, where one does: a path that ends with its name."""
    found = (_THREAD.fullmatch(note) for note in layout.notes)
    return next((each["name"] for each in found if each), None)


def _tool_input(block: PromptBlock, layout: _Layout) -> Mapping[str, Any] | None:
    """What the tool was given, where the screen shows it to the letter."""
    notes = "\n".join(layout.notes)
    if (
        layout.tool == "exec_command"
        and layout.body
        and not layout.cut
        and not _may_continue(block, layout)
    ):
        return {"command": "\n".join(layout.body).removeprefix(_PROMPT.strip()).lstrip(" ")}
    if layout.tool == "write_stdin" and (found := _INPUT.search(notes)):
        return _stdin_text(found["text"])
    if layout.tool == "request_permissions" and (found := _RULE.search(notes)):
        return {"permissions": found["text"]}
    if found := _HOST.search(layout.title):
        return {"host": found["host"]}
    return None


def _stdin_text(text: str) -> Mapping[str, Any] | None:
    try:
        return {"input": json.loads(text)}
    except ValueError:
        return None


def _may_continue(block: PromptBlock, layout: _Layout) -> bool:
    """Whether a row may go on in the next: nobody can tell that from a line break."""
    width = block.screen.cols - _MARGINS
    longest = max(map(cells, layout.body))
    return unwrap(layout.body, width, code=True) != "\n".join(layout.body) or longest >= width
