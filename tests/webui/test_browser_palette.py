"""The command palette: sessions, pages and actions by a few letters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from webdesk.sessions_to_find import add_sessions

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


def _accessible(page: Any) -> None:
    found = axe.Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], str(node["target"])) for one in serious for node in one["nodes"]] == []


def test_ctrl_k_opens_a_session_by_a_few_letters(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    page = open_page("desk")
    page.locator("html.js").wait_for()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search sessions and messages")
    page.get_by_role("option", name="Settings").wait_for()
    active = field.get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    # Enter comes before the new list does, and takes nothing of the old one.
    field.press_sequentially("flak")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/sessions/{sessions['flaky']}")


def test_the_arrows_go_through_the_list_and_round(
    open_page: Callable[..., Any], served: Any
) -> None:
    add_sessions(served)
    page = open_page("desk")
    page.locator("html.js").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("option", name="Settings").wait_for()
    chosen = page.locator(".palette [aria-selected=true]")
    first = chosen.inner_text()
    page.keyboard.press("ArrowUp")
    assert "Settings" in chosen.inner_text()
    page.keyboard.press("ArrowDown")
    assert chosen.inner_text() == first
    page.keyboard.press("Escape")
    expect(page.locator(".palette")).to_have_count(0)
    page.keyboard.press("Control+k")
    page.locator(".palette").wait_for()
    page.keyboard.press("Control+k")
    expect(page.locator(".palette")).to_have_count(0)


def test_the_palette_has_a_button_on_a_phone(open_page: Callable[..., Any], served: Any) -> None:
    add_sessions(served)
    page = open_page("phone")
    page.locator("html.js").wait_for()
    button = page.get_by_role("link", name="Search")
    box = button.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    button.click()
    page.get_by_role("combobox", name="Search").fill("hist")
    page.get_by_role("option", name="History").click()
    page.wait_for_url("**/history")


def test_the_menu_of_a_session_has_the_palette_on_a_phone(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = add_sessions(served)["flaky"]
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html.js").wait_for()
    menu, search = page.get_by_label("Session menu"), page.locator(".menu-search")
    menu.click()
    box = search.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    search.click()
    page.get_by_role("combobox", name="Search").fill("rename")
    page.get_by_role("option", name="Rename this session").click()
    page.locator(".session-head .rename input").wait_for()
    expect(search).not_to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    menu.click()
    expect(search).not_to_be_visible()


def test_the_palette_presses_what_the_page_has(open_page: Callable[..., Any], served: Any) -> None:
    sessions = add_sessions(served)
    page = open_page("desk")
    page.locator("html.js").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill("archive this")
    page.locator(".found-none").wait_for()
    page.goto(f"{served.url}/sessions/{sessions['flaky']}")
    page.locator("html.js").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill("rename")
    page.get_by_role("option", name="Rename this session").click()
    page.locator(".session-head .rename input").wait_for()


def test_a_row_that_is_pressed_stays_until_it_is_released(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    page = open_page("desk")
    page.goto(f"{served.url}/sessions/{sessions['flaky']}")
    page.locator("html.js").wait_for()
    page.keyboard.press("Control+k")
    row = page.get_by_role("option", name="Rename this session")
    row.hover()
    page.mouse.down()
    with page.expect_response("**/find?q=rename"):
        page.get_by_role("combobox", name="Search").fill("rename")
    # All that the answer brings about has happened once a later request was answered.
    page.evaluate("() => fetch('/healthz')")
    page.mouse.up()
    page.locator(".session-head .rename input").wait_for()


@pytest.mark.parametrize(("size", "theme"), [("phone", "light"), ("desk", "dark")])
def test_axe_finds_nothing_serious_in_what_finds(
    size: str, theme: str, open_page: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    served.do("kept", cwd="/home/me")
    served.do("recall", name="gemini-0", count=120)
    page = open_page(size)
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("combobox", name="Search").fill("message 11")
    page.get_by_role("option", name="message 119").wait_for()
    _accessible(page)
    page.keyboard.press("Escape")
    page.get_by_label("Filter sessions").click()
    page.locator("ct-filter [name=cli]").select_option("codex")
    _accessible(page)
    page.locator("ct-filter [name=cli]").press("Escape")
    page.get_by_role("link", name="Show all").click()
    page.goto(f"{served.url}/find?q=message")
    _accessible(page)
    page.goto(f"{served.url}/sessions/{sessions['rename']}")
    page.locator("html.js").wait_for()
    page.keyboard.press("F2")
    page.locator(".rename input").wait_for()
    _accessible(page)
    page.get_by_role("textbox", name="Title", exact=True).press("Escape")
    page.goto(served.url)
    page.locator("html.js").wait_for()
    page.locator(f"#session-{sessions['rename']} .row-link").focus()
    page.keyboard.press("e")
    page.get_by_role("button", name="Undo").wait_for()
    _accessible(page)
    page.goto(f"{served.url}/archived")
    page.get_by_role("button", name="Put back: Rename the client").wait_for()
    _accessible(page)
