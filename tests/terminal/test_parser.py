"""Reading what tmux writes in control mode."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from clawtap_core.terminal.control_parser import Block, ControlParser, Notice

RECORDED = (
    b"%begin 1795301627 265 0\n%end 1795301627 265 0\n"
    b"%session-changed $1 keep\n%window-renamed @1 a name\n"
    b"%output %2 caf\\303\\251 \\033[1m\n"
    b"%begin 1795301628 279 1\n\x1b[31mred\n\n%end of the story\n%end 1795301628 279 1\n"
    b"%begin 1795301628 280 1\ncan't find pane: %99\n%error 1795301628 280 1\n"
    b"%exit\n"
)
READ = [
    Block((), failed=False, ours=False),
    Notice("session-changed", b"$1 keep"),
    Notice("window-renamed", b"@1 a name"),
    Notice("output", b"%2 caf\\303\\251 \\033[1m"),
    Block((b"\x1b[31mred", b"", b"%end of the story"), failed=False, ours=True),
    Block((b"can't find pane: %99",), failed=True, ours=True),
    Notice("exit"),
]


def test_blocks_and_notices_are_told_apart():
    assert list(ControlParser().feed(RECORDED)) == READ
    assert READ[3].subject == "%2"


@given(st.lists(st.integers(0, len(RECORDED))))
def test_it_does_not_matter_how_the_output_is_cut(cuts):
    edges = [0, *sorted(cuts), len(RECORDED)]
    parser = ControlParser()
    pieces = [RECORDED[a:b] for a, b in pairwise(edges)]
    assert [item for piece in pieces for item in parser.feed(piece)] == READ


def test_a_pane_that_shows_the_end_of_a_block_does_not_end_it():
    shown = (b"%end 5 6 0", b"%end 5 7 1", b"%error 4 6 1", b"%output %1 x", b"%begin 9 9 1")
    data = b"\n".join((b"%begin 5 6 1", *shown, b"%end 5 6 1", b""))
    assert list(ControlParser().feed(data)) == [Block(shown, failed=False, ours=True)]


def test_plain_text_is_a_notice_without_a_name():
    assert list(ControlParser().feed(b"no server running on /x\n\n")) == [
        Notice("", b"no server running on /x")
    ]


@given(st.binary(max_size=200))
def test_junk_is_read_without_an_error(junk):
    list(ControlParser().feed(junk + b"\n" + junk))
