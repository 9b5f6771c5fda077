"""Changes of files as coloured lines, read from a CLI's text or computed from two texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clawtap_core.model.line_diff import unified_diff
from clawtap_core.system.native_thread import in_native_thread

# A line's number, its sign and a blank; CLIs differ in what they leave out.
_ROW = r"^\s{0,8}(\d{1,7})"
_GUTTER = re.compile(rf"{_ROW}(?: ([+-])(?: (.*)|$)|(?: {{1,3}}(.*))?$)")
_TIGHT_GUTTER = re.compile(rf"{_ROW}(?: ([+-])(.*)|(?:  (.*))?$)")
_NO_SIGNS = re.compile(rf"{_ROW}()()(?: (.*))?$")
_WIDE_GUTTER = re.compile(rf"{_ROW}(?: [+-](?: .*)?|   .*)?$")
_NUMBERED = re.compile(r"^\s{0,8}(\d{1,7}) ?([+-])(.*)$")
_HUNK = re.compile(r"^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_LONG = 5_000
_LARGE = 400_000
# So many lines a page has at first, and so many more with each later part: it is never still.
_FIRST_PART = 200
_LATER_PART = 2000
_SIGNS = {"+": "add", "-": "del"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a change. `kind`: add, del, same, hunk or file.

    `pieces` mark what differs; `runs` are the line once more, as (token class, text, differs).
    """

    kind: str
    text: str
    number: str = ""
    pieces: tuple[tuple[str, bool], ...] = ()
    runs: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The lines of a change and how many were added and removed."""

    lines: tuple[Line, ...]
    path: str = ""

    @property
    def added(self) -> int:
        """How many lines were added."""
        return sum(line.kind == "add" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines were removed."""
        return sum(line.kind == "del" for line in self.lines)

    def part_end(self, start: int, *, goes_on: bool) -> int:
        """Return where the part that begins at a line ends; a first one that goes on is short."""
        length = _FIRST_PART if goes_on and not start else _LATER_PART
        return min(start + length, len(self.lines))


def parse(text: str) -> Change | None:
    """Return the change of a unified diff or of numbered lines with + and -, or None."""
    if len(text) < _LONG:
        return _parsed(text)
    return in_native_thread(lambda: _parsed(text))


def _parsed(text: str) -> Change | None:
    rows = text.rstrip("\n").split("\n")
    if any(_HUNK.match(row) for row in rows):
        lines = tuple(_read_unified(rows))
    elif sum(_GUTTER.match(row) is not None for row in rows) * 2 >= len(rows):
        lines = _new_file(tuple(_read_gutter(rows, _gutter(rows))))
    else:
        return None
    change = Change(_paired(lines))
    return change if change.added or change.removed else None


def between(old: str, new: str, path: str = "") -> Change:
    """Return what changes when `old` becomes `new`."""
    if len(old) + len(new) < _LONG:
        return _compared(old, new, path)
    return in_native_thread(lambda: _compared(old, new, path))


def _compared(old: str, new: str, path: str) -> Change:
    before, after = old.splitlines(), new.splitlines()
    if not before or len(old) + len(new) > _LARGE:
        rows = [*(f"-{row}" for row in before), *(f"+{row}" for row in after)]
        return Change(tuple(_read_body(rows, 1, 1)), path)
    return Change(_paired(tuple(_read_unified(tuple(unified_diff(before, after))))), path)


def removed_rows(drawn: str) -> list[str]:
    """Return the lines that a numbered drawing of a change removes."""
    rows = map(_NUMBERED.match, drawn.split("\n"))
    return [row[3] for row in rows if row and row[2] == "-"]


def renumbered(lines: Sequence[Line], drawn: str) -> tuple[Line, ...]:
    """Return the lines of a piece of a file, numbered as a drawing of it is, or not at all."""
    first = next((line for line in lines if line.kind in ("add", "del")), None)
    if first is None:
        return tuple(lines)
    rows = filter(None, map(_NUMBERED.match, drawn.split("\n")))
    at = next((int(row[1]) for row in rows if row[3].split() == first.text.split()), None)
    if at is None:
        return tuple(replace(line, number="") for line in lines)
    away = at - int(first.number)
    return tuple(
        replace(line, number=str(int(line.number) + away)) if line.number else line
        for line in lines
    )


def signed_lines(rows: Sequence[str]) -> tuple[Line, ...]:
    """Return lines with + or - before them, whose numbers are not known."""
    lines = (
        Line("hunk", row) if row.startswith("@@") else Line(_SIGNS.get(row[:1], "same"), row[1:])
        for row in rows
    )
    return _paired(tuple(lines))


def _read_unified(rows: Sequence[str]) -> Iterator[Line]:
    at = 0
    while at < len(rows):
        head = _HUNK.match(rows[at])
        yield Line("hunk" if head else "file", rows[at])
        at += 1
        if head:
            # A hunk is as long as its head says; what follows it names the next file.
            end, old, new = at, int(head[2] or 1), int(head[4] or 1)
            while end < len(rows) and (old > 0 or new > 0):
                old -= not rows[end].startswith("+")
                new -= not rows[end].startswith("-")
                end += 1
            yield from _read_body(rows[at:end], int(head[1]), int(head[3]))
            at = end


def _read_body(rows: Iterable[str], old: int, new: int) -> Iterator[Line]:
    for row in rows:
        kind = _SIGNS.get(row[:1], "same")
        yield Line(kind, row[1:], str(old if kind == "del" else new))
        old += kind != "add"
        new += kind != "del"


def _gutter(rows: Sequence[str]) -> re.Pattern[str]:
    """Return how a drawing sets off the text of its lines from their numbers and signs."""
    numbered = [row for row in rows if _GUTTER.match(row)]
    if all(map(_WIDE_GUTTER.match, numbered)):
        return _GUTTER
    if all(map(_TIGHT_GUTTER.match, numbered)):
        return _TIGHT_GUTTER
    # A whole new file has no signs: what looks like one is its own, as in a list.
    numbers = [int(row.split()[0]) for row in numbered]
    whole = rows[0] != numbered[0] and numbers == list(range(1, len(numbers) + 1))
    unsigned = not any(map(_NUMBERED.match, numbered))
    return _NO_SIGNS if whole or unsigned else _GUTTER


def _read_gutter(rows: Sequence[str], gutter: re.Pattern[str]) -> Iterator[Line]:
    """Yield numbered lines as CLIs draw them; an unnumbered line continues the one above.

    Where signs stand close to their lines, it is indented for that.
    """
    kind = ""
    for row in rows:
        if match := gutter.match(row):
            kind = _SIGNS.get(match[2] or "", "same")
            yield Line(kind, match[3] or match[4] or "", match[1])
        elif not kind or (gutter is _TIGHT_GUTTER and not row.startswith(" ")):
            yield Line("file", row)
        else:
            yield Line(kind if row.strip() else "same", row.strip(), "")


def _new_file(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Mark the lines below a heading as added if all are numbered in a row and none is signed."""
    numbers = [int(line.number) for line in lines if line.number]
    signed = any(line.kind in ("add", "del") for line in lines)
    if (
        lines[0].kind != "file"
        or signed
        or numbers != list(range(numbers[0], numbers[0] + len(numbers)))
    ):
        return lines
    return tuple(replace(line, kind="add") if line.kind == "same" else line for line in lines)


def _paired(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Mark what differs where as many lines were added as removed."""
    out, at = list(lines), 0
    while at < len(out):
        removed = _run(out, at, "del")
        added = _run(out, at + removed, "add")
        if removed and removed == added:
            for row in range(at, at + removed):
                out[row], out[row + removed] = _marked(out[row], out[row + removed])
        at += removed + added or 1
    return tuple(out)


def _run(lines: Sequence[Line], at: int, kind: str) -> int:
    end = at
    while end < len(lines) and lines[end].kind == kind:
        end += 1
    return end - at


def _marked(old: Line, new: Line) -> tuple[Line, Line]:
    head = _common(old.text, new.text)
    tail = _common(old.text[head:][::-1], new.text[head:][::-1])
    if head + tail < max(len(old.text), len(new.text)) / 3:
        return old, new
    return _split(old, head, tail), _split(new, head, tail)


def _split(line: Line, head: int, tail: int) -> Line:
    end = len(line.text) - tail
    pieces = ((line.text[:head], False), (line.text[head:end], True), (line.text[end:], False))
    return replace(line, pieces=tuple(piece for piece in pieces if piece[0]))


def _common(text: str, other: str) -> int:
    for at, (left, right) in enumerate(zip(text, other, strict=False)):
        if left != right:
            return at
    return min(len(text), len(other))
