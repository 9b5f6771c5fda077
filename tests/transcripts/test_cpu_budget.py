"""Work that costs much takes no more than its share; what costs little is done at once."""

from __future__ import annotations

import pytest

from clawtap_core.transcripts.cpu_budget import SHARE, CpuBudget


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.mark.parametrize("cost", [0.01, 0.3, 2.0, 30.0])
def test_no_more_than_its_share_of_the_time_goes_into_work(cost):
    clock = Clock()
    pace, worked, began = CpuBudget(clock), 0.0, clock.now
    while clock.now - began < 20 * cost / SHARE + 300:
        if pace.allows():
            clock.now += cost
            worked += cost
            pace.took(cost)
        else:
            clock.now += cost / 10
    assert 0.9 * SHARE < worked / (clock.now - began) <= 1.1 * SHARE


def test_what_costs_little_is_done_at_once():
    clock = Clock()
    pace = CpuBudget(clock)
    for _ in range(10):
        assert pace.allows()
        pace.took(0.001)
