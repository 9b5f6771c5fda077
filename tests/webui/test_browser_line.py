"""The line between page and server: a restart, no network, a phone that slept, many tabs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from feeds import feed_of, scroll_up
from patience import until

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser

EXCHANGE_LAST = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (const item of [...document.querySelectorAll('#feed > *')].slice(-4))
    item.replaceWith(item.cloneNode(true));
  for (let count = 0; count < 4; count += 1) await frame();
}"""
# Safari: its scrolling thread puts the old position back when the room has changed.
MOVED_BY_SAFARI = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  document.querySelector('#prompts > *').remove();
  await frame();
  document.querySelector('ct-feed').scrollTop -= 100;
  for (let count = 0; count < 4; count += 1) await frame();
}"""
BELOW = """(() => {
  const { scrollHeight, scrollTop, clientHeight } = document.querySelector('ct-feed');
  return scrollHeight - scrollTop - clientHeight;
})()"""


def test_the_page_comes_back_after_a_restart_without_a_reload(
    open_page: Callable[..., Any], fresh: Any
) -> None:
    served = fresh
    session = served.do("add", title="Before")
    gone = served.do("ask", session=session, form="shell")
    page = open_page(expected="ERR_", server=fresh, workers="allow")
    page.evaluate("window.same = true")
    # A server that stops while the worker is still being fetched is another story.
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    served.stop()
    page.get_by_text("Reconnecting…").wait_for()
    served.start("e2")
    session = served.do("add", title="After")
    request = served.do("ask", session=session, form="loop")
    page.locator(f"#prompt-{request} .card-title", has_text="loop").wait_for()
    page.locator(".banner").wait_for(state="hidden")
    page.locator(f"#session-{session}", has_text="After").wait_for()
    assert page.locator(f"#prompt-{gone}").count() == (1 if gone == request else 0)
    assert page.evaluate("window.same") is True
    expect(page).to_have_title("(1) ClawTap")


def test_offline_is_said_and_online_goes_on(open_live: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    page = open_live(expected="ERR_")
    page.context.set_offline(True)
    page.get_by_text("Offline.").wait_for()
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.locator(".banner").wait_for(state="hidden")
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()


def test_a_line_that_takes_everything_and_brings_nothing_is_said_to_be_lost(
    open_live: Callable[..., Any], served: Any
) -> None:
    page = open_live("phone", f"/sessions/{served.do('add')}")
    page.route("**/api/events?*", lambda route: None)  # no answer, no error
    page.evaluate("dispatchEvent(new Event('online'))")
    page.get_by_text("Reconnecting…").wait_for()
    page.unroute("**/api/events?*")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.locator("html[data-connection=live]").wait_for()
    page.locator("[data-banner]").wait_for(state="hidden")


def test_what_was_said_while_the_phone_slept_is_there_without_a_reload(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("write", session=session, first=0, last=2)
    page = open_live("phone", f"/sessions/{session}", expected="ERR_")
    for first, last, shown in ((3, 5, range(6)), (6, 99, range(50, 100))):
        page.context.set_offline(True)
        page.get_by_text("Offline.").wait_for()
        served.do("write", session=session, first=first, last=last)
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        page.locator(".feed-item", has_text=f"message {last}").wait_for()
        until(lambda shown=shown: feed_of(page) == [f"message {number}" for number in shown])
    feed = page.locator("ct-feed")
    scroll_up(feed)
    page.locator(".feed-item", has_text="message 49").wait_for(state="attached")
    # Who reads far above the end stays there, however much was said.
    read = page.locator(".feed-item", has_text="message 55")
    read.scroll_into_view_if_needed()
    page.locator("[data-jump]").wait_for()
    page.context.set_offline(True)
    served.do("write", session=session, first=100, last=219)
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    page.locator(".feed-item", has_text="message 219").wait_for(state="attached")
    expect(read).to_be_in_viewport()
    until(lambda: feed_of(page)[-170:] == [f"message {number}" for number in range(50, 220)])
    page.get_by_role("button", name="Jump to latest").click()
    expect(page.locator(".feed-item", has_text="message 219")).to_be_in_viewport()


def test_more_tabs_than_a_browser_has_connections_are_all_live(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    first = open_live("desk")
    tabs = [first]
    hide = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })"
    for _ in range(7):
        tabs[-1].evaluate(hide)
        tabs.append(first.context.new_page())
        tabs[-1].goto(f"{served.url}/sessions/{session}")
        tabs[-1].locator("html[data-connection=live]").wait_for()
    request = served.do("ask", session=session, form="shell")
    tabs[-1].locator(f"#prompt-{request}").wait_for()
    # Whoever comes back to the first tab sees what has happened since.
    first.evaluate("delete document.hidden")
    first.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    first.locator(f"#prompt-{request}").wait_for()


def test_a_tab_that_nobody_sees_counts_what_waits_while_another_one_listens(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    first = open_live("desk", f"/sessions/{session}")
    first.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    second = first.context.new_page()
    second.goto(served.url)
    first.locator("html[data-connection=lost]").wait_for()
    request = served.do("ask", session=session, form="shell")
    expect(first).to_have_title("(1) Shop · ClawTap")
    served.do("answer", prompt=request, device="Pixel 8")
    expect(first).to_have_title("Shop · ClawTap")
    # It has no stream of its own, so the count came from the other tab.
    assert first.evaluate("document.documentElement.dataset.connection") == "lost"


def test_what_was_said_while_the_page_was_on_its_way_is_there(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    # A service worker would fetch the page itself, past the route.
    page = open_page("phone", workers="block")

    def meanwhile(route: Any) -> None:
        response = route.fetch()
        served.do("write", session=session, first=0, last=1)
        route.fulfill(response=response)

    page.route(f"**/sessions/{session}", meanwhile)
    page.goto(f"{served.url}/sessions/{session}")
    page.locator(".feed-item", has_text="message 1").wait_for()
    until(lambda: feed_of(page) == ["message 0", "message 1"])


def test_a_conversation_stays_at_its_end_and_keeps_its_items_when_the_line_comes_back(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    served.do("talk", session=session)
    page = open_live("desk", f"/sessions/{session}")
    page.evaluate("for (const item of document.querySelectorAll('.feed-item')) item.kept = true")
    served.do("write", session=session, first=1, last=1)
    page.evaluate("document.dispatchEvent(new Event('clawtap:live'))")
    page.locator(".feed-item", has_text="message 1").wait_for()
    kept = page.locator(".feed-item").evaluate_all("items => items.map((item) => item.kept)")
    assert kept.count(None) == 1
    page.evaluate(EXCHANGE_LAST)
    assert page.evaluate(BELOW) < 2
    assert page.locator("[data-jump]").is_hidden()


def test_a_conversation_stays_at_its_end_when_a_card_leaves_and_safari_moves_it(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("talk", session=session)
    page = open_live("phone", f"/sessions/{session}")
    served.do("ask", session=session, form="single")
    page.locator("ct-prompt:not(.is-guarded)").wait_for()
    until(lambda: page.evaluate(BELOW) < 2)
    page.evaluate(MOVED_BY_SAFARI)
    assert page.evaluate(BELOW) < 2
    assert page.locator("[data-jump]").is_hidden()
    # A person, later, is taken for one.
    page.wait_for_function(
        "() => ((document.querySelector('ct-feed').scrollTop -= 50), "
        "!document.querySelector('[data-jump]').hidden)"
    )
