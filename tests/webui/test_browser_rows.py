"""Rows of sessions: the archive, titles changed in place, swipes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from patience import until, until_script
from webdesk.sessions_to_find import add_sessions

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])
SWIPE = """(row, by) => {
  const box = row.getBoundingClientRect();
  const link = row.querySelector(".row-link");
  const at = box.left + box.width / 2;
  const send = (type, x) => link.dispatchEvent(new PointerEvent(type, {
    bubbles: true, pointerType: "touch", isPrimary: true, clientX: x, clientY: box.top + 20 }));
  send("pointerdown", at);
  for (const part of [0.1, 0.5, 1]) send("pointermove", at + by * part);
  send("pointerup", at + by);
  link.click();
}"""

# The list cuts off what leaves its rows.
RING_IS_SEEN = """() => {
  const { outlineWidth, outlineOffset } = getComputedStyle(document.activeElement);
  const ring = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  const box = document.activeElement.getBoundingClientRect();
  const row = document.activeElement.closest(".undo").getBoundingClientRect();
  return box.top - ring >= row.top && box.bottom + ring <= row.bottom;
}"""


def _titles(page: Any) -> list[str]:
    titles: list[str] = page.locator("#sessions .row:visible .row-title").all_inner_texts()
    return titles


def test_an_archived_session_leaves_the_list_is_found_and_comes_back(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    page, other = open_page("desk"), open_page("phone")
    for each in (page, other):
        each.locator("html[data-connection=live]").wait_for()
    row = page.locator(f"#session-{sessions['rename']}")
    row.hover()
    row.get_by_role("button", name="Archive").click()
    page.locator(".undo:visible").wait_for()
    other.locator(f"#session-{sessions['rename']}").wait_for(state="detached")
    assert "Rename the client" not in _titles(page)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill("rename the")
    page.get_by_role("option", name=re.compile("Rename the client.*archived", re.S)).wait_for()
    page.keyboard.press("Escape")
    page.goto(f"{served.url}/archived")
    page.locator("html[data-connection=live]").wait_for()
    page.get_by_role("button", name="Put back: Rename the client").click()
    page.get_by_text("Nothing archived").wait_for()
    other.locator(f"#session-{sessions['rename']}").wait_for()


def test_an_archived_session_still_asks(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="Quiet", archived=True)
    page = open_page("phone")
    assert page.locator(".row").count() == 0
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()
    assert page.locator(".row").count() == 0


def test_archiving_is_undone_by_keyboard(open_live: Callable[..., Any], served: Any) -> None:
    sessions = add_sessions(served)
    page = open_live("desk")
    page.locator(f"#session-{sessions['flaky']} .row-link").focus()
    page.keyboard.press("e")
    undo = page.get_by_role("button", name="Undo")
    undo.wait_for()
    until_script(page, "document.activeElement.textContent === 'Undo'")
    assert page.evaluate(RING_IS_SEEN)
    page.keyboard.press("Enter")
    page.locator(f"#session-{sessions['flaky']}").wait_for()
    until_script(page, f"document.activeElement.closest('#session-{sessions['flaky']}') !== null")


def test_the_arrows_go_from_row_to_row(open_page: Callable[..., Any], served: Any) -> None:
    add_sessions(served)
    page = open_page("desk")
    page.locator(".row-link").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    at = "[...document.querySelectorAll('.row')].indexOf(document.activeElement.closest('.row'))"
    assert page.evaluate(at) == 1


@SIZES
def test_a_title_is_changed_where_it_stands(
    size: str, open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Old name")
    page = open_live(size, f"/sessions/{session}")
    page.keyboard.press("F2")
    field = page.get_by_role("textbox", name="Title", exact=True)
    assert field.input_value() == "Old name"
    field.fill("New <b>name</b>")
    # What happens meanwhile does not take the field away.
    served.do("state", session=session, state="busy")
    page.wait_for_timeout(200)
    assert field.input_value() == "New <b>name</b>"
    field.press("Enter")
    page.get_by_role("heading", name="New <b>name</b>").wait_for()
    page.locator(".session-head[data-state=busy]").wait_for()
    expect(page).to_have_title("New <b>name</b> · ClawTap")
    page.reload()
    page.get_by_role("heading", name="New <b>name</b>").wait_for()


def test_escape_and_an_empty_title_change_nothing(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Old name")
    page = open_page("desk")
    row = page.locator(f"#session-{session}")
    row.hover()
    row.get_by_role("button", name="Edit name").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("Something else")
    page.keyboard.press("Escape")
    assert row.locator(".row-title").inner_text() == "Old name"
    assert page.evaluate("document.activeElement.closest('.row') !== null")
    page.keyboard.press("F2")
    page.get_by_role("textbox", name="Title", exact=True).fill("   ")
    page.keyboard.press("Enter")
    assert row.locator(".row-title").inner_text() == "Old name"
    page.keyboard.press("F2")
    page.get_by_role("textbox", name="Title", exact=True).fill("Better")
    page.keyboard.press("Enter")
    row.get_by_text("Better").wait_for()


def test_a_row_swiped_far_to_the_left_is_archived(
    open_live: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    page = open_live("phone")
    row = page.locator(f"#session-{sessions['rename']}")
    row.evaluate(SWIPE, -60)
    assert row.evaluate("one => one.querySelector('.row-link').style.translate") in ("", "-60px")
    page.wait_for_timeout(100)
    assert page.url == f"{served.url}/"
    row.evaluate(SWIPE, -180)
    row.wait_for(state="detached")
    page.get_by_role("button", name="Undo").wait_for()
    page.get_by_role("button", name="Undo").click()
    row.wait_for()


def test_a_row_swiped_far_to_the_right_is_opened(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    page = open_page("phone")
    page.locator("html.js").wait_for()
    page.locator(f"#session-{sessions['rename']}").evaluate(SWIPE, 180)
    page.wait_for_url(f"**/sessions/{sessions['rename']}")


def test_a_row_that_changes_under_the_finger_is_swiped_all_the_same(
    open_live: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
    page = open_live("phone")
    row = page.locator(f"#session-{sessions['rename']}")
    devtools = page.context.new_cdp_session(page)
    box = row.bounding_box()
    start, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind: str, x: float | None = None) -> None:
        points = [] if x is None else [{"x": x, "y": y}]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", start)
    for part in range(1, 9):
        touch("touchMove", start - part * 10)
    row.and_(page.locator(".is-swiped")).wait_for()
    served.do("state", session=sessions["rename"], state="busy")
    served.do("state", session=sessions["flaky"], state="busy")
    page.locator(f"#session-{sessions['flaky']}.state-busy").wait_for()
    touch("touchMove", start - 150)
    touch("touchEnd")
    page.locator(".undo:visible").wait_for()
    expect(row).to_have_count(0)
    assert page.url == f"{served.url}/"


def test_a_finger_that_scrolls_swipes_nothing(open_page: Callable[..., Any], served: Any) -> None:
    sessions = add_sessions(served)
    page = open_page("phone")
    page.locator("html.js").wait_for()
    row = page.locator(f"#session-{sessions['rename']}")
    row.evaluate(
        """row => {
          const link = row.querySelector(".row-link");
          const send = (type, x, y) => link.dispatchEvent(new PointerEvent(type, {
            bubbles: true, pointerType: "touch", isPrimary: true, clientX: x, clientY: y }));
          send("pointerdown", 200, 300);
          send("pointermove", 195, 340);
          send("pointermove", 20, 400);
          send("pointerup", 20, 400);
        }"""
    )
    page.wait_for_timeout(100)
    assert row.count() == 1
    assert not row.evaluate("one => one.classList.contains('is-swiped')")


def test_a_screen_reader_has_a_button_for_each_swipe(
    open_page: Callable[..., Any], served: Any
) -> None:
    add_sessions(served)
    page = open_page("phone")
    page.get_by_role("button", name="Archive: The flaky checkout").wait_for(state="attached")
    tree = page.locator("#sessions").aria_snapshot()
    assert 'button "Archive: The flaky checkout"' in tree
    assert "The flaky checkout" in tree


def test_a_row_of_a_desk_shows_that_it_is_pointed_at(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    page = open_page("desk")
    link = page.locator(f"#session-{session} .row-link")
    colour = "(one) => getComputedStyle(one).backgroundColor"
    before = link.evaluate(colour)
    link.hover()
    until(lambda: link.evaluate(colour) != before)
    # Its buttons hide all of what they stand on.
    row, buttons = (page.locator(f"#session-{session}{part}") for part in ("", " .row-actions"))
    assert buttons.bounding_box()["height"] == row.bounding_box()["height"]
    page.mouse.move(700, 10)
    until(lambda: link.evaluate(colour) == before)


FOLDER = """(folder) => {
  const text = document.createRange();
  text.selectNodeContents(folder);
  const [box, all] = [folder.getBoundingClientRect(), text.getBoundingClientRect()];
  return { hidden: box.left - all.left, left: all.left - box.left, right: box.right - all.right };
}"""


@SIZES
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_the_end_of_a_long_folder_is_seen(
    size: str, direction: str, open_page: Callable[..., Any], served: Any
) -> None:
    """Folders of one parent differ in their ends."""
    cwd = "/home/me/everything-of-the-platform-team/the-shop-and-its-payments-in-rust"
    served.do("add", title="Payments", cwd=cwd)
    served.do("add", title="Bills", cwd="/bills")
    page = open_page(size)
    page.evaluate("direction => { document.documentElement.dir = direction; }", direction)
    row = page.locator("#sessions .row", has_text="Payments")
    row.scroll_into_view_if_needed()
    long = row.locator(".row-folder").evaluate(FOLDER)
    assert long["hidden"] > 20
    assert long["right"] >= -1
    # A short one stands where other words of the page begin.
    short = page.locator("#sessions .row", has_text="Bills").locator(".row-folder").evaluate(FOLDER)
    begins, ends = ("left", "right") if direction == "ltr" else ("right", "left")
    assert (abs(short[begins]) <= 1, short[ends] > 1) == (True, True)
