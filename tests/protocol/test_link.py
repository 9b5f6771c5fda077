"""Driving a peer over a wire."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawtap_core.errors import Conflict, Impossible, NotConfirmed
from clawtap_core.model import (
    Interrupt,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
)
from clawtap_core.protocol_io.json_lines import BrokenLine, JsonLines, json_line


def test_a_conversation_opens_and_what_is_said_is_heard_in_order(linked, ear):
    link = linked()
    ear.wait(lambda ear: ear.heard == [SessionFacts(SessionState.IDLE)])
    link.message("hello")
    link.control(SwitchMode("plan"))
    link.answer("7", Response("r"))
    ear.wait(lambda ear: ear.heard[-1] == RequestCancelled("7"))


def test_what_a_cli_refuses_is_a_conflict_in_its_words(linked):
    with pytest.raises(Conflict, match="not now"):
        linked().control(Interrupt())


def test_what_a_peer_cannot_do_is_impossible(linked):
    with pytest.raises(Impossible):
        linked().message("impossible")


def test_a_receipt_that_does_not_come_is_not_confirmed(linked):
    link = linked("import sys; sys.stdin.read()", patience=0.1)
    with pytest.raises(NotConfirmed):
        link.message("hello")


def test_a_cli_that_ends_before_it_took_a_message_did_not_confirm_it(linked):
    link = linked("import sys; sys.stdin.readline(); sys.stdin.readline()")
    with pytest.raises(NotConfirmed, match="ended"):
        link.message("hello")


def test_nothing_is_sent_to_a_cli_that_has_ended(linked, ear):
    link = linked("")
    ear.wait(lambda ear: ear.exit)
    with pytest.raises(Conflict, match="ended"):
        link.message("hello")


def test_replies_of_the_peer_are_written_at_once(linked, ear):
    linked("print('{\"ping\": 1}', flush=True)\nimport sys\nfor l in sys.stdin: print(l, flush=1)")
    ear.wait(lambda ear: RequestCancelled("pinged") in ear.heard)


def test_who_hears_may_fail_and_the_next_is_heard(linked, ear):
    def deaf(item):
        ear.hear(item)
        raise RuntimeError("deaf")

    script = 'print(\'{"ask": "1"}\\n{"ask": "2"}\', flush=True)'
    link = linked(script)
    link._heard = deaf
    ear.wait(lambda ear: len([one for one in ear.heard if isinstance(one, PromptRequested)]) == 2)


LINES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=8)


@settings(max_examples=200, deadline=None)
@given(LINES, st.lists(st.integers(1, 40), min_size=1))
def test_lines_may_be_split_anywhere(objects, cuts):
    data, lines, got, at = b"".join(map(json_line, objects)), JsonLines(), [], 0
    while at < len(data):
        size = cuts[len(got) % len(cuts)]
        got += lines.feed(data[at : at + size])
        at += size
    assert got == objects


def test_a_broken_line_is_reported_and_the_next_is_read():
    lines = JsonLines(longest=30)
    got = list(lines.feed(b'{"a": 1}\nrubbish\n[1]\n' + b"x" * 50 + b'\n\n{"b": 2}\n{"c": '))
    assert got[0] == {"a": 1}
    assert [type(one) for one in got[1:4]] == [BrokenLine] * 3
    assert "too long" in got[3].why
    assert got[4] == {"b": 2}
    assert list(lines.feed(b"3}")) == []
    assert list(lines.feed(b"")) == [{"c": 3}]


def test_an_endless_line_fills_no_memory():
    lines = JsonLines(longest=1000)
    for _ in range(100):
        assert list(lines.feed(b"x" * 1000)) == []
    assert sum(map(len, lines._parts)) <= 1000
    assert isinstance(next(iter(lines.feed(b"\n"))), BrokenLine)
