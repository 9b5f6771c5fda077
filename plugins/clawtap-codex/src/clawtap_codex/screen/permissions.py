"""Approvals: commands, edits, input to a terminal, permissions, network access, MCP requests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_codex.screen.block import Block, Family
from clawtap_codex.text import options_of
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
_KEYS = {"esc": "Escape", "enter": "Enter"}


@dataclass(frozen=True, slots=True)
class _Parts:
    """An approval taken apart; `top` is the row of its title."""

    top: int
    title: str
    tool: str | None
    notes: tuple[str, ...]
    body: tuple[str, ...]
    cut: bool


def read_approval(block: Block) -> ParsedPrompt | None:
    """A tool that asks; the list ends with the refusal, which Escape stands for too."""
    if block.family is not Family.APPROVAL or sum(row.selected for row in block.options) != 1:
        return None
    parts = _parts(block)
    if parts is None:
        return None
    rows, options, whole = _offered(block)
    if not options:
        return None
    text, short = _text(block, parts)
    form = PromptForm(
        kind=Kind.PERMISSION if parts.tool else _kind(parts.title),
        title=parts.title,
        description="\n".join((*parts.notes, text)).strip(),
        subject=_subject(parts),
        truncated=parts.cut or short,
        tool_name=parts.tool,
        tool_input=_input(block, parts),
        options=options,
        origin=_agent(parts),
        more_options=not whole,
        selected=next((o.value for o, r in zip(options, rows, strict=True) if r.selected), None),
        top=parts.top,
    )
    keys = ((option.label, _key(option)) for option in options)
    return ParsedPrompt(form, rows, tuple((label, key) for label, key in keys if key))


def _offered(block: Block) -> tuple[tuple[OptionRow, ...], tuple[Option, ...], bool]:
    """The rows, the options, and whether they are all: the last one refuses.

    0.169 shows as many as fit, and no mark for the others. The last row in view may be cut; every
    whole one ends with its key.
    """
    found = in_one_column(block.rows, block.options)
    options = options_of(found)
    if options[-1].effect is not Effect.DENY and options[-1].hint is None:
        found, options = found[:-1], options[:-1]
    rows = tuple(replace(row, label=o.label) for row, o in zip(found, options, strict=True))
    ends = bool(options) and options[-1].effect is Effect.DENY
    return rows, options, ends and block.options[0].number == 1


def _kind(title: str) -> Kind:
    return Kind.QUESTION if title.endswith("needs your approval.") else Kind.PERMISSION


def _key(option: Option) -> str | None:
    """The key that the row itself names."""
    if option.hint and len(option.hint) == 1:
        return option.hint
    return _KEYS.get(option.hint or "")


def _parts(block: Block) -> _Parts | None:
    found = _title(block)
    if found is None:
        return None
    top, below, title = found
    inside = block.rows[below : block.top_of_list]
    tool = next((name for words, name in _TOOLS if words.search(title)), None)
    kept = [row for row in inside if not _CUT.fullmatch(row)]
    notes, body = _divided(kept, tool)
    return _Parts(top, title, tool, notes, body, len(kept) < len(inside))


def _title(block: Block) -> tuple[int, int, str] | None:
    """Row, row after it, and words of the title: the lowest bold one, or the lowest."""
    found = [
        (row, *title)
        for row in range(block.top_of_list - 1, -1, -1)
        if (title := _title_at(block.rows, row, block.top_of_list))
    ]
    return next((each for each in found if block.bold(each[0])), found[0] if found else None)


def _title_at(rows: Sequence[str], row: int, end: int) -> tuple[int, str] | None:
    begins = _BEGINS.fullmatch(rows[row])
    words = begins["text"] if begins else ""
    for below in range(row + 1, min(row + 1 + _TITLE_ROWS, end)):
        if not rows[below].strip():
            return (below, words) if words and _TITLE.fullmatch(words) else None
        words = f"{words} {rows[below].strip()}" if words else ""
    return None


def _divided(rows: Sequence[str], tool: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labelled lines, each whole, and what follows them: the command, or the diff."""
    notes: list[str] = []
    for at, row in enumerate(rows):
        if row.startswith(_PROMPT) or (tool == "apply_patch" and _FILE.fullmatch(row.strip())):
            return tuple(notes), _dedented(rows[at:])
        if _LABELLED.match(row) or (row.strip() and not notes):
            notes.append(row.strip())
        elif row.strip():
            notes[-1] += _glue(notes[-1]) + row.strip()
        elif any(later.strip() for later in rows[at:]) and notes and tool is None:
            notes.append("")
    return tuple(note for note in notes if note), ()


def _glue(note: str) -> str:
    """A path or a word that alone fills its line was cut in two; words are not."""
    _, _, value = note.partition(": ")
    return "" if value and " " not in value and value[0] in "/~" else " "


def _dedented(rows: Sequence[str]) -> tuple[str, ...]:
    return tuple("\n".join(row[2:] for row in rows).strip("\n").split("\n"))


def _text(block: Block, parts: _Parts) -> tuple[str, bool]:
    """The command or the diff, and whether the CLI shows less than all of it."""
    if parts.tool != "apply_patch":
        return unwrap(parts.body, block.screen.cols - _MARGINS, code=True), False
    if parts.body != ("",) and parts.body:
        return "\n".join(_header(row) for row in parts.body), False
    return _history(block, parts.top), True


def _history(block: Block, top: int) -> str:
    """The diff as the history above shows it, shortened: 0.169 has none in its prompt."""
    for row in range(top - 1, -1, -1):
        if _EDITED.fullmatch(block.rows[row]):
            kept = (line for line in block.rows[row + 1 : top] if line != _SHORTENED)
            return "\n".join(_dedented(tuple(kept)))
        if block.rows[row] and not block.rows[row].startswith(" "):
            break
    return ""


def _header(row: str) -> str:
    """A file's line in a diff. 0.116 lets what stood there before show through its blanks."""
    found = _FILE.fullmatch(row)
    return f"{found['path']} (+{found['more']} -{found['less']})" if found else row


def _subject(parts: _Parts) -> str:
    """A diff is shown as far as it fits, and damaged: its first file tells it."""
    if parts.tool != "apply_patch":
        return ""
    return "\n".join((parts.title, *parts.notes, *map(_header, parts.body[:1])))


def _agent(parts: _Parts) -> str | None:
    """The sub-agent that asks, where one does: a path that ends with its name."""
    found = (_THREAD.fullmatch(note) for note in parts.notes)
    return next((each["name"] for each in found if each), None)


def _input(block: Block, parts: _Parts) -> Mapping[str, Any] | None:
    """What the tool was given, where the screen shows it to the letter."""
    notes = "\n".join(parts.notes)
    if parts.tool == "exec_command" and parts.body and not parts.cut and not _full(block, parts):
        return {"command": "\n".join(parts.body).removeprefix(_PROMPT.strip()).lstrip(" ")}
    if parts.tool == "write_stdin" and (found := _INPUT.search(notes)):
        return _typed(found["text"])
    if parts.tool == "request_permissions" and (found := _RULE.search(notes)):
        return {"permissions": found["text"]}
    if found := _HOST.search(parts.title):
        return {"host": found["host"]}
    return None


def _typed(text: str) -> Mapping[str, Any] | None:
    try:
        return {"input": json.loads(text)}
    except ValueError:
        return None


def _full(block: Block, parts: _Parts) -> bool:
    """Whether a row may go on in the next: nobody can tell that from a line break."""
    width = block.screen.cols - _MARGINS
    longest = max(map(cells, parts.body))
    return unwrap(parts.body, width, code=True) != "\n".join(parts.body) or longest >= width
