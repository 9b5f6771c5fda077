"""Reading what programs write: boxes, lists of options, wrapped text, lines of JSON.

Shared by the adapters; it knows no program by name. Everything reads from the bottom up, since
what is asked now stands last.
"""

from clawtap_core.reading.boxes import Box, inner_boxes, lowest_box, without_side_boxes
from clawtap_core.reading.json_lines import BrokenLine, JsonLines, json_line
from clawtap_core.reading.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest, mapping
from clawtap_core.reading.options import OptionRow, cursor_row, numbered_rows, scrolls, single_rows
from clawtap_core.reading.prompts import Field, Reading, digits
from clawtap_core.reading.styles import style_at
from clawtap_core.reading.text import cells, slug, slugs, split_hint, unwrap

__all__ = [
    "Box",
    "BrokenLine",
    "Field",
    "JsonLines",
    "JsonRpc",
    "OptionRow",
    "Reading",
    "RpcNotice",
    "RpcReply",
    "RpcRequest",
    "cells",
    "cursor_row",
    "digits",
    "inner_boxes",
    "json_line",
    "lowest_box",
    "mapping",
    "numbered_rows",
    "scrolls",
    "single_rows",
    "slug",
    "slugs",
    "split_hint",
    "style_at",
    "unwrap",
    "without_side_boxes",
]
