"""What a screen reader says: of what arrives, of what came of it, and where the focus is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser
# Everything that the live region for announcements was given, also what has left it again.
LISTEN = """() => {
  window.announced = [];
  const watch = new MutationObserver((changes) => changes.forEach(({ addedNodes }) =>
    addedNodes.forEach((node) => announced.push(node.textContent.trim().replace(/\\s+/g, " ")))));
  watch.observe(document.getElementById("announcer"), { childList: true, subtree: true });
}"""


def _announced(page: Any) -> list[str]:
    announced: list[str] = page.evaluate("announced")
    return announced


def test_what_came_of_an_answer_has_the_focus_and_says_so(
    open_live: Callable[..., Any], served: Any
) -> None:
    request = served.do("ask", session=served.do("add", title="Shop"), form="shell")
    page = open_live("desk")
    page.evaluate(LISTEN)
    card = page.locator(f"#prompt-{request}")
    card.get_by_role("button", name="Allow once").press("Enter")
    outcome = page.get_by_role(
        "listitem", name="You allowed git push --force-with-lease origin main"
    )
    expect(outcome).to_be_focused()
    # The focus says it, so that the live region does not say it again.
    assert _announced(page) == []


def test_each_prompt_and_each_outcome_of_others_is_announced_once(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    page = open_live("desk")
    page.evaluate(LISTEN)
    first, second = (served.do("ask", session=session, form="shell") for _ in range(2))
    page.locator(f"#prompt-{second}").wait_for()
    assert _announced(page) == ["Permission: Run a command? Shop"] * 2
    served.do("answer", prompt=first, device="Pixel 8")
    page.locator(f"#prompt-{first} .outcome").wait_for()
    said = _announced(page)[2:]
    assert said == ["Pixel 8 allowed git push --force-with-lease origin main · Shop"]


def test_a_prompt_of_another_session_is_announced(
    open_live: Callable[..., Any], served: Any
) -> None:
    here, there = (served.do("add", title=title) for title in ("Here", "There"))
    page = open_live("phone", f"/sessions/{here}")
    page.evaluate(LISTEN)
    served.do("ask", session=there, form="shell")
    expect(page.get_by_role("link", name="All sessions 1")).to_be_visible()
    assert _announced(page) == ["Waiting in other sessions: 1"]


def test_the_end_of_a_turn_is_announced_and_a_prompt_in_it_only_as_one(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    working = page.locator("[data-working]")
    working.wait_for()
    page.evaluate(LISTEN)
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()
    expect(working).to_be_hidden()
    assert _announced(page) == ["Permission: Run a command? Shop"]
    served.do("answer", prompt=request, device="Pixel 8")
    expect(working).to_be_visible()
    served.do("state", session=session, state="idle")
    expect(working).to_be_hidden()
    assert _announced(page)[2:] == ["Idle"]


def test_a_closed_terminal_gives_the_focus_back(open_live: Callable[..., Any], served: Any) -> None:
    page = open_live("phone", f"/sessions/{served.do('add')}")
    button = page.get_by_role("button", name="Terminal", exact=True)
    button.press("Enter")
    page.get_by_role("button", name="Fit the width").focus()
    page.keyboard.press("Escape")
    expect(page.locator("ct-session")).to_have_attribute("data-view", "chat")
    expect(button).to_be_focused()


def test_dialogs_and_keys_have_names(open_live: Callable[..., Any], served: Any) -> None:
    page = open_live("desk", f"/sessions/{served.do('add')}?screen=1")
    for key in ("Backspace", "Shift Tab", "Up", "Enter"):
        assert page.get_by_role("button", name=key, exact=True).is_visible()
    terminal = page.get_by_role("group", name="What the terminal shows")
    assert terminal.get_attribute("tabindex") == "0"
    page.get_by_label("Session menu").click()
    page.get_by_role("button", name="End session").click()
    page.get_by_role("dialog", name="End this session?").wait_for()


def test_axe_finds_nothing_serious_where_prompts_were_answered(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("talk", session=session)
    served.do("answered", session=session, count=2)
    page = open_live("desk", f"/sessions/{session}?screen=1")
    page.locator(".outcome").last.wait_for()
    violations = axe.Axe().run(page).response["violations"]
    assert [
        f"{each['id']}: {node['target']}"
        for each in violations
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ] == []


NAMES = """() => [...document.querySelectorAll("main :is(button, a[href], summary, select)")]
  .filter((one) => one.checkVisibility())
  .map((one) => one.ariaLabel ?? one.labels?.[0]?.textContent ?? one.textContent.trim())"""


@pytest.mark.parametrize("path", ["/adopt", "/settings", "session"])
def test_no_two_controls_of_a_page_have_one_name(
    path: str, open_page: Callable[..., Any], fresh: Any
) -> None:
    session = fresh.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}" if path == "session" else path, server=fresh)
    page.locator("html.js").wait_for()
    if path == "session":
        for text in ("Run the tests", "Then commit"):
            page.locator("#message").fill(text)
            page.get_by_role("button", name="Send", exact=True).click()
            page.locator(".queue-text", has_text=text).wait_for()
    names = page.evaluate(NAMES)
    assert sorted(names) == sorted(set(names))
