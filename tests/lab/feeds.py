"""What a conversation on a real page shows."""

from __future__ import annotations

from typing import Any


def feed_of(page: Any) -> list[str]:
    """Return the titles of outcomes and the texts of messages, in their order."""
    shown = "#feed > ct-prompt .outcome-title, #feed > .feed-item"
    return [text.strip() for text in page.locator(shown).all_text_contents()]


def scroll_up(feed: Any) -> None:
    """Scroll to the top as a person does: what no hand moved, the page may move back to the end."""
    feed.dispatch_event("wheel")
    feed.evaluate("feed => feed.scrollTo(0, 0)")
