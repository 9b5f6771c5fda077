"""Answer terminal programs key by key: the counterpart of `clawtap_core.screens`.

Shared by the adapters and free of any program's name. The functions take a `ParsedPrompt` and the
progress so far and return the next steps; keys are read back before the one that decides.
"""

from clawtap_core.keystrokes.composer import compose
from clawtap_core.keystrokes.composer_profile import (
    ComposerProfile,
    Draft,
    draft_of,
    folded_by,
    image_by,
)
from clawtap_core.keystrokes.controls import CycleProgress, cycle, interrupt, switch_mode
from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.keystrokes.long_list import read_whole_list
from clawtap_core.keystrokes.multi_select import SelectionProgress, select_many
from clawtap_core.keystrokes.pages import (
    Pages,
    answer_question,
    answers_all,
    has_next_page,
    needs_other_row,
    open_question,
    page_by_page,
)
from clawtap_core.keystrokes.returned_message import Stopped, clear_returned_message
from clawtap_core.keystrokes.selection import choose, label_on_page, look_for, move_to, press
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
    write_with_option,
)

__all__ = [
    "ComposerProfile",
    "CycleProgress",
    "Draft",
    "KeyProfile",
    "KeyProgress",
    "Pages",
    "SelectionProgress",
    "Stopped",
    "TextProgress",
    "answer_question",
    "answers_all",
    "choose",
    "clear_returned_message",
    "compose",
    "cycle",
    "draft_of",
    "empty",
    "fill",
    "folded_by",
    "has_next_page",
    "holds",
    "image_by",
    "interrupt",
    "label_on_page",
    "line",
    "look_for",
    "move_to",
    "needs_other_row",
    "open_question",
    "page_by_page",
    "press",
    "put",
    "read_whole_list",
    "select_many",
    "send_one_key",
    "switch_mode",
    "typing",
    "write",
    "write_with_option",
]
