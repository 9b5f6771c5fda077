"""Many sessions, long titles, large text: nothing is pushed away, nothing covers anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser

TITLE = "Why is the second page of /orders so slow, and what can be done about it before Monday?"
# A line of text that is written in the order of its letters has its first letter left of its last.
ORDER = """(time) => {
  const range = document.createRange();
  const at = (index) => {
    range.setStart(time.firstChild, index);
    range.setEnd(time.firstChild, index + 1);
    return range.getBoundingClientRect().left;
  };
  return at(0) < at(time.textContent.length - 1);
}"""
# Each event takes longer than the page may hear without a pause.
SLOW_EVENTS = """window.turns = 0;
window.heard = [];
setInterval(() => { window.turns += 1; });
document.addEventListener("clawtap:event", () => {
  window.heard.push(window.turns);
  for (const end = performance.now() + 60; performance.now() < end; );
});"""


@pytest.fixture(scope="module")
def sixty(_shared: Any) -> Any:
    """Sixty sessions with long titles, twenty of which wait."""
    _shared.do("reset")
    for number in range(60):
        session = _shared.do("add", adapter=("claude", "gemini", "codex")[number % 3], title=TITLE)
        if number % 3 == 0:
            _shared.do("ask", session=session, form="edit")
    return _shared


def test_sixty_sessions_leave_the_first_card_in_sight(
    open_page: Callable[..., Any], sixty: Any
) -> None:
    page = open_page("desk", server=sixty)
    card = page.locator("#prompts ct-prompt").first
    page.locator("[data-jumps] a").first.wait_for()
    assert page.locator("[data-jumps] a").count() == 20
    assert card.locator(".choice.allow-once").bounding_box()["y"] < 900 - 48
    rows = page.locator("#sessions .row")
    heights = rows.evaluate_all("(rows) => rows.map((row) => row.offsetHeight)")
    assert len(heights) == 60
    assert max(heights) <= 80


def test_a_phone_gets_to_the_sessions_by_one_tap(open_page: Callable[..., Any], sixty: Any) -> None:
    page = open_page("phone", server=sixty)
    page.get_by_role("link", name="Sessions", exact=True).tap()
    title = page.locator("#sessions-title")
    until(lambda: 0 <= title.bounding_box()["y"] < 400)


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_the_head_of_a_card_is_one_line_and_its_title(
    direction: str, open_page: Callable[..., Any], sixty: Any
) -> None:
    page = open_page("phone", server=sixty)
    page.evaluate("(direction) => (document.documentElement.dir = direction)", direction)
    meta = page.locator("#prompts .card-meta").first
    meta.wait_for()
    assert meta.bounding_box()["height"] < 30
    age = meta.locator(".card-age")
    age.evaluate("(time) => (time.textContent = '7 min')")
    assert age.evaluate(ORDER)


def test_the_ways_to_sessions_are_whole_on_a_small_phone(
    open_page: Callable[..., Any], sixty: Any
) -> None:
    session = sixty.do("add", title="An_unbreakable_name_" * 10)
    first, *_ = [sixty.do("ask", session=session, form="shell") for _ in range(80)]
    page = open_page("phone", server=sixty)
    page.set_viewport_size({"width": 320, "height": 568})
    jump = page.locator("[data-jumps] a", has_text="unbreakable")
    for text in ("100%", "200%"):
        page.evaluate("(text) => (document.documentElement.style.fontSize = text)", text)
        jump.locator(".badge").scroll_into_view_if_needed()
        assert jump.bounding_box()["width"] <= 320
        for part in (".to-sessions", "#waits-title .badge", f"[href='#prompt-{first}'] .badge"):
            box = page.locator(part).bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] < 321


@pytest.mark.parametrize("text", ["100%", "200%"])
def test_the_badge_of_what_waits_elsewhere_covers_no_title(
    text: str, open_page: Callable[..., Any], sixty: Any
) -> None:
    session = sixty.do("add", title="Short")
    page = open_page("phone", f"/sessions/{session}", server=sixty)
    page.evaluate("(text) => (document.documentElement.style.fontSize = text)", text)
    badge, title = (
        page.locator(part).bounding_box() for part in ("[data-elsewhere]", ".session-head")
    )
    assert badge["x"] + badge["width"] <= title["x"]


def test_the_page_of_a_session_is_as_high_as_the_screen(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Everything that can be asked")
    for form in ("several", "form", "edit", "unknown", "noted"):
        served.do("ask", session=session, form=form)
    page = open_page("phone", f"/sessions/{session}")
    assert page.locator("ct-prompt").count() == 5
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_the_head_of_a_session_does_not_say_what_is_chosen_below(
    open_page: Callable[..., Any], served: Any
) -> None:
    fields = {"mode": "plan", "model": "opus", "adapter": "claude"}
    page = open_page("desk", f"/sessions/{served.do('add', **fields)}")
    assert page.locator("#mode").input_value() == "plan"
    assert page.locator(".session-head .tag").count() == 0
    ended = open_page("desk", f"/sessions/{served.do('add', state='ended', **fields)}")
    assert ended.locator(".session-head .tag").count() == 2


def test_between_many_events_that_come_at_once_there_is_time_for_touches(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("phone")
    page.add_init_script(SLOW_EVENTS)
    events = 'event: text_delta\ndata: {"sessionId": "s", "text": "a"}\n\n' * 6
    page.route(
        "**/api/events*", lambda route: route.fulfill(body=events, content_type="text/event-stream")
    )
    page.goto(served.url)
    until(lambda: page.evaluate("window.heard.length") >= 6)
    assert len(set(page.evaluate("window.heard.slice(0, 6)"))) > 1
