"""What the page does while things happen: arrivals, other devices, failures, lost connections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from patience import until
from taps import tap

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser


# A guard ends by itself, so what was guarded once is noted.
GUARDED = """() => {
  window.guarded = new Set();
  new MutationObserver(() => document.querySelectorAll(".is-guarded").forEach(
    (card) => window.guarded.add(card.id)
  )).observe(document.body, { subtree: true, childList: true, attributeFilter: ["class"] });
}"""


EXCHANGE_LAST = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (const item of [...document.querySelectorAll('#feed > *')].slice(-4))
    item.replaceWith(item.cloneNode(true));
  for (let count = 0; count < 4; count += 1) await frame();
}"""
BELOW = """(() => {
  const { scrollHeight, scrollTop, clientHeight } = document.querySelector('ct-feed');
  return scrollHeight - scrollTop - clientHeight;
})()"""


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


def test_a_redraw_keeps_what_is_typed_and_where(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="several")
    page = open_page()
    card = page.locator(f"#prompt-{request}")
    tap(card.get_by_label("MongoDB"))
    tap(card.locator("[data-next]"))
    tap(card.get_by_label("Search"))
    field = card.locator("[name=q1-other]")
    field.fill("Impor")
    page.evaluate(f"document.getElementById('prompt-{request}').dataset.old = '1'")
    served.do("redraw", prompt=request)
    page.locator(f"#prompt-{request}:not([data-old])").wait_for()
    page.keyboard.type("t")
    expect(field).to_have_value("Import")
    expect(card.get_by_label("Search")).to_be_checked()
    tap(card.locator("[data-back]"))
    expect(card.get_by_label("MongoDB")).to_be_checked()


def test_what_did_not_change_is_not_replaced(open_live: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="Before")
    page = open_live("desk", f"/sessions/{session}")
    head = page.locator(".session-head")
    head.evaluate("one => one.kept = true")
    served.do("state", session=session, state="idle")
    _say(served, session, "after")
    page.locator(".feed-item", has_text="after").wait_for()
    assert head.evaluate("one => one.kept")
    served.do("state", session=session, state="busy")
    page.locator(".session-head[data-state=busy]").wait_for()


def test_of_two_browsers_one_wins_and_the_other_sees_who(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    phone, desk = open_page("phone", expected="409"), open_page("desk", expected="409")
    tap(phone.locator(f"#prompt-{request} .allow-once"))
    outcome = desk.locator(f"#prompt-{request} .outcome")
    expect(outcome).to_contain_text("Allow once")
    expect(outcome).to_contain_text("Answered from Chrome")
    expect(desk).to_have_title("ClawTap")
    assert len(served.said()) == 1


def test_a_late_answer_is_refused_in_words(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    served.do("fail", delay=2.0)
    phone, desk = open_page("phone"), open_page("desk", expected="409")
    # The slower device still shows the card as it was.
    desk.evaluate("document.querySelector('ct-stream').remove()")
    tap(phone.locator(f"#prompt-{request} .allow-once"))
    phone.locator(f"#prompt-{request}.is-submitting .is-busy").wait_for()
    tap(desk.locator(f"#prompt-{request} .deny"))
    desk.get_by_text("This prompt was answered already").wait_for()
    phone.locator(f"#prompt-{request} .outcome").wait_for()


def test_an_answer_at_the_desk_becomes_an_outcome(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page()
    for outcome, by, words in (
        ("answered_elsewhere", "someone", "Answered at the desk"),
        ("answered_elsewhere", "unknown", "No longer waiting"),
        ("expired", "someone", "Expired: nobody answered in time"),
        ("cancelled", "someone", "Withdrawn"),
    ):
        request = served.do("ask", session=session, form="shell")
        page.locator(f"#prompt-{request} .card-title").wait_for()
        served.do("elsewhere", prompt=request, outcome=outcome, by=by)
        outcome = page.locator(f"#prompt-{request} .outcome")
        outcome.wait_for()
        assert words in outcome.inner_text()


def test_a_failure_is_in_sight_where_the_button_was(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    labels = (f"Yes, and don't ask again for anything in folder {n} of this shop" for n in range(6))
    options = [{"value": label, "label": label, "effect": "allow_always"} for label in labels]
    deny = {"value": "no", "label": "No", "effect": "deny"}
    form = {"type": "permission", "title": "Run it?", "options": [*options, deny]}
    request = served.do("ask_wire", session=session, form=form)
    page = open_page(path=f"/sessions/{session}", expected="422")
    served.do("fail", code="impossible")
    card = page.locator(f"#prompt-{request}:not(.is-guarded)")
    card.locator(".choice.deny").evaluate("(deny) => deny.scrollIntoView({ block: 'end' })")
    card.locator(".choice.deny").tap()
    expect(card.get_by_text("This answer cannot be given")).to_be_in_viewport(ratio=1)
    served.do("fail")


def test_a_failure_keeps_the_input_and_says_why(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="plan")
    page = open_page(expected="422")
    served.do("fail", code="impossible")
    card = page.locator(f"#prompt-{request}")
    card.locator(".more-answers > summary").click()
    card.locator("[name=text]").fill("smaller steps")
    tap(card.get_by_role("button", name="Send feedback"))
    card.get_by_text("This answer cannot be given").wait_for()
    expect(card.locator("[name=text]")).to_have_value("smaller steps")
    served.do("fail")
    tap(card.get_by_role("button", name="Send feedback"))
    card.locator(".outcome").wait_for()


def test_an_answer_that_was_not_confirmed_says_so(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="plan")
    page = open_page(expected="502")
    served.do("fail", code="not_confirmed")
    card = page.locator(f"#prompt-{request}")
    card.locator(".more-answers > summary").click()
    card.locator("[name=text]").fill("smaller steps")
    tap(card.get_by_role("button", name="Send feedback"))
    card.locator(".outcome.failed").wait_for()
    assert "Not confirmed" in card.inner_text()
    assert "smaller steps" in card.inner_text()


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


def _said(page: Any) -> list[str]:
    """What the feed shows, in its order: the titles of outcomes, the texts of messages."""
    shown = "#feed > ct-prompt .outcome-title, #feed > .feed-item"
    return [text.strip() for text in page.locator(shown).all_text_contents()]


def _say(served: Any, session: str, text: str) -> None:
    """The CLI says something now."""
    at = datetime.now(timezone.utc).isoformat()
    content = [{"type": "text", "text": text}]
    message = {"id": text, "role": "assistant", "content": content, "at": at}
    served.do("say", session=session, message=message)


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
        until(lambda shown=shown: _said(page) == [f"message {number}" for number in shown])
    feed = page.locator("ct-feed")
    feed.evaluate("one => one.scrollTo(0, 0)")
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
    until(lambda: _said(page)[-170:] == [f"message {number}" for number in range(50, 220)])
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
    until(lambda: _said(page) == ["message 0", "message 1"])


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


def test_an_outcome_stands_where_it_was_answered(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="loop")
    page = open_page("phone", f"/sessions/{session}")
    _say(served, session, "before")
    tap(page.locator(f"#prompt-{request} .choice").first)
    page.locator(f"#prompt-{request} .outcome").wait_for()
    _say(served, session, "after")
    page.locator(".feed-item", has_text="after").wait_for()
    page.locator(f"#feed > #prompt-{request}").wait_for()
    content = ["before", "A potential loop was detected", "after"]
    until(lambda: _said(page) == content)
    page.reload()
    until(lambda: _said(page) == content)


def test_hostile_text_is_only_text(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    session = served.do("add", title="<img src=x onerror=alert(1)>")
    request = served.do("ask", session=session, form="hostile")
    card = page.locator(f"#prompt-{request}")
    card.locator(".choice").first.wait_for()
    assert card.locator("script, img, a[href^=javascript]").count() == 0
    assert "⟦U+202E⟧" in card.locator(".card-body").inner_text()
