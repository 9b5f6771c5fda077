"""A phone in somebody's hand: Debian's Chromium, logged in to a ClawTap that serves real CLIs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from webdesk.chromium import ARGUMENTS

from clawtap_core.testing.server_process import TOKEN

CARD = "ct-prompt[data-state=pending]:not(.is-guarded)"


@contextmanager
def phone(testbed: Any, path: str) -> Iterator[Any]:
    """A page of this testbed's server; in the end it may not have complained."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    complaints: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        context = browser.new_context(
            viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
        )
        context.set_default_timeout(30_000)
        client = testbed.client
        login = context.request.post(f"{client.url}/api/login", data={"token": TOKEN})
        assert login.ok
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{client.url}{path}")
        yield page
        browser.close()
    assert complaints == []


def say(page: Any, text: str) -> None:
    """Type a message on the page, and send it."""
    page.fill("#message", text)
    page.locator(".send").tap()


def tap(page: Any, selector: str, words: str) -> None:
    """See that the card shows these words, tap a choice, and see the outcome."""
    card = page.locator(CARD).first
    card.wait_for()
    assert words in card.inner_text()
    request = card.get_attribute("data-request")
    for opener in card.locator(
        ".fold-more:visible, .more-answers:not([open]) > summary:visible"
    ).all():
        opener.tap()
    card.locator(selector).first.tap()
    page.locator(f"#prompt-{request} .outcome").wait_for(state="attached")


def hear(page: Any, words: str) -> None:
    """See the words of the CLI in the conversation."""
    page.locator(".feed-item.assistant", has_text=words).wait_for()


def until(page: Any, holds: Callable[[], object], seconds: float = 15.0) -> None:
    """Wait until something holds; the page's own policy lets the browser not poll by itself."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not in {seconds:g} s"
        page.wait_for_timeout(50)
