"""The model usage of a session in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """`context` is in per cent of the window, None where it is not known."""

    context: int | None = None
    tokens: str = ""
    cost: str = ""


def usage(status: Mapping[str, Any]) -> Usage:
    """Return the usage of a `status_update`."""
    context = _number(status.get("contextPercent"))
    total = _number(status.get("contextTokens"))
    cost = _number(status.get("cost"))
    return Usage(
        None if context is None else max(0, min(100, round(context))),
        "" if total is None else short(total),
        "" if not cost else f"${cost:.2f}",
    )


def short(count: float) -> str:
    """Return a count in few characters: 950, 12k, 1.2M."""
    if count < 1000:
        return str(int(count))
    if count < 999_500:
        return f"{count / 1000:.3g}k"
    return f"{count / 1_000_000:.3g}M"


def _number(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return None
