from __future__ import annotations

import threading

import pytest

from clawtap_core.errors import Conflict
from clawtap_core.protocol.outbox import Outbox


def test_data_leaves_in_the_order_in_which_it_came():
    outbox = Outbox()
    for data in (b"1", b"2", b"3"):
        outbox.put(data)
    sent = []
    for data, written in outbox:
        sent.append(data)
        written.set_result(None)
        if data == b"3":
            outbox.close()
    assert sent == [b"1", b"2", b"3"]


def test_what_waits_when_it_is_closed_fails_and_is_not_sent():
    outbox = Outbox()
    waiting = [outbox.put(b"1"), outbox.put(b"2")]
    outbox.close()
    assert list(outbox) == []
    for written in waiting:
        with pytest.raises(Conflict, match="gone"):
            written.result(timeout=0)


def test_what_comes_after_the_end_fails_at_once():
    outbox = Outbox()
    outbox.close()
    with pytest.raises(Conflict, match="gone"):
        outbox.put(b"1").result(timeout=0)


def test_nobody_waits_for_ever_while_it_closes_at_the_same_moment():
    for _ in range(200):
        outbox = Outbox()
        both = threading.Barrier(2)
        written = []

        def send(outbox=outbox, both=both, written=written):
            both.wait()
            written.extend(outbox.put(b"1") for _ in range(20))

        sender = threading.Thread(target=send)
        sender.start()
        both.wait()
        outbox.close()
        for _, one in outbox:
            one.set_result(None)
        sender.join()
        assert all(one.done() for one in written)
