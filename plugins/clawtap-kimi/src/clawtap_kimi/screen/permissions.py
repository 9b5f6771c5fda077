"""Permissions and plans: what is asked, what the call would do, and a numbered list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core import Effect, Kind, Option, PromptForm, TextInput
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import (
    Field,
    OptionRow,
    ParsedPrompt,
    cells,
    digits,
    lowest_box,
    next_word_fits,
    numbered_rows,
    slugs,
    unwrap,
)
from clawtap_kimi.screen.panel import Panel
from clawtap_kimi.words import WORDS

BASH, WRITE, EDIT, PLAN = "Bash", "Write", "Edit", "ExitPlanMode"
_KEYS = WORDS.pattern("permissions.keys")
_TOOLS = (
    (WORDS.pattern("permissions.command"), BASH),
    (WORDS.pattern("permissions.write"), WRITE),
    (WORDS.pattern("permissions.edit"), EDIT),
    (WORDS.pattern("permissions.plan"), PLAN),
    (WORDS.pattern("permissions.stop"), "TaskStop"),
)
_OTHER = WORDS.pattern("permissions.other")
_EFFECTS = (
    (WORDS.pattern("permissions.once"), Effect.ALLOW_ONCE),
    (WORDS.pattern("permissions.always"), Effect.ALLOW_ALWAYS),
    (WORDS.pattern("permissions.reject"), Effect.DENY),
)
_FEEDBACK = WORDS.pattern("permissions.feedback")
_REVISE = WORDS.texts("permissions.revise")[0]
_ANSWERED = WORDS.texts("permissions.answered")
_TYPING = WORDS.pattern("permissions.typing")
_HIDDEN = WORDS.pattern("permissions.hidden")
_CWD = WORDS.pattern("permissions.cwd")
_DANGER = WORDS.pattern("permissions.danger")
_TRACE = 20
_MARK, _INDENT, _PREFIX, _BOX_SIDES = "▶ ", "  ", 2, 4
_FIRST, _NEXT = "$", "·"
_STARTS = (_FIRST, _NEXT)


@dataclass(frozen=True)
class _Body:
    """What is between title and list: `text` to show, and the call as far as it is known.

    `doubtful`: the call may be another one than the screen shows. `subject`: a command that is in
    view, whatever else the pane cuts.
    """

    text: str
    call: dict[str, str] | None = None
    cut: bool = False
    doubtful: bool = False
    subject: str = ""


def read_permission(panel: Panel) -> ParsedPrompt | None:
    """Read a call that asks to run, or a plan that asks to be built."""
    rows = numbered_rows(panel.rows, panel.width)
    if not _KEYS.search(panel.keys) or len(rows) < 2 or rows[0].number != 1:
        return None
    if sum(row.selected for row in rows) != 1:
        return None
    panel = _without_rule(panel)
    title, tool, body_rows = _head(panel, rows[0].first)
    if panel.whole and not title:
        return None
    field = _field(panel, rows[-1])
    listed = rows[:-1] if field else rows
    options = _options(listed, plan=tool == PLAN)
    body = _body(panel, tool, body_rows)
    form = PromptForm(
        Kind.PLAN if tool == PLAN else Kind.PERMISSION,
        title,
        body.text,
        subject=body.subject,
        truncated=body.cut,
        tool_name=tool,
        tool_input=body.call,
        options=options,
        text_input=TextInput(_REVISE) if field and tool == PLAN else None,
        selected=next(
            (o.value for o, row in zip(options, listed, strict=True) if row.selected), None
        ),
        top=_top(panel, body.text),
        takes_reason=field is not None,
        rewrapped=body.doubtful,
        answer_traces=None if tool == PLAN else _ANSWERED,
    )
    return ParsedPrompt(form, tuple(listed), digits(listed), field)


def _without_rule(panel: Panel) -> Panel:
    """Return the dialog as whole where only the rule above its title left the pane."""
    row, mark = panel.rows[0], _INDENT + _MARK
    if panel.whole or not row.startswith(mark) or not _tool(row.removeprefix(mark)):
        return panel
    style = panel.style(0, len(_INDENT))
    # A row of a file may read the same, but is not bold.
    return replace(panel, whole=style is not None and style.bold)


def _head(panel: Panel, end: int) -> tuple[str, str | None, Sequence[str]]:
    """Return the title, the tool and the rows of the body; no title where it left the screen."""
    rows = [row.removeprefix(_INDENT) for row in panel.rows[:end]]
    if not panel.whole:
        # Of the calls whose title is out of sight, only commands have their marks.
        return "", BASH if _starts(rows) else None, rows
    title = rows[0].removeprefix(_MARK) if rows and rows[0].startswith(_MARK) else ""
    return title, _tool(title), rows[1:]


def _tool(title: str) -> str | None:
    other = _OTHER.fullmatch(title)
    known = next((tool for pattern, tool in _TOOLS if pattern.fullmatch(title)), None)
    return other["tool"] if other else known


def _field(panel: Panel, row: OptionRow) -> Field | None:
    """Return the row that takes a reason, or None where the last row is an option."""
    match = _FEEDBACK.fullmatch(row.label)
    if match is None:
        return None
    focused = row.selected and _TYPING.search(panel.keys) is not None
    # The cursor alone does not open it: its digit does, wherever the cursor is.
    return Field(focused, match["text"] or "", row, None if focused else str(row.number))


def _options(rows: Sequence[OptionRow], *, plan: bool) -> tuple[Option, ...]:
    names = slugs(row.label for row in rows)
    options = []
    for name, row in zip(names, rows, strict=True):
        # The ways to build a plan have the model's words.
        usual = Effect.ALLOW_ONCE if plan else Effect.OTHER
        effect = next((e for pattern, e in _EFFECTS if pattern.fullmatch(row.label)), usual)
        options.append(Option(name, row.label, effect))
    return tuple(options)


def _body(panel: Panel, tool: str | None, rows: Sequence[str]) -> _Body:
    if tool == BASH:
        return _read_command(panel, rows)
    if tool == PLAN:
        return _read_plan(panel)
    room = panel.width - len(_INDENT)
    # Rows that are too long are cut without a sign.
    cut = not panel.whole or any(
        _HIDDEN.fullmatch(row.strip()) or cells(row) >= room for row in rows
    )
    text = "\n".join(rows).strip("\n")
    path = rows[1] if len(rows) > 1 else ""
    call = {"path": path} if tool == WRITE and path and not cut else None
    return _Body(text, call, cut, doubtful=call is not None)


def _top(panel: Panel, text: str) -> int | None:
    """Return where the dialog begins, once the conversation above it shows the call.

    The CLI may paint the call after its dialog: that is not the trace of an answered one.
    """
    words = squeeze(text.split("\n")[0])[:_TRACE]
    above = squeeze("".join(panel.screen.lines[: panel.top]))
    return panel.top if words and words in above else None


def _read_plan(panel: Panel) -> _Body:
    """Read the plan in the box above the dialog, which may be taller than the screen."""
    box = lowest_box(panel.screen.lines[: panel.top])
    if box is None or any(panel.screen.lines[box.bottom + 1 : panel.top]):
        return _Body("", cut=True)
    text = unwrap(box.rows, box.width - _BOX_SIDES, code=True)
    return _Body(text.strip("\n"), cut=not box.whole)


def _read_command(panel: Panel, rows: Sequence[str]) -> _Body:
    """Read a command line by line; its description follows it with the indent of wrapped rows."""
    starts = _starts(rows)
    if not starts:
        return _Body("\n".join(rows).strip("\n"), cut=True)
    begun = rows[starts[0]].startswith(_FIRST)
    whole = panel.whole and begun
    width = panel.width - len(_INDENT) - _PREFIX
    described = _find_description(panel, rows, starts[-1], width)
    spans = list(zip(starts, (*starts[1:], described), strict=True))
    command = "\n".join(_joined(rows[first:end], width) for first, end in spans)
    head = rows[: starts[0]]
    above = [row for row in head if _DANGER.fullmatch(row) or not (whole or not row.strip())]
    about = [row.strip() for row in rows[described:]]
    cwd = next((match["cwd"] for row in head if (match := _CWD.fullmatch(row))), None)
    call = {"command": command, **({"cwd": cwd} if cwd else {})}
    return _Body(
        "\n".join(filter(None, (*above, command, *about))),
        call if whole else None,
        not whole,
        # Control characters of a command may draw over it: only the transcript has it for certain.
        doubtful=True,
        subject="\n".join((command, *about)) if begun else "",
    )


def _starts(rows: Sequence[str]) -> list[int]:
    """Return the rows where a line of the command begins."""
    return [at for at, row in enumerate(rows) if row[:_PREFIX].strip() in _STARTS]


def _joined(rows: Sequence[str], width: int) -> str:
    """Return a line of the command that takes several rows, without blanks where it was wrapped."""
    return unwrap((row[_PREFIX:] for row in rows), width).replace("\n", " ")


def _find_description(panel: Panel, rows: Sequence[str], last: int, width: int) -> int:
    """Return where the description begins.

    A row that would have fitted on the row above does not continue the command, nor does one of
    another colour.
    """
    # The title is above the rows.
    first, column = int(panel.whole), len(_INDENT) + _PREFIX
    own = panel.style(first + last, column)
    for at in range(last + 1, len(rows)):
        row = rows[at].strip()
        if not row or next_word_fits(rows[at - 1][_PREFIX:], row, width):
            return at
        style = panel.style(first + at, column)
        if own and style and own.fg != style.fg:
            return at
    return len(rows)
