"""The list of sessions narrowed by folder, CLI and state; how quick a long one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from webdesk.sessions_to_find import add_sessions

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])


def _titles(page: Any) -> list[str]:
    titles: list[str] = page.locator("#sessions .row:visible .row-title").all_inner_texts()
    return titles


@SIZES
def test_the_list_is_narrowed_by_folder_cli_and_state(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    sessions = add_sessions(served)
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
    open_live: Callable[..., Any], served: Any
) -> None:
    add_sessions(served)
    page = open_live("desk")
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
