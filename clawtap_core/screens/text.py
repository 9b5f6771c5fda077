"""Text on a screen: width, unwrapping, paragraphs, stable names, key hints."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# Chinese and Japanese: their punctuation, kana, ideographs, and wide forms.
_NO_BLANKS = re.compile("[\u3001-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f]")
# Long paths and compounds are broken after these.
_BREAKS_AFTER = re.compile(r"\w[-/]$")
_FRAME = "│ "
_NOT_WORD = re.compile(r"\W+")
_HINT = re.compile(
    r"(?P<label>.*\S)\s+\((?P<hint>(?:(?:ctrl|shift|alt|cmd|meta|option)\s?[+-]\s?)*"
    r"(?:esc|escape|enter|return|tab|space|backspace|delete|up|down|left|right|f\d{1,2}|\S))\)",
    re.IGNORECASE,
)


def cells(text: str) -> int:
    """Return the number of terminal cells that the text takes."""
    if text.isascii():
        return len(text)
    others = _NOT_ASCII.findall(text)
    return len(text) - len(others) + sum(map(_cell, others))


@lru_cache(maxsize=4096)
def _cell(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def rows_of(line: str, width: int) -> int:
    """Return how many rows of `width` cells a line takes that is broken between its words."""
    rows, used = 1, 0
    for word in line.split(" "):
        size = cells(word)
        if used and used + 1 + size > width:
            rows, used = rows + 1, size
        else:
            used += size + bool(used)
        while used > width:  # a longer word is cut
            rows, used = rows + 1, used - width
    return rows


def unwrap(lines: Iterable[str], width: int, *, code: bool = False) -> str:
    """Join lines that were broken at `width`.

    A line was broken if the next word would not have fitted on it. `width`: the cells that the
    lines may take, without the margins and the frame around them. In `code` an indented line always
    stands alone.
    """
    whole: list[str] = []
    last = ""
    for line in (line.rstrip() for line in lines):
        if whole and _broken(last, line, width, code):
            glue = "" if _inside_word(last, line, width) else " "
            whole[-1] += glue + line.lstrip()
        else:
            whole.append(line)
        last = line
    return "\n".join(whole).strip("\n")


def _broken(line: str, following: str, width: int, code: bool) -> bool:
    if not line.strip() or not following.strip() or (code and following.startswith("  ")):
        return False
    return not next_word_fits(line, following, width)


def next_word_fits(line: str, following: str, width: int) -> bool:
    """Return True if the first word of the next row has room on this one: nothing was wrapped."""
    return cells(line) + 1 + cells(following.split(None, 1)[0]) <= width


def _inside_word(line: str, following: str, width: int) -> bool:
    if following.startswith(" "):
        return False
    if _without_blanks(line[-1], following[0]):
        # The row may end a cell before the margin.
        return cells(line) + cells(following[0]) > width
    if cells(line) < width:
        return False
    return cells(line.split()[-1]) + cells(following.split(None, 1)[0]) > width


def joined_rows(rows: Iterable[str]) -> str:
    """Return one line that was broken anywhere between words, also after a hyphen or a slash."""
    line = ""
    for row in filter(None, map(str.strip, rows)):
        inside = not line or _BREAKS_AFTER.search(line) or _without_blanks(line[-1], row[0])
        line += row if inside else f" {row}"
    return line


def _without_blanks(before: str, after: str) -> bool:
    """Return True if both characters are of a script that sets no blanks between words."""
    return bool(_NO_BLANKS.match(before) and _NO_BLANKS.match(after))


def is_verbatim(text: str, rows: Sequence[str]) -> bool:
    """Return True if each line of a text is one of these rows, within their frame.

    A text whose rows were joined may lack a line break: one at the edge of a row looks like one
    that the CLI made.
    """
    drawn = {row.strip(_FRAME) for row in rows}
    return all(line.strip(_FRAME) in drawn for line in text.split("\n"))


def paragraph_above(rows: Sequence[str], end: int) -> range:
    """Return the last paragraph before row `end`."""
    while end > 0 and not rows[end - 1].strip():
        end -= 1
    start = end
    while start > 0 and rows[start - 1].strip():
        start -= 1
    return range(start, end)


def last_paragraph(rows: Sequence[str]) -> str:
    """Return the last paragraph in one line: it often says what keys do."""
    return " ".join(rows[row].strip() for row in paragraph_above(rows, len(rows)))


def slug(label: str) -> str:
    """Return a label's words in lower case, joined by hyphens."""
    return _NOT_WORD.sub("-", label.casefold()).strip("-_") or "option"


def slugs(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the slugs of labels of one list, with numbers added to duplicates."""
    seen: Counter[str] = Counter()
    names = []
    for name in map(slug, labels):
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return tuple(names)


def split_hint(label: str) -> tuple[str, str | None]:
    """Split off the key named in brackets: "No (esc)" gives ("No", "esc")."""
    match = _HINT.fullmatch(label)
    return (match["label"], match["hint"]) if match else (label, None)
