"""Taps on a card of a real page; one that did not count is made again, as a person does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

TAKEN = ".is-busy, .outcome"
LOST = "nothing was sent"
# The page says after this time, in milliseconds, that a card was drawn again under the finger.
NOTICED = 400
# Properties, not attributes: they change nothing that the page compares.
MARK = "() => document.querySelectorAll('.toast, ct-prompt').forEach(one => (one.seen = true))"
REDRAWN = "() => [...document.querySelectorAll('ct-prompt')].some(card => !card.seen)"
LOST_NOW = """(words) => [...document.querySelectorAll('.toast')].some(
  (toast) => !toast.seen && toast.textContent.includes(words),
)"""
CAN_BE_TAPPED = "controls => controls.some(control => !control.disabled)"


def tap(control: Any) -> None:
    """Tap a control, and again as often as its card moved or changed meanwhile."""
    page = control.page
    for _ in range(5):
        page.evaluate(MARK)
        control.click()
        if page.evaluate(REDRAWN):
            page.wait_for_timeout(NOTICED)
        if not page.evaluate(LOST_NOW, LOST) or not control.evaluate_all(CAN_BE_TAPPED):
            return  # or the words are about a tap before this one, which was taken
    raise AssertionError(f"no tap counted: {control}")


def tap_until_taken(card: Any, tap: Callable[[], None]) -> None:
    """Tap an answer, and once more if the page says that the card changed under the finger."""
    # The next prompt is another card of the list.
    card = card.page.locator(f"#{card.get_attribute('id')}")
    tap()
    with suppress(Exception):
        card.locator(TAKEN).first.wait_for(state="attached", timeout=3000)
    if card.count() and not card.locator(TAKEN).count():
        toasts = card.page.locator(".toast").all_inner_texts()
        shown = card.evaluate_all("cards => cards.map(card => card.outerHTML).join()")
        assert any(LOST in text for text in toasts), f"no word of the tap: {toasts}\n{shown}"
        tap()
