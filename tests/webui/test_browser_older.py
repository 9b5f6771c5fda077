"""Browsers that lack something which Chromium has: the page works there all the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from webui.assets.style import style_sheet

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser

# Firefox without dom.storage.enabled has null here; others throw.
NO_STORAGE = """for (const kind of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, kind, { get: () => null });
}"""
# CSS that this Chromium knows, as if it did not.
UNKNOWN = """const supports = CSS.supports.bind(CSS);
CSS.supports = (...asked) => !/field-sizing|light-dark/.test(asked) && supports(...asked);"""
# Safari and older Firefoxes: a click is no pointer event.
PLAIN_CLICKS = """addEventListener("click", (event) => {
  Object.defineProperty(event, "pointerType", { value: undefined });
}, true);"""
LINES = "one\ntwo\nthree\nfour"


def without(page: Any, script: str) -> None:
    """Load the page again in a browser that lacks something."""
    page.context.add_init_script(script)
    page.context.route("**/css/*.css", _unknown)
    page.reload()
    page.locator("html[data-connection=live]").wait_for()


def _unknown(route: Any) -> None:
    reply = route.fetch()
    text = reply.text().replace("field-sizing:", "field-unknown:")
    route.fulfill(response=reply, body=text.replace("light-dark(", "unknown("))


def test_an_iphone_zooms_into_no_field(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page("phone", f"/sessions/{served.do('add')}?screen=1")
    page.context.route("**/css/*.css", _iphone)
    page.reload()
    sizes = """[...document.querySelectorAll("textarea, select, input")]
      .filter(({ type }) => type !== "file" && type !== "hidden")
      .map((field) => [field.name, parseFloat(getComputedStyle(field).fontSize)])"""
    assert [each for each in page.evaluate(sizes) if each[1] < 16] == []


def _iphone(route: Any) -> None:
    reply = route.fetch()
    text = reply.text().replace("(-webkit-touch-callout: none)", "(color: red)")
    route.fulfill(response=reply, body=text)


def test_what_no_safari_knows_without_its_prefix_has_it() -> None:
    for name in ("user-select", "backdrop-filter"):
        plain = re.findall(rf"(?<![\w-]){name}: ([^;]+);", style_sheet())
        assert plain
        assert re.findall(rf"-webkit-{name}: ([^;]+);", style_sheet()) == plain


def test_without_storage_prompts_are_answered_and_messages_sent(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_page("phone", f"/sessions/{session}")
    without(page, NO_STORAGE)
    page.locator(f"#prompt-{request} .allow-once").click()
    page.locator(f"#prompt-{request} .outcome").wait_for()
    page.locator("#message").fill("hello")
    page.locator(".composer .send").click()
    expect(page.locator("#message")).to_have_value("")
    assert [each["what"] for each in served.said()] == ["respond", "message"]


def test_without_field_sizing_the_composer_grows_and_shrinks(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("phone", f"/sessions/{served.do('add')}")
    field = page.locator("#message")
    field.fill(LINES)
    high = field.bounding_box()["height"]
    without(page, UNKNOWN)
    assert abs(field.bounding_box()["height"] - high) < 1
    field.fill("one")
    low = field.bounding_box()["height"]
    assert low < high
    field.fill(LINES)
    assert abs(field.bounding_box()["height"] - high) < 1
    page.locator(".composer .send").click()
    expect(field).to_have_value("")
    assert field.bounding_box()["height"] == low


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_without_light_dark_everything_has_its_colour(
    open_page: Callable[..., Any], served: Any, theme: str
) -> None:
    session = served.do("add")
    served.do("ask", session=session, form="edit")
    page = open_page("phone", f"/sessions/{session}")
    page.emulate_media(color_scheme=theme)
    colours = """() => [...document.querySelectorAll("body, .badge, .choice, .card, .line.add")]
      .map((part) => [getComputedStyle(part).color, getComputedStyle(part).backgroundColor])"""
    usual = page.evaluate(colours)
    without(page, UNKNOWN)
    page.wait_for_function(
        "usual => JSON.stringify((" + colours + ")()) === JSON.stringify(usual)", arg=usual
    )


def test_a_finger_that_lifts_on_another_button_decides_nothing_where_clicks_name_no_pointer(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    without(page, PLAIN_CLICKS)
    card = f"#prompt-{served.do('ask', session=session, form='shell')}"
    page.locator(f"{card}:not(.is-guarded)").wait_for()
    box = page.locator(f"{card} .allow-once").bounding_box()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    page.locator(f"{card} .allow-once").evaluate("allow => allow.before(allow.nextElementSibling)")
    page.locator(card).evaluate("card => card.classList.remove('is-guarded')")
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator(".toast", has_text="moved just then, so nothing was sent").wait_for()
    assert served.said() == []
