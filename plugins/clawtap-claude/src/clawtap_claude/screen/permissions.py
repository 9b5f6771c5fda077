"""Parse permission prompts: commands, edits, web pages, files, MCP tools and others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from clawtap_claude.screen.block import CUT, DOTS, Block, paragraph_above
from clawtap_claude.screen.mcp_tool import arguments, beginning_of_name, mcp_tool
from clawtap_claude.text import code, hidden, prose, without_bars
from clawtap_claude.words import WORDS
from clawtap_core import Effect, Kind, Option, Position, PromptForm
from clawtap_core.screens import (
    Field,
    OptionRow,
    ParsedPrompt,
    digits,
    next_word_fits,
    slugs,
    split_hint,
    unwrap,
)

_ASKS = WORDS.pattern("permissions.asks")
_ASKING_TITLE = WORDS.pattern("permissions.asking_title")
_ONCE = WORDS.pattern("permissions.once")
_ORIGIN = WORDS.pattern("permissions.origin")
_POSITION = re.compile(r"(?P<title> \S.*?) {2,}(?P<index>\d+) of (?P<total>\d+)")
_QUALIFIED = WORDS.pattern("permissions.qualified")
_TIP = WORDS.pattern("permissions.tip")
_TIP_ENDS = WORDS.pattern("permissions.tip_ends")
_AMENDED = WORDS.pattern("permissions.amended")
WITHHELD = WORDS.pattern("permissions.withheld")
_EMPTY_AMEND = WORDS.pattern("permissions.empty_amend")
_FILE = re.compile(r"\w+\((?P<path>/[^,]*)\)")
_UNFINISHED_RULE = WORDS.pattern("permissions.unfinished_rule")
_ENTRY = WORDS.pattern("permissions.entry")
_CALL, _READS = WORDS.pattern("permissions.call"), WORDS.pattern("permissions.reads")
_BROKEN = WORDS.pattern("permissions.broken")
_RESULT, _NO_RESULT = WORDS.pattern("permissions.result"), WORDS.pattern("permissions.no_result")
_CAN_AMEND = WORDS.pattern("permissions.can_amend")
_ESCAPES = WORDS.pattern("permissions.escapes")
_MARGIN, _OLD_MARGIN = 4, 6
_INDENTED = "  "
_WEB_SEARCH = WORDS.pattern("permissions.web_search")
_TITLES = {
    "Bash command": "Bash",
    "Create file": "Write",
    "Overwrite file": "Write",
    "Edit file": "Edit",
    "Edit notebook": "NotebookEdit",
    "Read file": "Read",
    "Fetch": "WebFetch",
    "Run a dynamic workflow?": "Workflow",
}
_QUESTIONS = (
    (re.compile(r"Do you want to create "), "Create file"),
    (re.compile(r"Do you want to overwrite "), "Overwrite file"),
    (re.compile(r"Do you want to make this edit "), "Edit file"),
    (re.compile(r"allow Claude to fetch "), "Fetch"),
)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a permission prompt; `head` is between title and body."""

    title: str
    origin: str | None
    position: Position | None
    head: str
    body: tuple[str, ...]
    about: str
    notes: str
    question: str


def read_permission(block: Block) -> ParsedPrompt | None:
    """Parse a permission prompt; its last option denies, and so does Escape."""
    rows = block.options
    asks = _question_rows(block, rows[0].first) if rows else range(0)
    titled = block.whole and bool(_ASKING_TITLE.fullmatch(block.rows[0]))
    if len(rows) < 2 or not (asks or titled):
        return None
    amended = _row_with_field(block)
    options = _options(rows, amended)
    # A list is painted to its end once its last row denies, by a key of its own or the footer's.
    painted = options[-1].effect is Effect.DENY and (
        options[-1].hint == "esc" or bool(_ESCAPES.search(block.footer))
    )
    if rows[0].number != 1 or sum(row.selected for row in rows) != 1 or not painted:
        return None
    dotted = any(DOTS.fullmatch(row) for row in block.rows[: asks.start])
    note = None if dotted else _first_row_at_edge(block.rows[: asks.start])
    if dotted:
        parts = _split_dotted(block, asks)
    elif note is not None:
        parts = _split_withheld(block, asks, note)
    else:
        parts = _split_indented(block, asks)
    if [row.strip() for row in parts.body if row.strip()] == [CUT]:
        # A body that is still being made.
        return None
    if _TITLES.get(parts.title) == "NotebookEdit" and not parts.head and not any(parts.body):
        # The notebook is still being read: what is to be changed is not there yet.
        return None
    amends = amended is not None or bool(_CAN_AMEND.search(block.footer))
    takes_reason = amends and options[-1].hint is None
    form = replace(_form(block, parts, options), takes_reason=takes_reason)
    labelled = tuple(replace(r, label=o.label) for r, o in zip(rows, options, strict=True))
    if amended is not None:
        match = _AMENDED.fullmatch(_whole_label(amended))
        text = match["text"] if match and not _EMPTY_AMEND.fullmatch(match["text"]) else ""
        return ParsedPrompt(form, labelled, field=Field(focused=True, text=text))
    field = Field(focused=False, key="Tab") if amends else None
    return ParsedPrompt(form, labelled, digits(labelled), field)


def _row_with_field(block: Block) -> OptionRow | None:
    """Return the row with an open text field."""
    # The CLI then no longer offers to open one.
    if not _ESCAPES.search(block.footer) or _CAN_AMEND.search(block.footer):
        return None
    at = next((row for row in block.options if row.selected), None)
    return at if at and _AMENDED.fullmatch(at.label) and block.cursor_in(at) else None


def _options(rows: tuple[OptionRow, ...], amended: OptionRow | None) -> tuple[Option, ...]:
    labels = []
    for row in rows:
        # These lists have no descriptions: what is drawn in another colour is label, too.
        label, hint = split_hint(_whole_label(row))
        if row is amended and (match := _AMENDED.fullmatch(label)):
            label = match["label"]
        labels.append((label, hint))
    names = slugs(label for label, _ in labels)
    return tuple(
        Option(name, label, _effect(label), hint)
        for name, (label, hint) in zip(names, labels, strict=True)
    )


def _whole_label(row: OptionRow) -> str:
    return " ".join((row.label, *row.description.split("\n"))).rstrip()


def _effect(label: str) -> Effect:
    if re.match(r"No\b", label):
        return Effect.DENY
    if _ONCE.fullmatch(label):
        return Effect.ALLOW_ONCE
    return Effect.ALLOW_ALWAYS if label.startswith("Yes") else Effect.OTHER


def _question_rows(block: Block, end: int) -> range:
    """Return the rows of the question above the list; none if nothing is asked there."""
    above = paragraph_above(block.rows, end)
    asking = [at for at in above if _ASKS.fullmatch(block.rows[at])]
    start = above.start if above.start in asking else asking[-1] if asking else end
    return range(start, above.stop)


def _first_row_at_edge(rows: Sequence[str]) -> int | None:
    """Return the first row at the edge of the screen: all of the CLI's own are inset."""
    return next((at for at, row in enumerate(rows) if row and not row.startswith(" ")), None)


def _split_withheld(block: Block, asks: range, note: int) -> _Parts:
    """Split a prompt with a note in place of what it cannot show."""
    rows, question = block.rows[: asks.start], _question_text(block, asks)
    title, origin = _title(rows[:1], question, block.whole)
    head = prose(rows[1:note], block.width - 1)
    return _Parts(title, origin, None, head, rows[note:], "", "", question)


def _split_dotted(block: Block, asks: range) -> _Parts:
    """Split a prompt with a title, a head, a body between two dotted lines, and notes."""
    rows, position = _split_position(block.rows[: asks.start])
    dots = [at for at, row in enumerate(rows) if DOTS.fullmatch(row)]
    question = _question_text(block, asks)
    closing = dots[-1]
    opening = dots[-2] if len(dots) > 1 else 0
    above = rows[:opening] if block.whole else _run_above(rows, opening)
    title, origin = _title(above[:1], question, block.whole)
    begins = block.whole or above[:1] == (f" {title}",)
    head = prose(_without_tip(above[begins:], block.width - 1), block.width - 1)
    body = rows[opening + 1 : closing] if len(dots) > 1 else _run_above(rows, closing)
    notes = prose(rows[closing + 1 :], block.width - _MARGIN)
    return _Parts(title, origin, position, head, body, "", notes, question)


def _run_above(rows: tuple[str, ...], end: int) -> tuple[str, ...]:
    # Rows further up do not belong to a prompt that was cut.
    start = end
    while start > 0 and rows[start - 1].startswith(" "):
        start -= 1
    return rows[start:end]


def _split_indented(block: Block, asks: range) -> _Parts:
    """Split a prompt with a title, an indented body, a description and notes."""
    rows, position = _split_position(block.rows[: asks.start])
    question = _question_text(block, asks)
    begin, end = _indented_rows(rows, block.whole)
    title, origin = _title(rows[:1] if block.whole else (), question, block.whole)
    begin_about = _description_start(block, begin, end)
    body = tuple(row.removeprefix("  ") for row in rows[begin:begin_about])
    about = prose(
        [row.removeprefix("  ") for row in rows[begin_about:end]], block.width - _OLD_MARGIN
    )
    notes = prose(rows[end:], block.width - 1)
    return _Parts(title, origin, position, "", body, about, notes, question)


def _indented_rows(rows: tuple[str, ...], whole: bool) -> tuple[int, int]:
    """Return where the indented rows begin and end."""
    indented = [at for at, row in enumerate(rows) if row.startswith(_INDENTED)]
    if not indented:
        return len(rows), len(rows)
    end = indented[-1] + 1
    if whole:
        return 1, end
    others = (at for at in range(end) if rows[at] and not rows[at].startswith("   "))
    return max(others, default=-1) + 1, end


def _description_start(block: Block, begin: int, end: int) -> int:
    # Its lines are grey; in a screen without colours it is the last line.
    while end > begin and not block.rows[end - 1].strip():
        end -= 1
    if not block.styled:
        return max(begin, end - 1) if end - begin > 1 else end
    grey = block.colour(len(block.rows) - 1, 1)
    at = end
    while at > begin and block.colour(at - 1, len(block.rows[at - 1])) == grey:
        at -= 1
    return at


def _split_position(rows: tuple[str, ...]) -> tuple[tuple[str, ...], Position | None]:
    """Split off the "1 of 2" that is right of the title while several agents ask."""
    match = _POSITION.fullmatch(rows[0]) if rows else None
    if match is None:
        return rows, None
    return (match["title"], *rows[1:]), Position(int(match["index"]), int(match["total"]))


def _title(rows: tuple[str, ...], question: str, whole: bool) -> tuple[str, str | None]:
    """Return the title and the agent that asks; a cut prompt takes its title from its question."""
    text = rows[0].strip() if rows else ""
    match = _ORIGIN.fullmatch(text)
    if whole or text in _TITLES:
        return (match["title"], match["origin"]) if match else (text, None)
    for asks, title in _QUESTIONS:
        if asks.search(question):
            return title, None
    return question, None


def _question_text(block: Block, asks: range) -> str:
    return unwrap((block.rows[at].strip() for at in asks), block.width - 2).replace("\n", " ")


def _without_tip(rows: tuple[str, ...], width: int) -> list[str]:
    """Return the rows without a tip, which ends where its words no longer had to wrap."""
    kept: list[str] = []
    tip = False
    for row, following in zip_longest(rows, rows[1:], fillvalue=""):
        tip = tip or bool(_TIP.match(row))
        if not tip:
            kept.append(row)
        wrapped = bool(following.strip()) and not next_word_fits(row, following, width)
        tip = tip and wrapped and not _TIP_ENDS.search(row)
    return kept


def _form(block: Block, parts: _Parts, options: tuple[Option, ...]) -> PromptForm:
    rows = block.options
    dotted = any(DOTS.fullmatch(row) for row in block.rows)
    margin = _MARGIN if parts.head or dotted else _OLD_MARGIN
    body = code(parts.body, block.width - margin)
    withheld = any(map(WITHHELD.fullmatch, body.split("\n")))
    name_is_cut = beginning_of_name(parts.head) is not None
    cut = withheld or name_is_cut or block.cut or hidden(block.rows[: rows[0].first])
    match = _QUALIFIED.fullmatch(parts.title)
    tool = _TITLES.get(match["title"] if match else parts.title)
    tool = tool or (None if name_is_cut else mcp_tool(parts.head or body))
    tool = tool or ("WebSearch" if _WEB_SEARCH.match(body) else None)
    # Once the tool is known, others word the title: that it leaves the sandbox stays to be read.
    details = [parts.head, parts.title if match else "", parts.about, parts.notes]
    if parts.question != parts.title:
        details.append(parts.question)
    selected = next(o.value for o, r in zip(options, rows, strict=True) if r.selected)
    return PromptForm(
        kind=Kind.PERMISSION,
        title=parts.title,
        description="\n".join(part for part in (body, *details) if part),
        # Notes are left out because they come and go while the prompt is open. A cut prompt is
        # identified by what a larger pane shows as well.
        subject="\n".join(filter(None, [CUT, body, parts.about, parts.question]))
        if cut
        else "\n".join((parts.title, parts.head, body, parts.about, parts.question)),
        truncated=cut,
        tool_name=tool,
        tool_input=None if cut else _input(tool, parts, body),
        options=options,
        selected=selected,
        origin=parts.origin,
        position=parts.position,
        top=_top(block),
        # 2.1.85 leaves out escape sequences, with whatever they hide.
        rewrapped=tool == "Bash",
        # An edit gets its diff with the next frame.
        provisional=dotted
        and (
            any(_UNFINISHED_RULE.fullmatch(option.label) for option in options)
            or (tool in ("Edit", "NotebookEdit") and not body)
        ),
    )


def _top(block: Block) -> int:
    """Return the first row of the prompt, or of the calls right above it that have not run.

    Their entries may be painted after the prompt. They were not left by an answer.
    """
    lines = block.screen.lines
    top = block.first - 1 if block.whole else 0
    end = _above_error(lines, top)
    while (call := _open_call(lines, end)) is not None:
        top = end = call
    return top


def _above_error(rows: Sequence[str], end: int) -> int:
    """Return where the report of a broken stream above `end` begins, or `end` without one."""
    above = paragraph_above(rows, end)
    return above.start if above and _BROKEN.match(rows[above.start]) else end


def _open_call(rows: Sequence[str], end: int) -> int | None:
    """Return where the entry above `end` begins, if it is of a call without a result."""
    above = paragraph_above(rows, end)
    start = next((row for row in reversed(above) if _ENTRY.match(rows[row])), None)
    if start is None:
        return None
    results = [row for row in rows[start : above.stop] if _RESULT.match(row)]
    waits = _NO_RESULT.fullmatch(results[-1]) if results else _CALL.match(rows[start])
    return start if waits or _READS.match(rows[start]) else None


def _input(tool: str | None, parts: _Parts, body: str) -> Mapping[str, Any] | None:
    """Return the tool's input where the screen shows it whole and unwrapped."""
    lines = [row for row in without_bars(parts.body) if row]
    if not body or lines != [line for line in body.split("\n") if line]:
        return None
    if tool == "Bash":
        about = parts.head or parts.about
        return {"command": body, **({"description": about} if about else {})}
    if tool == "Read":
        match = _FILE.fullmatch(body.strip())
        return {"file_path": match["path"]} if match else None
    if tool == "WebFetch":
        match = re.fullmatch(r"url: (\S+)\nprompt: (.*)", body)
        return {"url": match[1], "prompt": match[2]} if match else None
    return arguments(body) if tool and tool.startswith("mcp__") else None
