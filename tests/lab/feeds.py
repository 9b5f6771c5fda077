"""What a conversation on a real page shows."""

from __future__ import annotations

from typing import Any


def feed_of(page: Any) -> list[str]:
    """Return the titles of outcomes and the texts of messages, in their order."""
    shown = "#feed > ct-prompt .outcome-title, #feed > .feed-item"
    return [text.strip() for text in page.locator(shown).all_text_contents()]
