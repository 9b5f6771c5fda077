"""Keys: from prompt to prompt, in what opens above a page, and on a card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until_script

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser


def test_keys_go_from_prompt_to_prompt_and_show_their_help(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    first, second = (served.do("ask", session=session, form="shell") for _ in range(2))
    page = open_live("desk")
    page.keyboard.press("j")
    expect(page.locator(f"#prompt-{first}")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator(f"#prompt-{second}")).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert served.said() == []
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.locator(f"#prompt-{second} .outcome, #prompt-{first} .outcome").first.wait_for()
    assert len(served.said()) == 1


def test_what_opens_above_a_page_holds_the_focus_and_gives_it_back(
    open_live: Callable[..., Any], whole_chromium: Any, served: Any
) -> None:
    session = served.do("add")
    page = open_live("desk", f"/sessions/{session}", browser=whole_chromium)
    keys = page.keyboard
    stage = page.get_by_role("button", name="Terminal")
    dialog = page.get_by_role("dialog")
    for key, closes in (("?", "Escape"), ("?", "Enter"), ("Control+k", "Escape")):
        stage.focus()
        keys.press(key)
        dialog.wait_for()
        for way in ("Tab", "Tab", "Shift+Tab"):
            keys.press(way)
            assert page.evaluate("document.activeElement.closest('dialog, body').localName") in (
                "dialog",
                "body",  # the browser's own controls
            )
        keys.press(closes)
        dialog.wait_for(state="detached" if key == "?" else "hidden")
        expect(stage).to_be_focused()
    menu, end = page.locator("summary[aria-label='Session menu']"), page.get_by_text("End session")
    for closes in ("Escape", "Enter"):
        menu.focus()
        keys.press("Enter")
        end.wait_for()
        page.get_by_role("button", name="End session").focus()
        keys.press("Enter")
        dialog.wait_for()
        keys.press(closes)
        # It is hidden a moment before it leaves the page.
        page.locator("dialog.confirm").wait_for(state="detached")
        expect(page.get_by_role("button", name="End session")).to_be_focused()
        keys.press("Escape")
        end.wait_for(state="hidden")
        expect(menu).to_be_focused()
    assert served.said() == []


def test_a_link_from_a_notice_leads_to_the_prompt_itself(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("ask", session=session, form="long")
    second = served.do("ask", session=session, form="shell")
    page = open_page("phone", f"/sessions/{session}#prompt-{second}")
    expect(page.locator(f"#prompt-{second}")).to_be_focused()
    expect(page.locator(f"#prompt-{second} .choice").first).to_be_in_viewport()


def test_a_prompt_of_a_session_among_many_is_a_few_tabs_away(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = [served.do("add", title=f"Session {n}") for n in range(20)][7]
    page = open_live("desk", f"/sessions/{session}")
    expect(page.get_by_role("link", name="Skip to what needs you")).to_have_count(0)
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.locator(":focus").get_attribute("value") == "no-suggest-changes":
            break
    else:
        pytest.fail("Deny is further than eight tabs away")
    page.reload()
    page.locator(f"#prompt-{request}").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the conversation")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("ct-feed")).to_be_focused()


def test_enter_on_a_card_sends_what_is_chosen_and_allows_nothing(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk")
    shell = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{shell}").focus()
    page.keyboard.press("Enter")
    assert served.said() == []
    single = served.do("ask", session=session, form="single")
    card = page.locator(f"#prompt-{single}")
    card.get_by_label("SQLite").check()
    card.focus()
    page.keyboard.press("Enter")
    card.locator(".outcome").wait_for()
    assert served.said()[-1]["answers"] == {"0": "SQLite"}


def test_enter_leads_from_question_to_question(open_live: Callable[..., Any], served: Any) -> None:
    """A new question's heading has the focus, not the card."""
    session = served.do("add")
    several = served.do("ask", session=session, form="several")
    page = open_live("desk", f"/sessions/{session}")
    card = page.locator(f"#prompt-{several}")
    page.keyboard.press("j")
    expect(card).to_be_focused()
    for step in range(2):
        expect(card.locator("fieldset.question").nth(step)).to_be_visible()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
    expect(card.locator("fieldset.question").nth(2)).to_be_visible()


def test_a_card_that_was_answered_by_key_keeps_the_focus(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    shell = served.do("ask", session=session, form="shell")
    page = open_live("desk", f"/sessions/{session}")
    card = page.locator(f"#prompt-{shell}")
    page.keyboard.press("j")
    expect(card).to_be_focused()
    page.keyboard.press("d")
    page.locator("[data-into=feed]").locator(card).wait_for()
    expect(card).to_be_focused()


# What has the focus, and whether all of it is seen: nothing clips it, and nothing lies above it.
SEEN = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect();
  const seen = (x, y) => { const top = document.elementFromPoint(x, y); return one.contains(top); };
  const middle = (box.left + box.right) / 2;
  return seen(middle, box.top + 3) && seen(middle, box.bottom - 3);
}"""


@pytest.mark.parametrize(("direction", "text"), [("ltr", "100%"), ("rtl", "100%"), ("rtl", "200%")])
@pytest.mark.parametrize("place", ["/", "/sessions/{}"])
def test_a_form_of_three_questions_is_answered_by_keyboard_alone(
    open_page: Callable[..., Any], served: Any, place: str, direction: str, text: str
) -> None:
    session = served.do("add")
    served.do("talk", session=session)
    several = served.do("ask", session=session, form="several")
    page = open_page("desk", place.format(session))
    page.locator("html[data-connection=live]").wait_for()
    style = (
        "([dir, size]) => { document.dir = dir; document.documentElement.style.fontSize = size }"
    )
    page.evaluate(style, [direction, text])
    keys, card = page.keyboard, page.locator(f"#prompt-{several}")

    def seen(selector: str) -> None:
        expect(card.locator(selector)).to_be_focused()
        until_script(page, SEEN)

    keys.press("j")
    for _ in range(12):
        keys.press("Tab")
        if page.evaluate("document.activeElement.matches('[type=radio]')"):
            break
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("Tab")
    keys.press("Tab")
    seen("[data-next]")
    keys.press("Enter")
    seen("fieldset[data-current] legend")
    keys.press("Tab")
    keys.press("Space")
    for _ in range(3):
        keys.press("Tab")
    keys.press("Tab")
    seen("fieldset[data-current] input.field")
    keys.type("By name, a to d")
    keys.press("Enter")
    seen("fieldset[data-current] legend")
    keys.press("Tab")
    seen("fieldset[data-current] textarea")
    keys.type("Shop")
    keys.press("Control+Enter")
    seen(".summary h3")
    keys.press("Enter")
    card.locator(".outcome").wait_for()
    answers = {"0": "SQLite", "1": ["Login", "By name, a to d"], "2": "Shop"}
    assert served.said()[-1]["answers"] == answers
    expect(card).to_be_focused()
