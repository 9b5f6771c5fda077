"""Search: messages open their conversation at their place."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from feeds import scroll_up
from patience import until, until_script

from clawtap_core.model import MessageMatch, SnippetPart
from clawtap_core.search.query import parse_query
from webui.viewmodels.search_results import message_hit

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
    scroll_up(feed)
    page.locator(".feed-item", has_text="message 60").wait_for(state="attached")
    orders = page.locator(".feed-item").all_text_contents()
    numbers = [int(text.split()[-1]) for text in orders]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    page.get_by_role("button", name="Jump to latest").click()
    page.locator(".feed-item", has_text="message 299").wait_for()


def test_a_conversation_is_named_once_and_what_it_says_is_plain_text(
    open_page: Callable[..., Any], served: Any
) -> None:
    served.do("kept", cwd="/home/me")
    texts = (
        "The checkout test is flaky on CI",
        "Two **carts** in `checkout`",
        "## The checkout\n\n- [x] runs",
    )
    for number, text in enumerate(texts):
        content = [{"type": "text", "text": text}]
        message = {
            "id": f"m{number}",
            "role": ("user", "assistant")[number > 0],
            "content": content,
        }
        served.do("remember", name="gemini-0", message=message)
    page = open_page("phone", "/find?q=checkout")
    rows = page.locator(".found-row")
    titles = page.locator(".found .row-title:visible")
    assert titles.all_inner_texts() == ["The checkout test is flaky on CI"]
    expect(titles.locator("mark")).to_have_text("checkout")
    said = {"The checkout • runs", "Two carts in checkout", "The checkout test is flaky on CI"}
    assert set(page.locator(".found-snippet").all_inner_texts()) <= said
    assert {text for row in rows.all() for text in row.locator("mark").all_inner_texts()} == {
        "checkout"
    }
    assert not re.search(r"[*`#\[]", page.locator(".found").inner_text())


def test_the_other_end_is_loaded_for_a_reader_who_comes_there_while_one_loads(
    open_page: Callable[..., Any], served: Any
) -> None:
    served.do("kept", cwd="/home/me")
    served.do("recall", name="gemini-0", count=300)
    page = open_page("desk", "/history/gemini/gemini-0?message=n120")
    page.locator(".is-found").wait_for()
    held: list[Any] = []
    page.route("**/*after=*", lambda route: held.append(route))
    feed = page.locator("ct-feed")
    to_end = "one => void one.scrollTo(0, one.scrollHeight)"
    # The first piece may have come before it could be held: the next one is, at its end.
    until(lambda: feed.evaluate(to_end) or page.wait_for_timeout(20) or held)
    scroll_up(feed)
    page.wait_for_timeout(200)
    held[0].continue_()
    page.locator(".feed-item", has_text="message 60").wait_for(state="attached")


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


def test_a_message_of_a_session_opens_the_session() -> None:
    said = (SnippetPart("It is "), SnippetPart("empty", match=True))
    found = MessageMatch(
        "gemini",
        "c1",
        "m/2",
        "assistant",
        datetime.now(timezone.utc),
        "The empty cart",
        None,
        "s1",
        said,
    )
    hit = message_hit(found, "Gemini", parse_query("empty"))
    assert hit.href == "/sessions/s1?message=m%2F2"
    assert [part.text for part in hit.title] == ["The ", "empty", " cart"]
    assert hit.snippet == said


def test_search_works_without_scripts(client: Any, desk: Any) -> None:
    desk.add(title="The flaky checkout")
    html = client.get("/find?q=flaky").get_data(as_text=True)
    assert "The <mark>flaky</mark> checkout" in html
    assert "role=" not in html.split('class="found"')[1].split("</main>")[0]
    html = client.get("/find?q=zzz+<b>").get_data(as_text=True)
    assert "Nothing found for “zzz &lt;b&gt;”" in html
    assert client.get('/find?q="&cursor=nonsense').status_code == 200


def test_a_search_that_fails_is_said(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page("desk", expected="503")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("combobox", name="Search").fill("nothing here")
    page.get_by_text("Search did not work").wait_for()
