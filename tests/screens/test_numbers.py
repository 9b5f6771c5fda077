"""Numbers of one digit and of two in one list."""

from __future__ import annotations

import pytest

from clawtap_core.screens import numbered_rows

LEFT = [f"    {number}. row {number}" for number in range(1, 13)]
RIGHT = [f"  {number:>3}. row {number}" for number in range(1, 13)]


@pytest.mark.parametrize("rows", [LEFT, RIGHT])
def test_numbers_may_be_aligned_left_or_right(rows: list[str]) -> None:
    found = numbered_rows(rows, 40)
    assert [(row.number, row.label) for row in found] == [
        (number, f"row {number}") for number in range(1, 13)
    ]
