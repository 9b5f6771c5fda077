"""Permission prompts: commands, edits, terminal input, permissions, network access, MCP consent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from clawtap_codex.screen.block import BlockKind, PromptBlock
from clawtap_codex.text import label_rows, remembered_commands, to_options
from clawtap_codex.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import OptionRow, ParsedPrompt, cells, unwrap
from clawtap_core.screens.columns import in_one_column

_TITLE = WORDS.pattern("permissions.title")
_BEGINS = WORDS.pattern("permissions.begins")
_TITLE_ROWS = 4
_RUN = "Would you like to run the following command?"
_FILES = WORDS.pattern("permissions.files")
_HISTORY = WORDS.pattern("permissions.history")
_CUT = re.compile(r" *\[… \d+ lines?\].*")
_PROMPT = "  $ "
_LABELLED = re.compile(r"  [A-Z][A-Za-z ]{2,20}:(?: |$)")
_FILE = re.compile(r"(?P<path>\S.*?).\(\+(?P<more>\d+).-(?P<less>\d+)\)")
_INPUT = WORDS.pattern("permissions.input")
_RULE = WORDS.pattern("permissions.rule")
_THREAD = WORDS.pattern("permissions.thread")
_HOST = WORDS.pattern("permissions.host")
_EDITED = WORDS.pattern("permissions.edited")
_EDITED_FILE = WORDS.pattern("permissions.edited_file")
_SHORTENED = WORDS.texts("permissions.shortened")
_MARGINS = 4
_TOOLS = (
    (re.compile(r"run the following command"), "exec_command"),
    (re.compile(r"make the following edits"), "apply_patch"),
    (re.compile(r"send input to terminal"), "write_stdin"),
    (re.compile(r"grant these permissions"), "request_permissions"),
)
_QUOTING = str.maketrans("", "", "'\"\\")
_NAMED_KEYS = {"esc": "Escape", "enter": "Enter"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """The parts of a permission prompt; `top` is the row of its title."""

    top: int
    title: str
    tool: str | None
    notes: tuple[str, ...]
    body: tuple[str, ...]
    cut: bool


def read_permission(block: PromptBlock) -> ParsedPrompt | None:
    """Parse a permission prompt; its last option denies, and so does Escape."""
    if block.kind is not BlockKind.APPROVAL or sum(row.selected for row in block.options) != 1:
        return None
    layout = _split(block)
    if layout is None:
        return None
    rows, options, whole = _read_options(block)
    if not options:
        return None
    if not _shows_remembered(layout, options):
        layout = replace(layout, cut=True)
    history = _edit_in_history(block, layout)
    text, short = _description(block, layout, history)
    server_asks = layout.tool is None and layout.title.endswith("needs your approval.")
    threads = (_THREAD.fullmatch(note) for note in layout.notes)
    form = PromptForm(
        kind=Kind.QUESTION if server_asks else Kind.PERMISSION,
        title=layout.title,
        description="\n".join((*layout.notes, text)).strip(),
        subject=_subject(layout),
        truncated=layout.cut or short,
        tool_name=layout.tool,
        tool_input=_tool_input(block, layout),
        options=options,
        # The last part of a thread's path names the sub-agent that asks.
        origin=next((thread["name"] for thread in threads if thread), None),
        more_options=not whole,
        selected=next((o.value for o, r in zip(options, rows, strict=True) if r.selected), None),
        # The entry may be painted a frame after the prompt. It was not left by an answer.
        top=history.start if history else layout.top,
        # The CLI prints no tabs and no folder: `cat src/etc/passwd` may have a tab after `src`.
        rewrapped=layout.tool == "exec_command",
    )
    return ParsedPrompt(form, rows, _row_keys(options))


def _row_keys(options: Sequence[Option]) -> tuple[tuple[str, str], ...]:
    """Return the key that each row names, except one that several rows name.

    0.169 may write Escape behind a row that declines and behind one that cancels: it cancels.
    """
    hints = [option.hint for option in options]
    return tuple(
        (option.label, _NAMED_KEYS.get(option.hint, option.hint))
        for option in options
        if option.hint and (len(option.hint) == 1 or option.hint in _NAMED_KEYS)
        if hints.count(option.hint) == 1
    )


def _shows_remembered(layout: _Layout, options: Sequence[Option]) -> bool:
    """Return True if the shown command has what the list offers to allow for good.

    Where a command has a tab, 0.116 paints characters of it over or leaves others in between.
    """
    shown = _unquoted("".join(layout.body))
    return all(_unquoted(each) in shown for each in remembered_commands(options))


def _unquoted(text: str) -> str:
    # The list quotes the words of a command again, in its own way.
    return squeeze(text).translate(_QUOTING)


def _read_options(block: PromptBlock) -> tuple[tuple[OptionRow, ...], tuple[Option, ...], bool]:
    """Return the rows, the options, and whether the list is complete."""
    rows = in_one_column(block.rows, block.options)
    options = to_options(rows)
    # Every option that is fully drawn ends with its key.
    if options[-1].effect is not Effect.DENY and options[-1].hint is None:
        rows, options = rows[:-1], options[:-1]
    # 0.169 shows the options that fit, and may not mark that there are others. The last one denies.
    ends = bool(options) and options[-1].effect is Effect.DENY
    return label_rows(rows, options), options, ends and block.options[0].number == 1


def _split(block: PromptBlock) -> _Layout | None:
    heading = _title(block)
    if heading is None:
        return _split_overpainted(block)
    top, below, title = heading
    inside = block.rows[below : block.list_top]
    tool = next((name for words, name in _TOOLS if words.search(title)), None)
    kept = [row for row in inside if not _CUT.fullmatch(row)]
    notes, body = _split_notes(kept, tool)
    return _Layout(top, title, tool, notes, body, len(kept) < len(inside))


def _split_overpainted(block: PromptBlock) -> _Layout | None:
    # Of two long commands in one turn, 0.116 paints the end of the first one over the title of the
    # second. What is left of it is the rest of the text, up to the mark that it was cut.
    rows = block.rows[: block.list_top]
    end = next((row for row in range(len(rows) - 1, -1, -1) if rows[row].strip()), None)
    if end is None or not _CUT.fullmatch(rows[end]):
        return None
    if any(_FILES.search(row.label) for row in block.options):
        return None
    top = end
    while top and rows[top - 1].strip() and not _HISTORY.match(rows[top - 1]):
        top -= 1
    return _Layout(top, _RUN, "exec_command", (), _dedent(rows[top:end]), cut=True)


def _title(block: PromptBlock) -> tuple[int, int, str] | None:
    """Return first row, next row and words of the lowest bold title, or of the lowest one."""
    titles = [
        (row, *title)
        for row in range(block.list_top - 1, -1, -1)
        if (title := _title_starting_at(block.rows, row, block.list_top))
    ]
    return next((each for each in titles if block.is_bold(each[0])), titles[0] if titles else None)


def _title_starting_at(rows: Sequence[str], row: int, end: int) -> tuple[int, str] | None:
    begins = _BEGINS.fullmatch(rows[row])
    words = begins["text"] if begins else ""
    for below in range(row + 1, min(row + 1 + _TITLE_ROWS, end)):
        if not rows[below].strip():
            return (below, words) if words and _TITLE.fullmatch(words) else None
        words = f"{words} {rows[below].strip()}" if words else ""
    return None


def _split_notes(rows: Sequence[str], tool: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the labelled notes, unwrapped, from the command or diff below them."""
    notes: list[str] = []
    for at, row in enumerate(rows):
        if row.startswith(_PROMPT) or (tool == "apply_patch" and _FILE.fullmatch(row.strip())):
            return tuple(notes), _dedent(rows[at:])
        if _LABELLED.match(row) or (row.strip() and not notes):
            notes.append(row.strip())
        elif row.strip():
            # A path that fills its line continues in the next one without a blank.
            _, _, value = notes[-1].partition(": ")
            in_path = value and " " not in value and value[0] in "/~"
            notes[-1] += ("" if in_path or not notes[-1] else " ") + row.strip()
        elif any(later.strip() for later in rows[at:]) and notes and tool is None:
            notes.append("")
    return tuple(note for note in notes if note), ()


def _dedent(rows: Sequence[str]) -> tuple[str, ...]:
    return tuple("\n".join(row[2:] for row in rows).strip("\n").split("\n"))


def _description(block: PromptBlock, layout: _Layout, history: range) -> tuple[str, bool]:
    """Return the command or the diff, and whether the CLI shortened it."""
    if layout.tool != "apply_patch":
        return unwrap(layout.body, block.screen.cols - _MARGINS, code=True), False
    if layout.body != ("",) and layout.body:
        return "\n".join(_file_header(row) for row in layout.body), False
    # The prompt of 0.169 has no diff; the history above has it, shortened.
    kept = (block.rows[row] for row in history[1:] if block.rows[row] not in _SHORTENED)
    return "\n".join(_dedent(tuple(kept))), True


def _edit_in_history(block: PromptBlock, layout: _Layout) -> range:
    """Return the rows right above the prompt that show its edit, which may not be painted yet."""
    for row in range(layout.top - 1, -1, -1) if layout.tool == "apply_patch" else ():
        if _EDITED.fullmatch(block.rows[row]):
            shown = range(row, layout.top)
            return shown if _names_same_file(block.rows[row : layout.top], layout) else range(0)
        if block.rows[row] and not block.rows[row].startswith(" "):
            break
    return range(0)


def _names_same_file(rows: Sequence[str], layout: _Layout) -> bool:
    asked = squeeze("\n".join((*layout.notes, *map(_file_header, layout.body))))
    named = (match["name"] for row in rows if (match := _EDITED_FILE.fullmatch(row)))
    return any(squeeze(name) in asked for name in named)


def _file_header(row: str) -> str:
    # 0.116 leaves older text in the blanks of this row.
    match = _FILE.fullmatch(row)
    return f"{match['path']} (+{match['more']} -{match['less']})" if match else row


def _subject(layout: _Layout) -> str:
    """Return what identifies an edit: the diff, or its first file where the diff is cut."""
    if layout.tool != "apply_patch":
        return ""
    shown = (*map(_file_header, layout.body[:1]), "…") if layout.cut else layout.body
    return "\n".join((layout.title, *layout.notes, *map(_file_header, shown)))


def _tool_input(block: PromptBlock, layout: _Layout) -> Mapping[str, Any] | None:
    """Return the tool's input where the screen shows it verbatim."""
    notes = "\n".join(layout.notes)
    rule = _RULE.search(notes)
    granted = {"permissions": rule["text"]} if rule else {}
    if (
        layout.tool == "exec_command"
        and layout.body
        and not layout.cut
        and not _may_continue(block, layout)
    ):
        line = "\n".join(layout.body).removeprefix(_PROMPT.strip()).lstrip(" ")
        return {"command": line, **granted}
    if layout.tool == "write_stdin" and (match := _INPUT.search(notes)):
        with suppress(ValueError):
            return {"input": json.loads(match["text"])}
    if match := _HOST.search(layout.title):
        return {"host": match["host"]}
    return granted or None


def _may_continue(block: PromptBlock, layout: _Layout) -> bool:
    # A row that fills the width looks like a wrapped one.
    width = block.screen.cols - _MARGINS
    longest = max(map(cells, layout.body))
    return unwrap(layout.body, width, code=True) != "\n".join(layout.body) or longest >= width
