"""Answering what terminal programs ask, key by key: the twin of `clawtap_core.reading`.

Shared by the adapters; it knows no program by name. A `Reading` of the screen and how far the
answer is go in, the next steps come out: what was pressed is read back before what decides.
"""

from clawtap_core.writing.choosing import choose, look_for, press, towards
from clawtap_core.writing.composing import Draft, Ways, compose
from clawtap_core.writing.filling import (
    Writing,
    empty,
    fill,
    holds,
    line,
    put,
    typing,
    write,
    write_beside,
)
from clawtap_core.writing.hands import Hands
from clawtap_core.writing.paging import Pages, open_question, page_by_page
from clawtap_core.writing.pressing import Pressed, one_key
from clawtap_core.writing.revealing import go_round
from clawtap_core.writing.steering import Switching, cycle, interrupt
from clawtap_core.writing.ticking import Ticking, tick

__all__ = [
    "Draft",
    "Hands",
    "Pages",
    "Pressed",
    "Switching",
    "Ticking",
    "Ways",
    "Writing",
    "choose",
    "compose",
    "cycle",
    "empty",
    "fill",
    "go_round",
    "holds",
    "interrupt",
    "line",
    "look_for",
    "one_key",
    "open_question",
    "page_by_page",
    "press",
    "put",
    "tick",
    "towards",
    "typing",
    "write",
    "write_beside",
]
