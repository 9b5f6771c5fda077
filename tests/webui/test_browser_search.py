"""Search: messages open their conversation at their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until_script

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


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
    until_script(
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
    page.keyboard.press("Control+k")
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
