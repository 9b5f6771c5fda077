"""A working day of each real CLI: everything is answered once, as decided, and nothing is lost.

One short day each; `--days 10` makes it ten days of sixty steps. A day's number is its seed.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from every_cli import on_every_version
from phone_browser import phone
from two_at_once import somebody_at
from working_day import WorkingDay

SHORT, WHOLE = 12, 60

pytestmark = [on_every_version, pytest.mark.browser]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each day."""
    metafunc.parametrize("day", range(1, max(metafunc.config.getoption("--days"), 1) + 1))


@pytest.mark.timeout(3600)
def test_nothing_is_wrong_lost_doubled_or_stuck(
    testbed: Any, own: Any, day: int, pytestconfig: Any
):
    talk = own()
    talk.idle(90)
    path = f"/sessions/{talk.id}"
    with somebody_at(talk.seat, "person") as desk, phone(testbed, path) as page:
        work = WorkingDay(talk, testbed.cli, desk, page, random.Random(day), f"d{day}")
        work.work(WHOLE if pytestconfig.getoption("--days") else SHORT)
        print(f"\n{testbed.version}, day {day}: {dict(work.steps)}")
        print(f"unconfirmed {work.unconfirmed}, reported wrongly {work.diary.wrong}")
        work.diary.audit()
