"""Moving the cursor: arrows from where it is, and the row that must be selected then."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core import Expect, Press, Step
from clawtap_demo.screen.rows import Row, Rows


def move_to(rows: Rows, target: int) -> tuple[Step, ...]:
    """Return the keys to a row in view; towards its own row, the keys that scroll one further."""
    selected = rows.selected or 0
    if target == selected:
        key = "Down" if target else "Up"
        return (Press(key), Expect("❯" + rows.rows[selected].shown, gone=True, within=5.0))
    key = "Down" if target > selected else "Up"
    keys = (Press(key) for _ in range(abs(target - selected)))
    return (*keys, Expect("❯" + rows.rows[target].shown, within=5.0))


def find_row(rows: Rows, fits: Callable[[Row], bool]) -> int | None:
    """Return the index of the first row in view that fits."""
    return next((at for at, row in enumerate(rows.rows) if fits(row)), None)
