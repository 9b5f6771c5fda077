"""Somebody at the desk and a device answer the same prompt within 30 ms."""

from __future__ import annotations

import pytest
from two_at_once import DESKS, SCENARIOS, somebody_at


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("how", DESKS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_of_two_answers_at_once_the_one_that_counted_is_reported(
    testbed, own, request, scenario, how
):
    talk = own()
    talk.idle(90)
    with somebody_at(talk.seat, how) as desk:
        tally = scenario(talk, testbed.cli.turns, desk, request.config.getoption("--rounds"))
    print(tally)
    assert not tally.wrong, tally
