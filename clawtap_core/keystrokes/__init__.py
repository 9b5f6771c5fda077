"""Answering what terminal programs ask, key by key: the twin of `clawtap_core.screens`.

Shared by the adapters; it knows no program by name. A `ParsedPrompt` of the screen and how far the
answer is go in, the next steps come out: what was pressed is read back before what decides.
"""

from clawtap_core.keystrokes.composer import ComposerProfile, Draft, compose
from clawtap_core.keystrokes.controls import CycleProgress, cycle, interrupt
from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.keystrokes.long_list import read_whole_list
from clawtap_core.keystrokes.multi_select import SelectionProgress, select_many
from clawtap_core.keystrokes.pages import Pages, open_question, page_by_page
from clawtap_core.keystrokes.selection import choose, look_for, move_to, press
from clawtap_core.keystrokes.single_key import KeyProgress, send_one_key
from clawtap_core.keystrokes.text_field import (
    TextProgress,
    empty,
    fill,
    holds,
    line,
    put,
    typing,
    write,
    write_beside,
)

__all__ = [
    "ComposerProfile",
    "CycleProgress",
    "Draft",
    "KeyProfile",
    "KeyProgress",
    "Pages",
    "SelectionProgress",
    "TextProgress",
    "choose",
    "compose",
    "cycle",
    "empty",
    "fill",
    "holds",
    "interrupt",
    "line",
    "look_for",
    "move_to",
    "open_question",
    "page_by_page",
    "press",
    "put",
    "read_whole_list",
    "select_many",
    "send_one_key",
    "typing",
    "write",
    "write_beside",
]
