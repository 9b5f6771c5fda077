"""Text in cells: how wide it is, and folding it so that it can be put together again."""

from __future__ import annotations

from unicodedata import category, east_asian_width

FOLD = "↩"


def clean(text: str) -> str:
    """Return one line without control characters and fold marks."""
    text = text.replace("\t", "    ").replace(FOLD, "⏎")
    return "".join(char for char in text if category(char) not in ("Cc", "Cf"))


def width(text: str) -> int:
    """Return the number of cells that the text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if category(char) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def clip(text: str, cols: int) -> str:
    """Return the longest beginning that fits."""
    used = 0
    for index, char in enumerate(text):
        used += _cells(char)
        if used > cols:
            return text[:index]
    return text


def pad(text: str, cols: int) -> str:
    """Fill the text with blanks to `cols` cells."""
    return text + " " * (cols - width(text))


def fold(text: str, cols: int, mark: str = FOLD) -> list[str]:
    """Split the text into pieces of at most `cols` cells; each but the last ends with the mark."""
    # A piece keeps its blanks, so joining the pieces without marks gives the text.
    pieces = []
    while width(text) > cols:
        head = clip(text, max(1, cols - width(mark)))
        blank = head.rfind(" ")
        if blank > 0 and text[len(head)] != " ":
            head = head[: blank + 1]
        head = head or text[0]
        pieces.append(head + mark)
        text = text[len(head) :]
    return [*pieces, text]


def wrap(text: str, cols: int) -> list[str]:
    """Wrap prose at blanks; an empty line stays one."""
    rows = []
    for line in text.split("\n"):
        rows += [piece.strip() for piece in fold(clean(line), cols, mark="")]
    return rows
