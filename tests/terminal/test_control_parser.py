"""Reading what tmux writes in control mode."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core.terminal.control_parser import Answer, Block, ControlParser, Garbled, Notice

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


def test_blocks_and_notices_are_distinguished():
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


def block(number: int, *lines: bytes, word: bytes = b"end") -> bytes:
    stamp = b"1795301628 %d 1" % number
    return b"\n".join((b"%begin " + stamp, *lines, b"%" + word + b" " + stamp, b""))


SHOWN = (
    b"%end 1795301628 282 1",
    b"%error 1795301628 282 1",
    b"%begin 1795301628 283 1",
    b"n.2",
    b"%end 1795301628 283 1",
    b"%output %1 x",
    b"",
)
FRAMED = (
    b"%window-add @4\n"
    + block(280, b"facts", b"%end 1795301628 280 1")
    + block(281, b"nonce.1")
    + block(282, *SHOWN)
    + b"%window-close @3\n"
    + block(283, b"nonce.2")
    + b"%exit\n"
)


@given(st.lists(st.integers(0, len(FRAMED))))
def test_nothing_that_a_pane_shows_ends_a_framed_block_however_it_is_cut(cuts):
    edges = [0, *sorted(cuts), len(FRAMED)]
    parser = ControlParser()
    parser.expect(2, b"nonce")
    pieces = [FRAMED[a:b] for a, b in pairwise(edges)]
    added, answer, exited = [item for piece in pieces for item in parser.feed(piece)]
    facts = (b"facts", b"%end 1795301628 280 1")
    assert (added, exited) == (Notice("window-add", b"@4"), Notice("exit"))
    assert answer == Answer(
        (Block(facts, failed=False, ours=True), Block(SHOWN, failed=False, ours=True))
    )


def test_a_command_that_fails_ends_its_line_but_not_the_answer():
    parser = ControlParser()
    parser.expect(2, b"nonce")
    complaint = block(280, b"can't find pane: %9", word=b"error")
    (answer,) = parser.feed(complaint + block(281, b"nonce.2"))
    assert answer == Answer((Block((b"can't find pane: %9",), failed=True, ours=True),))


@pytest.mark.parametrize(
    "data",
    [
        block(280, b"facts") + block(282, b"other") + block(283, b"nonce.2"),
        block(280, b"facts") + block(281, b"nonce.1") + block(283, b"nonce.2"),
        block(280, b"facts").replace(b"%end", b"%ended") + block(283, b"nonce.2"),
    ],
)
def test_an_answer_that_does_not_fit_is_not_believed(data):
    parser = ControlParser()
    parser.expect(2, b"nonce")
    with pytest.raises(Garbled):
        list(parser.feed(data))


def of_hook(*lines: bytes, word: bytes = b"end") -> bytes:
    return block(300, *lines, word=word).replace(b" 1\n", b" 0\n")


def test_what_hooks_print_stands_between_the_blocks_and_is_skipped():
    parser = ControlParser()
    parser.expect(2, b"nonce")
    hooks = of_hook() + of_hook(b"%end 1795301628 281 1", b"%begin 1 2 0") + of_hook(word=b"error")
    data = block(280, *SHOWN) + hooks + block(281, b"nonce.1") + hooks
    data += block(282, b"second") + hooks + block(283, b"nonce.2")
    (answer,) = parser.feed(data)
    assert answer == Answer(
        (Block(SHOWN, failed=False, ours=True), Block((b"second",), failed=False, ours=True))
    )


def test_a_command_that_fails_after_a_hook_ends_its_line():
    parser = ControlParser()
    parser.expect(2, b"nonce")
    failed = block(282, b"can't find pane: %9", word=b"error")
    data = block(280) + block(281, b"nonce.1") + of_hook(b"said") + failed
    (answer,) = parser.feed(data + block(283, b"nonce.2"))
    assert [each.failed for each in answer.blocks] == [False, True]
