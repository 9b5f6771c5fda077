"""Streaming text: what the screen no longer shows stays above what it shows."""

from __future__ import annotations

from typing import Any

import pytest

from clawtap_core.model import SeenState, SessionState
from clawtap_core.runtime.panes.streaming_text import StreamingText

ROWS = [f"row {number}" for number in range(300)]


class Store:
    """What the text needs of the store: a clock, and a place for its events."""

    def __init__(self) -> None:
        self.published: list[dict[str, Any]] = []

    def now(self) -> None:
        return None

    def publish_transient(self, event: Any) -> None:
        self.published.append(dict(event.data))


@pytest.fixture
def shown() -> Any:
    """Show screens with these texts; return what is published of them."""
    store = Store()
    text = StreamingText(store, "s1")  # type: ignore[arg-type]

    def show(*screens: str) -> list[dict[str, Any]]:
        for streaming in screens:
            text.publish_new(SeenState(SessionState.BUSY, streaming=streaming))
        return store.published

    return show


def rows(first: int, end: int) -> str:
    return "\n".join(ROWS[first:end])


def test_rows_that_left_the_screen_stay_above(shown: Any) -> None:
    published = shown(rows(0, 20), rows(3, 24), rows(10, 31))
    assert published[-1]["text"] == rows(0, 31)
    assert published[-1]["delta"] == "\n" + rows(24, 31)


def test_the_last_rows_may_be_laid_out_again(shown: Any) -> None:
    published = shown(rows(0, 20) + "\nhello wor", rows(5, 20) + "\nhello\nworld")
    assert published[-1] == {"sessionId": "s1", "text": rows(0, 20) + "\nhello\nworld"}


def test_another_text_is_not_joined(shown: Any) -> None:
    published = shown("Done.\n\nAll is well.", "Next\n\nAll is well.")
    assert published[-1]["text"] == "Next\n\nAll is well."


def test_a_text_that_moved_too_far_is_what_is_visible(shown: Any) -> None:
    assert shown(rows(0, 20), rows(40, 60))[-1]["text"] == rows(40, 60)


def test_the_last_rows_of_a_very_long_text_are_kept(shown: Any) -> None:
    published = shown(*(rows(first, first + 30) for first in range(0, 270, 10)))
    assert published[-1]["text"] == rows(90, 290)


def test_a_text_that_ended_is_not_continued(shown: Any) -> None:
    assert shown(rows(0, 20), "", rows(3, 24))[-1]["text"] == rows(3, 24)
