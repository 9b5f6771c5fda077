"""A message that a page sends again is sent once."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from webui.sent_messages import SentMessages


def test_a_key_is_sent_once_and_no_key_always() -> None:
    sent = SentMessages()
    firsts = []
    for key in ("a", "a", "b", "", ""):
        with sent.once(key) as first:
            firsts.append(first)
    assert firsts == [True, False, True, True, True]


def test_what_was_refused_is_sent_again() -> None:
    sent = SentMessages()
    with pytest.raises(ValueError, match="no"), sent.once("a"):
        raise ValueError("no")
    with sent.once("a") as first:
        assert first


def test_a_second_attempt_waits_for_the_first() -> None:
    sent, entered, seen = SentMessages(), Event(), []

    def again() -> None:
        entered.set()
        with sent.once("a") as first:
            seen.append(first)

    second = Thread(target=again)
    with sent.once("a"):
        second.start()
        entered.wait()
        assert seen == []
    second.join()
    assert seen == [False]


def test_only_the_latest_keys_are_kept() -> None:
    sent = SentMessages()
    for number in range(2000):
        with sent.once(f"k{number}"):
            pass
    with sent.once("k1999") as last:
        assert not last
    with sent.once("k0") as first:
        assert first
