"""What a person feels: whether everybody can use it, and what it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from feeds import scroll_up
from patience import until
from taps import tap

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser
THEMES = ("light", "dark")
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])
FORMS = ("shell", "several", "form", "plan", "loop", "unknown", "scrolling", "edit", "cut", "text")
AT_END = (
    "(one => one.scrollHeight - one.scrollTop - one.clientHeight < 60)"
    "(document.querySelector('ct-feed'))"
)
SEEN_IN_DOCK = """field => {
  const [box, dock] = [field, field.closest(".dock")].map((one) => one.getBoundingClientRect());
  return box.top >= dock.top && box.bottom <= Math.min(dock.bottom, innerHeight);
}"""
COLOURS = """part => {
  const { backgroundColor, webkitTextFillColor } = getComputedStyle(part);
  return [backgroundColor, webkitTextFillColor];
}"""


def _serious(page: Any) -> list[tuple[str, str]]:
    found = axe.Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    return [(one["id"], str(node["target"])) for one in serious for node in one["nodes"]]


def _accessible(page: Any, where: str = "", themes: Sequence[str] = THEMES) -> None:
    for theme in themes:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        assert _serious(page) == [], (where, theme)


@SIZES
def test_axe_finds_nothing_serious(size: str, open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="Shop", state="busy")
    for form in FORMS:
        served.do("ask", session=session, form=form)
    calm = served.do("add", title="Calm")
    served.do("talk", session=calm)
    ended = served.do("add", title="Over", state="ended")
    page = open_page(size)
    paths = ("/", f"/sessions/{calm}", f"/sessions/{session}?screen=1", f"/sessions/{ended}")
    rest = ("/new", "/adopt", "/settings", "/journal", "/history", "/offline")
    # A desk shows the same pieces, wider: there the pages that are laid out differently are enough.
    themes, shown = (THEMES, (*paths, *rest)) if size == "phone" else (("dark",), paths)
    for path in shown:
        page.goto(f"{served.url}{path}")
        page.locator("html.js").wait_for()
        _accessible(page, path, themes)


@SIZES
def test_axe_finds_nothing_serious_in_a_composer_with_files_and_commands(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page(size, f"/sessions/{served.do('add')}")
    file = {"name": "shot.png", "mimeType": "image/png", "buffer": b"x"}
    page.get_by_label("Attach files or pictures").set_input_files([file])
    page.locator(".composer .file:not(.is-busy)").wait_for()
    page.locator("#message").press_sequentially("/")
    page.get_by_role("listbox", name="Commands of Gemini CLI").wait_for()
    _accessible(page)


@SIZES
def test_axe_finds_nothing_serious_in_cards_with_time_previews_and_notes(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    for left in (100, 20):  # soon over, and nearly
        served.do("ask", session=session, form="noted", expires=left)
    page = open_page(size, f"/sessions/{session}")
    cards = page.locator("ct-prompt").all()
    for card in cards:
        card.get_by_role("button", name="10 more minutes").wait_for()
        card.locator(".countdown[data-left]").wait_for()
        card.locator(".preview").wait_for()
    # The last one first: a card that grows guards those below it for a moment, which take no tap.
    for card in reversed(cards):
        tap(card.get_by_label("SQLite"))
        card.get_by_text("Add a note").click()
        card.get_by_label("Note: Which database").fill("keep it small")
    _accessible(page)


@SIZES
def test_axe_finds_nothing_serious_where_a_session_is_begun(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page(size, "/new")
    page.get_by_role("radio", name="Claude Code").check()
    page.get_by_text("Options", exact=True).click()
    page.locator("#channel-claude").select_option("protocol")
    _accessible(page)


def test_text_at_twice_its_size_is_whole(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="A session with a long title")
    for form in FORMS:
        served.do("ask", session=session, form=form)
    page = open_page("phone")
    for path in ("/", f"/sessions/{session}", "/new", "/adopt", "/settings", "/journal"):
        page.goto(f"{served.url}{path}")
        page.locator("html.js").wait_for()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        cut = page.evaluate(
            """() => [...document.querySelectorAll(
              '.bar-title, .choice-label, .card-title, .pick-label')]
            .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1
              && getComputedStyle(one).overflow !== 'visible'
              || one.matches('.bar-title') && one.offsetHeight > one.closest('.bar').clientHeight)
            .map((one) => one.textContent)"""
        )
        assert cut == [], path


def test_large_text_of_a_conversation_is_read_on_a_phone(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("talk", session=session)
    page = open_live("phone", f"/sessions/{session}")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    # Chromium looks at the size of text that a script changed when the window changes.
    page.set_viewport_size({"width": 391, "height": 844})
    page.locator("ct-feed").dispatch_event("wheel")  # a person scrolls
    tool = page.locator(".tool-subject").first
    tool.scroll_into_view_if_needed()
    assert tool.bounding_box()["width"] > 220
    jump = page.get_by_role("button", name="Jump to latest")
    jump.wait_for()
    assert jump.bounding_box()["width"] < 100


def test_what_is_written_on_a_phone_on_its_side_is_seen_above_the_keyboard(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("talk", session=session)
    page = open_live("phone", f"/sessions/{session}")
    page.set_viewport_size({"width": 844, "height": 180})
    message = page.locator("#message")
    message.focus()
    assert message.evaluate(SEEN_IN_DOCK)
    served.do("ask", session=session, form="text")
    answer = page.locator("ct-prompt [name=text]")
    answer.focus()
    assert answer.evaluate(SEEN_IN_DOCK)


def test_the_head_of_a_session_cuts_no_word_and_no_number(
    open_page: Callable[..., Any], served: Any
) -> None:
    for _ in range(12):
        served.do("ask", session=served.do("add"), form="shell")
    page = open_page("phone", f"/sessions/{served.do('add', title='A long title of a session')}")
    badge = page.locator("[data-elsewhere]")
    expect(badge).to_have_text("12")
    assert badge.evaluate("one => one.scrollHeight <= one.clientHeight")
    cut = page.locator(".session-head .row-sub").evaluate(
        """line => [...line.children].map((one) => [one, one.getBoundingClientRect()])
        .filter(([, box]) => box.top < line.getBoundingClientRect().bottom - 1
          && box.right > line.getBoundingClientRect().right + 1).map(([one]) => one.textContent)"""
    )
    assert cut == []


def test_nothing_moves_for_those_who_want_no_motion(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page()
    page.emulate_media(reduced_motion="reduce")
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()
    moving = page.evaluate(
        """() => document.getAnimations().filter((one) => one.playState === 'running'
          && one.effect.getComputedTiming().duration > 20).length"""
    )
    assert moving == 0


def test_ten_thousand_messages_scroll(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="Long")
    served.do("fill", session=session, count=10_000)
    page = open_page("phone", f"/sessions/{session}")
    feed = page.locator("ct-feed")
    page.locator(".feed-item", has_text="message 9999").last.wait_for()
    assert page.locator(".feed-item").count() <= 60
    for _ in range(5):
        before = page.locator(".feed-item").count()
        scroll_up(feed)
        grown = f"document.querySelectorAll('.feed-item').length > {before}"
        until(lambda grown=grown: page.evaluate(grown))
    first = page.locator(".feed-item").first.text_content()
    assert first.strip() == "message 9700"
    until(lambda: feed.evaluate("one => one.scrollTop > 100"))
    page.get_by_role("button", name="Latest").click()
    until(lambda: page.evaluate(AT_END))
    served.do("talk", session=session, start="new")
    page.locator(".feed-item", has_text="212 tests").wait_for()
    until(lambda: page.evaluate(AT_END))


def test_who_reads_above_is_not_moved_by_what_comes(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("fill", session=session, count=200)
    page = open_page("phone", f"/sessions/{session}")
    feed = page.locator("ct-feed")
    page.locator(".feed-item", has_text="message 199").last.wait_for()
    feed.dispatch_event("wheel")  # a person scrolls
    feed.evaluate("one => one.scrollTo(0, one.scrollHeight / 2)")
    page.get_by_role("button", name="Latest").wait_for()
    before = feed.evaluate("one => one.scrollTop")
    served.do("talk", session=session)
    page.locator(".feed-item", has_text="212 tests").wait_for(state="attached")
    assert abs(feed.evaluate("one => one.scrollTop") - before) < 2


def test_a_hostile_conversation_runs_nothing(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="</title><script>alert(1)</script>")
    served.do("hostile", session=session)
    page = open_page("phone", f"/sessions/{session}")
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.locator(".feed-item", has_text="the last one").wait_for()
    served.do("hostile", session=session, start="live")
    page.locator(".feed-item", has_text="the last one").nth(1).wait_for()
    inside = page.locator("#feed")
    assert inside.locator("script, img, iframe, style, form, link, object").count() == 0
    assert inside.locator("[onerror], [onclick], [style]").count() == 0
    assert inside.locator("a:not([href^=http]):not([href^=mailto])").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("window.hacked === undefined")


def test_what_is_chosen_is_seen_in_forced_colours(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_live("phone", f"/sessions/{session}")
    page.emulate_media(forced_colors="active")
    framed = "part => getComputedStyle(part).outlineStyle === 'solid'"
    page.locator("#message").fill("/")
    assert page.locator("#commands [aria-selected=true]").evaluate(framed)
    page.locator("#message").fill("")
    page.locator("[data-stage]").click()
    assert page.locator("[data-stage][aria-pressed=true]").evaluate(framed)
    painted = page.locator(".terminal .inverse").first
    until(lambda: len(set(painted.evaluate(COLOURS))) == 2)  # it may be drawn anew meanwhile
    page.keyboard.press("Control+k")
    chosen = page.get_by_role("option", selected=True)
    until(lambda: chosen.evaluate(framed))
    for path, part in (("/settings", ".segments"), ("/history", ".tabs")):
        page.goto(f"{served.url}{path}")
        assert page.locator(f"{part} :is([aria-current], [aria-pressed=true])").evaluate(framed)
