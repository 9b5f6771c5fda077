"""Read what programs draw: boxes, lists of options, wrapped text.

Shared by the adapters and free of any program's name. Everything reads from the bottom up, because
the open prompt is lowest.
"""

from clawtap_core.screens.answers import (
    VisibleAnswer,
    VisibleEntry,
    last_answer,
    last_entry,
)
from clawtap_core.screens.boxes import Box, inner_boxes, lowest_box, without_side_boxes
from clawtap_core.screens.drawn import drawn, drawn_plainly, letters
from clawtap_core.screens.options import OptionRow, cursor_row, numbered_rows, scrolls, single_rows
from clawtap_core.screens.parsed_once import parsed_once
from clawtap_core.screens.parsed_prompt import Field, ParsedPrompt, digits
from clawtap_core.screens.styles import button_row, panel_end, select_by_style, style_at
from clawtap_core.screens.text import (
    cells,
    is_verbatim,
    joined_rows,
    last_paragraph,
    next_word_fits,
    paragraph_above,
    rows_of,
    slug,
    slugs,
    split_hint,
    unwrap,
)

__all__ = [
    "Box",
    "Field",
    "OptionRow",
    "ParsedPrompt",
    "VisibleAnswer",
    "VisibleEntry",
    "button_row",
    "cells",
    "cursor_row",
    "digits",
    "drawn",
    "drawn_plainly",
    "inner_boxes",
    "is_verbatim",
    "joined_rows",
    "last_answer",
    "last_entry",
    "last_paragraph",
    "letters",
    "lowest_box",
    "next_word_fits",
    "numbered_rows",
    "panel_end",
    "paragraph_above",
    "parsed_once",
    "rows_of",
    "scrolls",
    "select_by_style",
    "single_rows",
    "slug",
    "slugs",
    "split_hint",
    "style_at",
    "unwrap",
    "without_side_boxes",
]
