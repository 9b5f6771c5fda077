"""The whole way, nothing faked: a newcomer on a phone, the server, tmux, the demo agent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from patience import until
from taps import tap, tap_until_taken

screenshots = pytest.importorskip("screenshots")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.tmux,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with screenshots.serving(tmp_path) as url:
        yield url


def test_a_newcomer_answers_everything_the_demo_agent_asks(chromium: Any, url: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.set_default_timeout(60_000)
    complaints: list[str] = []
    context.request.post(f"{url}/api/login", data={"token": screenshots.TOKEN})
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(url)
    page.get_by_role("button", name="Try the demo agent").click()
    page.wait_for_url("**/sessions/*")
    kinds = []
    for _ in range(12):
        card = page.locator("ct-prompt[data-state=pending]:not(.is-guarded)").first
        card.wait_for()
        kind = str(card.get_attribute("data-kind"))
        kinds.append(kind)
        if kind == "unknown":
            tap(card.get_by_role("button", name="Enter"))
            break
        # The card itself: while it is guarded it is not among the first.
        same = page.locator(f"#prompt-{card.get_attribute('data-request')}")
        _answer(same)
    assert {"permission", "question", "plan", "loop-detected", "unknown"} <= set(kinds)
    page.locator(".session-head", has_text="Idle").wait_for()
    assert complaints == []
    context.close()


def _answer(card: Any) -> None:
    """Tick the first answer of each question, then send; else the first option."""
    while (step := card.locator("fieldset[data-current], fieldset:only-of-type")).count():
        if (pick := step.first.locator(".pick input:not(.field)")).count():
            # One that is guarded takes no tick yet.
            until(lambda pick=pick: pick.first.is_checked() or pick.first.click())
        elif (field := step.first.locator(".field")).count():
            field.first.fill("shop")
        next_step = card.locator("[data-next]:visible")
        if not next_step.count():
            break
        next_step.click()
    tap_until_taken(card, lambda: tap(card.locator(".card-answers .choice:visible").first))
    card.locator(".outcome").wait_for()
