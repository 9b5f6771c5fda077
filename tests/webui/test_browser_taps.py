"""Taps that count and taps that do not: a card that has just come, moved or changed takes none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser

GUARDED = """() => {
  window.guarded = new Set();
  new MutationObserver(() => document.querySelectorAll(".is-guarded").forEach(
    (card) => window.guarded.add(card.id)
  )).observe(document.body, { subtree: true, childList: true, attributeFilter: ["class"] });
}"""
MOVED = """([selector, x, y]) => new Promise((done) => {
  const under = () => document.elementFromPoint(x, y)?.closest(`${selector} button`);
  const missed = () => under()?.className ?? "";
  const later = () => requestAnimationFrame(() => setTimeout(() => done(missed())));
  new MutationObserver(later).observe(document.querySelector(".dock"), { childList: true });
})"""
QUEUE = """(path) => fetch(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: '{"message": "and then"}',
})"""


def open_prompt(open_page: Callable[..., Any], served: Any) -> tuple[Any, str, str]:
    """Return the page of a session on a phone, the session, and its card, which takes taps."""
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    card = f"#prompt-{served.do('ask', session=session, form='shell')}"
    page.locator(f"{card}:not(.is-guarded)").wait_for()
    return page, session, card


def place_of_allow(page: Any, card: str) -> tuple[dict[str, float], float, float]:
    """Return the box of a card's allow button, and its middle."""
    box = page.locator(f"{card} .allow-once").bounding_box()
    return box, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_an_arrival_moves_neither_focus_nor_scroll_and_takes_no_early_tap(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("ask", session=session, form="long")
    page = open_page()
    page.evaluate("scrollTo(0, 300)")
    page.locator("summary").first.focus()
    before = page.evaluate(
        "[scrollY, document.activeElement.className, document.activeElement.localName]"
    )
    page.evaluate(GUARDED)
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()
    until(lambda: page.evaluate("card => window.guarded.has(card)", f"prompt-{request}"))
    after = page.evaluate(
        "[scrollY, document.activeElement.className, document.activeElement.localName]"
    )
    assert before == after
    expect(page).to_have_title("(2) ClawTap")
    expect(page.locator("#announcer")).to_contain_text("Run a command?")


def test_a_tap_that_does_not_count_is_reported(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    page = open_page("phone")
    request = served.do("ask", session=session, form="shell")
    card = f"#prompt-{request}"
    toast = page.locator(".toast", has_text="nothing was sent")
    # The guard of the arrival ends by itself; the next one lasts until it was tapped.
    page.locator(f"{card}:not(.is-guarded)").wait_for()
    page.locator(f"{card} .allow-once").scroll_into_view_if_needed()
    page.evaluate("card => document.querySelector(card).classList.add('is-guarded')", card)
    box = page.locator(f"{card} .allow-once").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    toast.filter(has_text="moved").wait_for()
    page.evaluate("card => document.querySelector(card).classList.remove('is-guarded')", card)
    page.evaluate("card => (document.querySelector(card).dataset.old = '1')", card)
    page.mouse.move(x, y)
    page.mouse.down()
    served.do("redraw", prompt=request)
    page.locator(f"{card}:not([data-old])").wait_for()
    page.mouse.up()
    toast.filter(has_text="changed").wait_for()
    assert served.said() == []
    # A finger, unlike a mouse, taps what has taken the button's place.
    page.evaluate("document.getElementById('toasts').replaceChildren()")
    page.evaluate("card => (document.querySelector(card).dataset.old = '1')", card)
    finger = page.context.new_cdp_session(page)
    touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    finger.send("Input.dispatchTouchEvent", touch)
    served.do("redraw", prompt=request)
    page.locator(f"{card}:not([data-old])").wait_for()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(f"{card} .outcome").wait_for()
    page.wait_for_timeout(500)
    assert toast.count() == 0
    assert len(served.said()) == 1


def test_a_press_is_reported_whose_card_moved_or_changed_before_the_release(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("desk")
    request = served.do("ask", session=served.do("add"), form="multi")
    card = f"#prompt-{request}"
    page.locator(f"{card}:not(.is-guarded)").wait_for()
    for part, what in ((".choice", "moved"), (".pick", "moved"), (".pick", "changed")):
        control = page.locator(f"{card} {part}").first
        control.hover()
        page.evaluate("card => (document.querySelector(card).dataset.old = '1')", card)
        page.mouse.down()
        if what == "moved":
            page.evaluate("card => document.querySelector(card).classList.add('is-guarded')", card)
        else:
            served.do("redraw", prompt=request)
            page.locator(f"{card}:not([data-old])").wait_for()
        page.mouse.up()
        page.locator(".toast", has_text=f"{what} just then, so nothing was sent").wait_for()
        page.evaluate("card => document.querySelector(card).classList.remove('is-guarded')", card)
        page.evaluate("document.getElementById('toasts').replaceChildren()")
    assert page.locator(f"{card} :checked").count() == 0
    assert served.said() == []


def test_fields_and_folds_of_a_card_that_has_just_moved_work_as_ever(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("phone")
    request = served.do("ask", session=served.do("add"), form="shell")
    card = page.locator(f"#prompt-{request}")
    page.locator(f"#prompt-{request}:not(.is-guarded)").wait_for()
    card.evaluate("card => card.classList.add('is-guarded')")
    card.locator("summary", has_text="Say why").tap()
    card.locator("[name=reason]").tap()
    expect(card.locator("[name=reason]")).to_be_focused()
    assert page.locator(".toast").count() == 0


def test_a_tap_on_a_button_that_just_moved_decides_nothing(
    open_page: Callable[..., Any], served: Any
) -> None:
    page, session, card = open_prompt(open_page, served)
    box, x, y = place_of_allow(page, card)
    page.evaluate(f"void (window.moved = ({MOVED})(['{card}', {x}, {y}]))")
    page.evaluate(QUEUE, f"/api/sessions/{session}/message")
    assert page.evaluate("window.moved") == ""
    assert page.locator(f"{card} .allow-once").bounding_box()["y"] != box["y"]
    page.evaluate("card => document.querySelector(card).classList.add('is-guarded')", card)
    page.touchscreen.tap(x, y)
    toast = page.locator(".toast", has_text="moved just then, so nothing was sent")
    toast.wait_for()
    assert [each["what"] for each in served.said()] == ["message"]


def test_a_finger_that_lifts_on_another_button_decides_nothing(
    open_page: Callable[..., Any], served: Any
) -> None:
    page, session, card = open_prompt(open_page, served)
    _, x, y = place_of_allow(page, card)
    finger = page.context.new_cdp_session(page)
    touch = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    finger.send("Input.dispatchTouchEvent", touch)
    page.evaluate(QUEUE, f"/api/sessions/{session}/message")
    page.locator(".queue-text").wait_for()
    # However soon the finger leaves: the guard may not have seen the move.
    page.evaluate("card => document.querySelector(card).classList.remove('is-guarded')", card)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(".toast", has_text="moved just then, so nothing was sent").wait_for()
    assert [each["what"] for each in served.said()] == ["message"]
