"""Finding things: palette, search, filter, archive, titles in place, rows that swipe."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
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


def _until(page: Any, holds: str, seconds: float = 10) -> Any:
    end = time.monotonic() + seconds
    while not (found := page.evaluate(holds)):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(20)
    return found


def _accessible(page: Any) -> None:
    found = axe.Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], str(node["target"])) for one in serious for node in one["nodes"]] == []


def _sessions(served: Any) -> dict[str, str]:
    """Four sessions of three CLIs in three folders."""
    add = served.do
    return {
        "flaky": add("add", title="The flaky checkout", cwd="/home/me/projects/shop"),
        "rename": add("add", adapter="claude", title="Rename the client", cwd="/home/me/api"),
        "busy": add("add", adapter="codex", title="Update all", state="busy", cwd="/home/me/api"),
        "over": add("add", adapter="claude", title="Slow page", state="ended", cwd="/home/me/db"),
    }


def _titles(page: Any) -> list[str]:
    titles: list[str] = page.locator("#sessions .row:visible .row-title").all_inner_texts()
    return titles


# The palette


def test_ctrl_k_opens_a_session_by_a_few_letters(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = _sessions(served)
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
    _sessions(served)
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
    _sessions(served)
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
    session = _sessions(served)["flaky"]
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
    sessions = _sessions(served)
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


@pytest.mark.parametrize(("size", "theme"), [("phone", "light"), ("desk", "dark")])
def test_axe_finds_nothing_serious_in_what_finds(
    size: str, theme: str, open_page: Callable[..., Any], served: Any
) -> None:
    sessions = _sessions(served)
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


# Search


def test_a_message_opens_its_conversation_there(open_page: Callable[..., Any], served: Any) -> None:
    served.do("kept", cwd="/home/me")
    served.do("recall", name="gemini-0", count=300)
    page = open_page("desk")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("combobox", name="Search").fill('"message 120"')
    hit = page.get_by_role("option", name="message 120 You")
    hit.wait_for()
    assert hit.locator("mark").all_inner_texts() == ["message 120"]
    hit.click()
    page.wait_for_url("**/history/gemini/gemini-0?message=n120")
    found = page.locator(".is-found")
    assert found.inner_text() == "message 120"
    _until(
        page,
        """(box => box.top > 60 && box.bottom < innerHeight - 60)(
        document.querySelector('.is-found').getBoundingClientRect())""",
    )
    assert page.evaluate("document.activeElement.matches('.is-found')")
    feed = page.locator("ct-feed")
    feed.evaluate("one => one.scrollTo(0, one.scrollHeight)")
    page.locator(".feed-item", has_text="message 180").wait_for(state="attached")
    feed.evaluate("one => one.scrollTo(0, 0)")
    page.locator(".feed-item", has_text="message 60").wait_for(state="attached")
    orders = page.locator(".feed-item").all_text_contents()
    numbers = [int(text.split()[-1]) for text in orders]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    page.get_by_role("button", name="Jump to latest").click()
    page.locator(".feed-item", has_text="message 299").wait_for()


def test_a_recent_message_of_a_session_is_marked_in_the_session(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("fill", session=session, count=200)
    page = open_page("phone", f"/sessions/{session}?message=n170")
    assert page.locator(".is-found").inner_text() == "message 170"
    assert page.locator("ct-composer").count() == 1


def test_what_was_found_is_text_and_nothing_else(
    open_page: Callable[..., Any], served: Any
) -> None:
    served.do("kept", cwd="/home/me")
    attack = "<img src=x onerror=alert(1)> <script>alert(2)</script> moon\x1b[31m </mark>"
    message = {"id": 'm"><b>', "role": "user", "content": [{"type": "text", "text": attack}]}
    served.do("remember", name="gemini-0", message=message)
    served.do("add", title="<script>alert(3)</script> moon")
    page = open_page("phone", "/find?q=moon")
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    assert page.locator(".found :is(script, img, b)").count() == 0
    assert "<script>alert(2)</script>" in page.locator(".found-snippet").inner_text()
    page.get_by_role("link", name="Search").click()
    page.get_by_role("combobox", name="Search").fill("moon alert")
    page.get_by_role("option", name="onerror").wait_for()
    assert page.locator(".palette :is(script, img, b)").count() == 0


def test_search_works_without_scripts(client: Any, desk: Any) -> None:
    desk.add(title="The flaky checkout")
    html = client.get("/find?q=flaky").get_data(as_text=True)
    assert "The flaky checkout" in html
    assert "role=" not in html.split('class="found"')[1].split("</main>")[0]
    html = client.get("/find?q=zzz+<b>").get_data(as_text=True)
    assert "Nothing found for “zzz &lt;b&gt;”" in html
    assert client.get('/find?q="&cursor=nonsense').status_code == 200


def test_a_search_that_fails_is_said(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page("desk", expected="503")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("combobox", name="Search").fill("nothing here")
    page.get_by_text("Search did not work").wait_for()


# The filter


@SIZES
def test_the_list_is_narrowed_by_folder_cli_and_state(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    sessions = _sessions(served)
    page = open_page(size)
    page.get_by_label("Filter sessions").click()
    page.get_by_label("Folder").select_option("/home/me/api")
    assert sorted(_titles(page)) == ["Rename the client", "Update all"]
    page.get_by_label("State").select_option("Working")
    assert _titles(page) == ["Update all"]
    page.get_by_label("State").select_option("Needs you")
    assert _titles(page) == []
    page.get_by_text("No sessions match.").wait_for()
    served.do("ask", session=sessions["rename"], form="shell")
    page.locator(f"#session-{sessions['rename']}:visible").wait_for()
    page.goto(f"{served.url}/sessions/{sessions['flaky']}")
    page.goto(served.url)
    page.get_by_text("1 of 4").wait_for()
    page.get_by_role("link", name="Show all").click()
    assert len(_titles(page)) == 4


def test_a_session_that_comes_later_can_be_chosen(
    open_page: Callable[..., Any], served: Any
) -> None:
    _sessions(served)
    page = open_page("desk")
    page.locator("html[data-connection=live]").wait_for()
    served.do("add", adapter="demo", title="New one", cwd="/tmp/new")
    page.locator(".row", has_text="New one").wait_for()
    page.get_by_label("Filter sessions").click()
    page.locator("ct-filter [name=cli]").select_option(label="Demo agent")
    assert _titles(page) == ["New one"]


def test_the_filter_works_without_scripts(client: Any, desk: Any) -> None:
    desk.add("claude", title="Rename the client")
    desk.add("gemini", title="The flaky checkout")
    html = client.get("/?cli=claude").get_data(as_text=True)
    assert "Rename the client" in html
    assert "The flaky checkout" not in html


def test_a_list_of_a_hundred_sessions_is_quick(open_page: Callable[..., Any], served: Any) -> None:
    for number in range(100):
        served.do("add", title=f"Session {number}", cwd=f"/home/me/p{number % 9}")
    page = open_page("phone")
    page.get_by_label("Filter sessions").click()
    page.get_by_label("Folder").select_option("/home/me/p3")
    took = page.evaluate(
        """() => {
          const select = document.querySelector('ct-filter select[name=folder]');
          const times = [];
          for (const value of Array(8).fill(['', '/home/me/p1', '/home/me/p2']).flat()) {
            const start = performance.now();
            select.value = value;
            select.dispatchEvent(new Event('change', { bubbles: true }));
            document.body.offsetHeight;
            times.push(performance.now() - start);
          }
          select.value = '';
          select.dispatchEvent(new Event('change', { bubbles: true }));
          return Math.min(...times);
        }"""
    )
    assert took < 50
    assert len(_titles(page)) == 100


# The archive


def test_an_archived_session_leaves_the_list_is_found_and_comes_back(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = _sessions(served)
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


def test_archiving_is_undone_by_keyboard(open_page: Callable[..., Any], served: Any) -> None:
    sessions = _sessions(served)
    page = open_page("desk")
    page.locator("html[data-connection=live]").wait_for()
    page.locator(f"#session-{sessions['flaky']} .row-link").focus()
    page.keyboard.press("e")
    undo = page.get_by_role("button", name="Undo")
    undo.wait_for()
    _until(page, "document.activeElement.textContent === 'Undo'")
    page.keyboard.press("Enter")
    page.locator(f"#session-{sessions['flaky']}").wait_for()
    _until(page, f"document.activeElement.closest('#session-{sessions['flaky']}') !== null")


def test_the_arrows_go_from_row_to_row(open_page: Callable[..., Any], served: Any) -> None:
    _sessions(served)
    page = open_page("desk")
    page.locator(".row-link").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    at = "[...document.querySelectorAll('.row')].indexOf(document.activeElement.closest('.row'))"
    assert page.evaluate(at) == 1


# Titles in place


@SIZES
def test_a_title_is_changed_where_it_stands(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Old name")
    page = open_page(size, f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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


# Rows that swipe


def test_a_row_swiped_far_to_the_left_is_archived(
    open_page: Callable[..., Any], served: Any
) -> None:
    sessions = _sessions(served)
    page = open_page("phone")
    page.locator("html[data-connection=live]").wait_for()
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
    sessions = _sessions(served)
    page = open_page("phone")
    page.locator("html.js").wait_for()
    page.locator(f"#session-{sessions['rename']}").evaluate(SWIPE, 180)
    page.wait_for_url(f"**/sessions/{sessions['rename']}")


def test_a_finger_that_scrolls_swipes_nothing(open_page: Callable[..., Any], served: Any) -> None:
    sessions = _sessions(served)
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
    _sessions(served)
    page = open_page("phone")
    page.get_by_role("button", name="Archive: The flaky checkout").wait_for(state="attached")
    tree = page.locator("#sessions").aria_snapshot()
    assert 'button "Archive: The flaky checkout"' in tree
    assert "The flaky checkout" in tree
