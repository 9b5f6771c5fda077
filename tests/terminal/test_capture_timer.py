"""At once, then not too often, and never too few."""

from __future__ import annotations

import threading
import time

import pytest
from patience import until

from clawtap_core.terminal.capture_timer import CaptureTimer


@pytest.fixture
def paced():
    taken, news = [], threading.Condition()

    def take(key):
        with news:
            taken.append((key, time.monotonic()))
            news.notify_all()

    pacer = CaptureTimer(take, interval=0.05)
    pacer.taken, pacer.news = taken, news
    yield pacer
    pacer.close()


def test_the_first_mark_is_taken_at_once_in_the_callers_thread(paced):
    paced.mark("a")
    paced.mark("b")
    assert [key for key, _ in paced.taken] == ["a", "b"]


def test_many_marks_are_taken_once_an_interval_and_the_last_is_not_lost(paced):
    began = last = time.monotonic()
    for _ in range(1000):
        last = time.monotonic()
        paced.mark("a")
    with paced.news:
        assert paced.news.wait_for(lambda: paced.taken[-1][1] >= last, 5)
        assert 2 <= len(paced.taken) <= 1 + (time.monotonic() - began) / 0.05


def test_what_is_forgotten_or_closed_is_not_taken(paced):
    for _ in range(2):
        paced.mark("a")
    paced.forget("a")
    for _ in range(2):
        paced.mark("b")
    paced.close()
    paced.mark("c")
    assert [key for key, _ in paced.taken] == ["a", "b"]


def test_a_change_that_is_worth_more_comes_before_one_that_can_wait(paced):
    paced.mark("a")
    paced.mark("a", 60.0)
    assert len(paced.taken) == 1
    paced.mark("a")
    with paced.news:
        assert paced.news.wait_for(lambda: len(paced.taken) == 2, 5)


def test_a_change_that_can_wait_is_taken_in_its_time(paced):
    began = time.monotonic()
    paced.mark("a", 0.1)
    paced.mark("a", 0.1)
    with paced.news:
        assert paced.news.wait_for(lambda: len(paced.taken) == 2, 5)
    assert paced.taken[1][1] - began >= 0.1


def test_a_capture_that_fails_keeps_back_no_other(caplog):
    taken = threading.Event()

    def take(key):
        if key == "broken":
            raise ZeroDivisionError
        taken.set()

    timer = CaptureTimer(take)
    try:
        timer.mark("broken", delay=0.01)
        until(lambda: "ZeroDivisionError" in caplog.text)
        timer.mark("sound", delay=0.01)
        assert taken.wait(60)
    finally:
        timer.close()
