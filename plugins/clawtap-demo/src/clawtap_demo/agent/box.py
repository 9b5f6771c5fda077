"""Boxes: a dialog and the composer as rows of styled text. Pure: nothing is written here."""

from __future__ import annotations

from clawtap_demo.agent.dialog import Dialog
from clawtap_demo.agent.text import clean, fold, pad, width

DIM, BOLD, ACCENT, GREEN, RED, YELLOW = "2", "1", "38;5;80", "38;5;114", "38;5;203", "38;5;221"
Styled = tuple[str, str]
_COLOURS = {"Command": YELLOW, "Edit": YELLOW, "Plan": "38;5;141", "Loop": RED, "Question": ACCENT}
_LINES = {"+": GREEN, "-": RED, "@": ACCENT, "$": BOLD}


def paint(text: str, style: str) -> str:
    """Return the text in an SGR style."""
    return f"\x1b[{style}m{text}\x1b[0m" if style and text else text


def dialog_box(dialog: Dialog, cols: int, rows: int) -> list[str]:
    """Return a dialog that fits into this many rows; one of them counts what is left out."""
    if dialog.strange:
        return _strange_box(dialog, cols)
    inner, colour = cols - 4, _COLOURS.get(dialog.header.split()[0], ACCENT)
    title = [(piece, BOLD) for piece in fold(clean(dialog.title).rstrip(), inner)]
    answers = _answers(dialog, inner, max(4, rows - len(title) - 7))
    space = rows - len(title) - len(answers) - 5
    details = _description(dialog.description, inner, max(1, space)) if dialog.description else []
    head = f"╭─ {dialog.header} " + "─" * (cols - len(dialog.header) - 5) + "╮"
    return [
        paint(head, colour),
        *(_framed(row, inner, colour) for row in title + details),
        paint("├" + "─" * (cols - 2) + "┤", colour),
        *(_framed(row, inner, colour) for row in answers),
        paint("╰" + "─" * (cols - 2) + "╯", colour),
        paint(" " + keys_of(dialog)[: cols - 1], DIM),
    ]


def composer_box(draft: str, footer: str, cols: int, rows: int) -> list[str]:
    """Return the composer, the last rows of its draft, and the footer."""
    inner = cols - 4
    pieces = [piece for line in draft.split("\n") for piece in fold(clean(line), inner - 2)]
    shown = pieces[-max(1, rows) :]
    mark = ">" if len(shown) == len(pieces) else "…"
    texts = [f"{mark} {shown[0]}", *(f"  {piece}" for piece in shown[1:])]
    return [
        paint("╭" + "─" * (cols - 2) + "╮", DIM),
        *(_framed((text, ""), inner, DIM) for text in texts),
        paint("╰" + "─" * (cols - 2) + "╯", DIM),
        paint(" " + footer[: cols - 1], DIM),
    ]


def keys_of(dialog: Dialog) -> str:
    """Return the row below a dialog that names its keys."""
    toggle = "space toggle · " if dialog.multi else ""
    return f"↑↓ move · {toggle}enter choose · esc"


def _framed(row: Styled, inner: int, colour: str) -> str:
    edge = paint("│", colour)
    return f"{edge} {paint(pad(row[0], inner), row[1])} {edge}"


def _description(text: str, inner: int, space: int) -> list[Styled]:
    rows: list[Styled] = []
    for line in text.split("\n"):
        style = _LINES.get(line[:1], "")
        rows += [(piece, style) for piece in fold(clean(line).rstrip(), inner)]
    if len(rows) > space:
        kept = max(0, space - 1)
        while kept and rows[kept - 1][0].endswith("↩"):
            kept -= 1
        rows = [*rows[:kept], (f"⋯ {len(rows) - kept} more lines", DIM)]
    return [("", ""), *rows]


def _answers(dialog: Dialog, inner: int, space: int) -> list[Styled]:
    every = [_option(dialog, index, inner) for index in range(len(dialog.rows))]
    first, last = _window([len(rows) for rows in every], dialog.cursor, space)
    shown = [row for rows in every[first:last] for row in rows]
    above = [(f"▲ {first} more", DIM)] if first else []
    below = [(f"▼ {len(every) - last} more", DIM)] if last < len(every) else []
    return [*above, *shown, *below]


def _window(heights: list[int], cursor: int, space: int) -> tuple[int, int]:
    # All options, or as many around the cursor as fit.
    if sum(heights) <= space and len(heights) <= 10:
        return 0, len(heights)
    first, last, free = cursor, cursor + 1, min(space, 10) - 2 - heights[cursor]
    while True:
        if last < len(heights) and heights[last] <= free and last - cursor <= cursor - first:
            free, last = free - heights[last], last + 1
        elif first and heights[first - 1] <= free:
            free, first = free - heights[first - 1], first - 1
        elif last < len(heights) and heights[last] <= free:
            free, last = free - heights[last], last + 1
        else:
            return first, last


def _option(dialog: Dialog, index: int, inner: int) -> list[Styled]:
    row, here = dialog.rows[index], index == dialog.cursor
    lead = "❯ " if here else "  "
    if row.text:
        lead += "⚿ " if dialog.secret else "✎ "
    elif dialog.multi:
        lead += "[x] " if index in dialog.checked else "[ ] "
    label = clean(row.label).strip() + (f" ({row.hint})" if row.hint else "")
    if row.text:
        label += f" ▸ {'•' * len(dialog.text) if dialog.secret else dialog.text}"
    pieces = fold(label.rstrip(), inner - width(lead))
    style = f"{ACCENT};1" if here else ""
    rows = [
        ((lead if at == 0 else " " * width(lead)) + piece, style) for at, piece in enumerate(pieces)
    ]
    description = fold(clean(row.description), inner - 4) if row.description else []
    return rows + [(f"    {piece}", DIM) for piece in description]


def _strange_box(dialog: Dialog, cols: int) -> list[str]:
    buttons = "   ".join(
        f"[ {row.label} ]" if index == dialog.cursor else f"  {row.label}  "
        for index, row in enumerate(dialog.rows)
    )
    lines = [dialog.title, *dialog.description.split("\n"), "", buttons]
    texts = [piece for line in lines for piece in fold(clean(line), cols - 4)]
    edge = paint("║", YELLOW)
    return [
        paint("╔" + "═" * (cols - 2) + "╗", YELLOW),
        *(f"{edge} {pad(text, cols - 4)} {edge}" for text in texts),
        paint("╚" + "═" * (cols - 2) + "╝", YELLOW),
    ]
