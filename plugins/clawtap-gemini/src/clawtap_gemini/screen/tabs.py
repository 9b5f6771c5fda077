"""The tabs above a question, its text and its title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core import Position
from clawtap_gemini.screen.block import CUT, Block
from clawtap_gemini.text import text_of
from clawtap_gemini.words import WORDS

READY = "Ready to start implementation?"
_HEADERS = WORDS.pattern("tabs.headers")
_TABS = WORDS.pattern("tabs.tabs")
_TAB = re.compile(r"(?P<mark>[□✓≡☐☑]) *(?P<name>\S[^│→]*)")
_TICKS = "✓☑"
_ALL = WORDS.texts("tabs.all")


@dataclass(frozen=True, slots=True)
class Tabs:
    """What is above a question: the open tab and how many there are.

    `above` is an ellipsis where the beginning has left the screen; `unanswered` are the positions
    of the tabs without a tick.
    """

    header: str = ""
    position: Position | None = None
    above: str = ""
    unanswered: tuple[int, ...] = ()


def question_rows(block: Block, rows: Sequence[str]) -> tuple[list[str], Tabs]:
    """Return the rows of the question itself, and the tabs above it."""
    kept, tabs = list(rows), Tabs(above="" if block.box.whole else f"{CUT}\n")
    for at, row in enumerate(rows[:6]):
        text = row.strip()
        if _HEADERS.fullmatch(text):
            kept, tabs = list(rows[at + 1 :]), Tabs()
        elif _TABS.fullmatch(text):
            kept, tabs = list(rows[at + 1 :]), _tabs(block, at, row)
    return kept, tabs


def _tabs(block: Block, at: int, row: str) -> Tabs:
    # The open tab is underlined.
    tabs = [tab for tab in _TAB.finditer(row) if tab["mark"] != "≡"]
    unanswered = tuple(at for at, tab in enumerate(tabs, 1) if tab["mark"] not in _TICKS)
    for index, tab in enumerate(tabs):
        style = block.style(at, tab.start("name"))
        if style is not None and getattr(style, "underline", False):
            name = tab["name"].strip()
            header = "" if name.endswith("…") else name
            return Tabs(header, Position(index + 1, len(tabs)), unanswered=unanswered)
    return Tabs(unanswered=unanswered)


def question_text(block: Block, rows: Sequence[str]) -> str:
    """Return the question, without the line on how many may be chosen."""
    return text_of([row for row in rows if row.strip() not in _ALL], block.width).strip()


def title_of(text: str) -> str:
    """Return the question in one line: its last paragraph that asks, else its first."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    asking = [paragraph for paragraph in paragraphs if paragraph.endswith("?")]
    return (asking or paragraphs or ["Answer Questions"])[-1 if asking else 0]
