"""A figure: two ways to do one thing, and how many times better one of them must be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """`ours` and `theirs` in `unit`; met when ours is at most theirs divided by `target`."""

    name: str
    what: str
    ours: float
    theirs: float
    unit: str
    target: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times theirs is ours."""
        return self.theirs / self.ours if self.ours else float("inf")

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio >= self.target


def table(figures: Iterable[Figure]) -> str:
    """The figures as a table of Markdown."""
    head = ("figure", "ClawTap", "other way", "ratio", "target", "", "")
    rows = [head, ("---",) * len(head), *(_row(figure) for figure in figures)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _row(figure: Figure) -> tuple[str, ...]:
    return (
        figure.what,
        f"{figure.ours:.3g} {figure.unit}",
        f"{figure.theirs:.3g} {figure.unit}",
        f"1/{figure.ratio:.1f}" if figure.ratio < 10 else f"1/{figure.ratio:.0f}",
        f"1/{figure.target:g}",
        "met" if figure.met else "MISSED",
        figure.note,
    )
