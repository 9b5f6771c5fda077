"""Every form of a prompt is answered in a real browser, on a phone and on a desk."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from patience import until
from taps import tap

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser
OPENCODE = Path(__file__).parents[2] / "plugins/clawtap-opencode/tests/recordings/1.18.33"
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])


def _tap(card: Any, name: str) -> None:
    tap(card.locator(".choice", has_text=name).last)


def _shell(card: Any) -> None:
    _tap(card, "Allow once")


def _always(card: Any) -> None:
    _tap(card, "Allow for this session")


def _deny(card: Any) -> None:
    _tap(card, "No, suggest changes")


def _deny_with_reason(card: Any) -> None:
    card.locator("summary").click()
    card.locator("[name=reason]").fill("not on a Friday")
    _deny(card)


def _single(card: Any) -> None:
    tap(card.get_by_label("SQLite"))
    _tap(card, "Submit answer")


def _noted(card: Any) -> None:
    tap(card.get_by_label("SQLite"))
    card.get_by_text("Add a note").click()
    card.get_by_label("Note: Which database").fill("keep it small")
    _tap(card, "Submit answer")


def _other(card: Any) -> None:
    card.get_by_placeholder("Your own answer").fill("DuckDB")
    _tap(card, "Submit answer")


def _multi(card: Any) -> None:
    tap(card.get_by_label("Login"))
    tap(card.get_by_label("Export"))
    card.get_by_placeholder("Your own answer").fill("Import")
    _tap(card, "Submit answer")


def _several(card: Any) -> None:
    tap(card.get_by_label("PostgreSQL"))
    _tap(card, "Next")
    tap(card.get_by_label("Search"))
    _tap(card, "Next")
    card.locator("[name=q2-other]").fill("shop")
    _tap(card, "Review")
    assert card.locator("[data-summary]").inner_text().split("\n")[1:] == [
        *("Database", "PostgreSQL", "Features", "Search", "Name", "shop"),
    ]
    _tap(card, "Submit answers")


def _form(card: Any) -> None:
    card.locator("[name=q0-other]").fill("me@example.org")
    _tap(card, "Next")
    card.locator("[name=q1-other]").fill("3")
    _tap(card, "Next")
    tap(card.get_by_label("Yes", exact=True))
    _tap(card, "Next")
    card.locator("[name=q3-other]").fill("hunter2")
    _tap(card, "Next")
    _tap(card, "Review")
    assert "hunter2" not in card.inner_text()
    _tap(card, "Accept")


def _decline(card: Any) -> None:
    _tap(card, "Decline")


def _plan(card: Any) -> None:
    # On a desk there is room for all of it.
    if (cut := card.get_by_role("button", name="Show all")).count():
        cut.first.click()
    _tap(card, "Yes, manually accept edits")


def _feedback(card: Any) -> None:
    # A phone has no room for the field and the plan at once.
    for more in card.locator(".more-answers > summary:visible").all():
        more.click()
    card.locator("[name=text]").fill("1 more thing:\nlog out everywhere")
    _tap(card, "Send feedback")


def _loop(card: Any) -> None:
    _tap(card, "Disable loop detection")


def _text(card: Any) -> None:
    card.locator("[name=text]").fill("prod-key")
    _tap(card, "Send answer")


KEYS = {
    "a": "allow-once",
    "d": "no-suggest-changes",
    "2": "allow-for-this-session",
    "Shift+Enter": "allow-for-this-session",
}
CASES = [
    ("shell", _shell, {"selectedOption": "allow-once"}, "Allow once"),
    ("long", _deny, {"selectedOption": "no-suggest-changes"}, "Denied"),
    ("edit", _always, {"selectedOption": "allow-for-this-session"}, "Allow for this session"),
    (
        "mcp",
        _deny_with_reason,
        {"selectedOption": "no-suggest-changes", "reason": "not on a Friday"},
        "not on a Friday",
    ),
    ("single", _single, {"answers": {"0": "SQLite"}}, "SQLite"),
    (
        "noted",
        _noted,
        {"answers": {"0": "SQLite"}, "notes": {"0": "keep it small"}},
        "SQLite · “keep it small”",
    ),
    ("positioned", _other, {"answers": {"0": "DuckDB"}}, "DuckDB"),
    ("multi", _multi, {"answers": {"0": ["Login", "Export", "Import"]}}, "Login, Export, Import"),
    ("several", _several, {"answers": {"0": "PostgreSQL", "1": ["Search"], "2": "shop"}}, "shop"),
    (
        "form",
        _form,
        {"answers": {"0": "me@example.org", "1": "3", "2": "true"}},
        "me@example.org",
    ),
    ("form", _decline, {"selectedOption": "decline"}, "Denied"),
    ("plan", _plan, {"selectedOption": "yes-manual"}, "Yes, manually accept edits"),
    ("plan", _feedback, {"textValue": "1 more thing:\nlog out everywhere"}, "log out everywhere"),
    ("loop", _loop, {"selectedOption": "disable"}, "Disable loop detection"),
    ("text", _text, {"textValue": "prod-key"}, "prod-key"),
]


@SIZES
def test_every_form_is_answered_in_place(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    page = open_page(size)
    for form, answer, expected, shown in CASES:
        request = served.do("ask", session=session, form=form)
        card = page.locator(f"#prompt-{request}")
        card.locator(".card-title").wait_for()
        _unguarded(page, request)
        until(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
        answer(card)
        card.locator(".outcome").wait_for()
        assert shown in card.inner_text(), form
        said = served.said()[-1]
        given = {
            key: said[key]
            for key in ("selectedOption", "textValue", "reason", "answers", "notes")
            if said.get(key)
        }
        given.get("answers", {}).pop("3", None)
        assert given == expected, form
        assert "Chrome" in said["device"]


@SIZES
def test_an_unknown_prompt_is_answered_with_keys(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="unknown")
    page = open_page(size)
    card = page.locator(f"#prompt-{request}")
    card.locator("pre.terminal").wait_for()
    tap(card.get_by_role("button", name="Down"))
    card.get_by_text("you pressed Down").wait_for()
    assert served.said()[-1] == {
        "what": "keys", "device": served.said()[-1]["device"], "keys": ["Down"], "text": ""
    }  # fmt: skip


def test_the_chosen_row_of_an_unknown_prompt_is_in_sight_on_a_low_screen(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    rows = [f"  {number}. Option {number}" for number in range(1, 21)]
    rows[4] = "❯ 5. Option 5"
    served.do("paint", session=session, text="\n".join([*rows, "", "Enter to select"]))
    served.do("ask", session=session, form="unknown")
    page = open_page("phone", f"/sessions/{session}")
    page.set_viewport_size({"width": 568, "height": 320})
    page.reload()
    shown = page.locator("ct-prompt pre.terminal")
    until(lambda: 1 <= shown.evaluate("(pre) => 4 - pre.scrollTop * 22 / pre.scrollHeight") <= 4)


def test_a_dialog_that_marks_its_button_by_a_bright_ground_is_in_sight(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    text = (OPENCODE / "bash-under-help-120x40.ansi").read_text(encoding="utf-8")
    facts = {"cols": 120, "rows": 40, "alternate": True, "cursor_visible": False}
    served.do("paint", session=session, text=text, **facts)
    served.do("ask", session=session, form="unknown")
    page = open_page("phone", f"/sessions/{session}")
    shown = page.locator("ct-prompt pre.terminal")
    # Its words stand in the rows from 11 to 17, counted from 0.
    rows = "(pre) => [0, pre.clientHeight].map((y) => (pre.scrollTop + y) * 40 / pre.scrollHeight)"
    until(lambda: (seen := shown.evaluate(rows))[0] <= 11 and seen[1] >= 18)


def test_hidden_options_are_shown_on_request(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="scrolling")
    page = open_page()
    card = page.locator(f"#prompt-{request}")
    _tap(card, "Show all options")
    _tap(card, "Nano")
    card.locator(".outcome").wait_for()
    assert served.said()[-1]["selectedOption"] == "nano"


def test_a_long_path_makes_no_card_wider_than_its_screen(
    open_page: Callable[..., Any], served: Any
) -> None:
    request = served.do("ask", session=served.do("add"), form="single")
    card = open_page().locator(f"#prompt-{request}")
    label = card.locator(".pick-label").first
    label.evaluate("(label) => { label.textContent = '/a_long_name'.repeat(20); }")
    within = "(label) => label.getBoundingClientRect().right < innerWidth"
    assert label.evaluate(within)
    assert card.locator("input.field").first.evaluate(within)


def test_an_address_in_an_option_does_not_cover_the_word_beside_it(
    open_page: Callable[..., Any], served: Any
) -> None:
    label = 'Yes, and approve all URLs from "https://example.com" permanently'
    options = [{"value": "yes", "label": label, "effect": "allow_always"}]
    form = {"type": "permission", "title": "Fetch it?", "options": options}
    request = served.do("ask_wire", session=served.do("add"), form=form)
    choice = open_page().locator(f"#prompt-{request} .choice")
    choice.locator(".choice-word").evaluate("(word) => { word.textContent = 'This session'; }")
    widths = "(label) => [label.scrollWidth, label.clientWidth]"
    wide, room = choice.locator(".choice-label").evaluate(widths)
    assert wide <= room


def test_a_half_done_answer_outlives_a_reload_but_no_secret_is_stored(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="form")
    page = open_page()
    card = page.locator(f"#prompt-{request}")
    _unguarded(page, request)
    answers = {"q0-other": "me@example.org", "q1-other": "3"}
    for name, value in answers.items():
        card.locator(f"[name={name}]").fill(value)
        _tap(card, "Next")
    tap(card.get_by_label("Yes", exact=True))
    _tap(card, "Next")
    card.locator("[name=q3-other]").fill("hunter2")
    # Reloaded, on the page of its session, and back.
    for path in ("/", f"/sessions/{session}", "/"):
        page.goto(f"{served.url}{path}")
        for name, value in answers.items():
            expect(card.locator(f"[name={name}]")).to_have_value(value)
        expect(card.locator("[name=q2][value=true]")).to_be_checked()
        expect(card.locator("[name=q3-other]")).to_be_visible()
        expect(card.locator("[name=q3-other]")).to_have_value("")
    served.do("elsewhere", prompt=request)
    card.locator(".outcome").wait_for()
    assert request not in page.evaluate("Object.keys(sessionStorage).join()")


def test_nothing_is_sent_before_every_question_has_an_answer(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="several")
    page = open_page()
    card = page.locator(f"#prompt-{request}")
    next_step = card.locator("[data-next]")
    expect(next_step).to_be_disabled()
    card.locator("[data-other]").first.check()
    expect(next_step).to_be_disabled()
    tap(card.get_by_label("SQLite"))
    next_step.click()
    tap(card.locator("[data-back]"))
    expect(card.get_by_label("SQLite")).to_be_checked()


def test_a_tap_beside_or_the_escape_key_never_answers(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_page("desk")
    page.mouse.click(5, 400)
    card = page.locator(f"#prompt-{request}")
    card.locator("pre").click()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    assert served.said() == []


def test_keys_answer_while_the_card_has_the_focus(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk")
    for key, value in KEYS.items():
        request = served.do("ask", session=session, form="shell")
        card = page.locator(f"#prompt-{request}")
        card.locator(".card-title").wait_for()
        card.focus()
        page.keyboard.press(key)
        card.locator(".outcome").wait_for()
        assert served.said()[-1]["selectedOption"] == value


def test_a_card_that_was_answered_by_its_button_keeps_the_focus(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_page("desk", f"/sessions/{session}")
    _unguarded(page, request)
    page.locator(f"#prompt-{request} .choice.deny").last.focus()
    page.keyboard.press("Enter")
    card = page.locator(f"#prompt-{request}:has(.outcome)")
    expect(card).to_be_focused()
    expect(page.locator(f".feed #prompt-{request}")).to_be_focused()


def test_enter_in_a_text_never_approves(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_page("desk")
    card = page.locator(f"#prompt-{request}")
    card.locator("summary").click()
    card.locator("[name=reason]").fill("no")
    card.locator("[name=reason]").press("Enter")
    assert served.said() == []
    card.locator("[name=reason]").press("Control+Enter")
    card.locator(".outcome").wait_for()
    assert served.said()[-1]["selectedOption"] == "no-suggest-changes"


def _unguarded(page: Any, request: str) -> None:
    page.locator(f"#prompt-{request}:not(.is-guarded)").wait_for()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_card_says_what_the_default_will_answer_and_that_it_did(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    advice = {"expires": 600, "default": "Allow once"}
    request = served.do("ask", session=served.do("add"), form="shell", **advice)
    page = open_page(size)
    card = page.locator(f"#prompt-{request}")
    expect(card.locator(".countdown")).to_have_text(re.compile(r"Answers Allow once in \d+:\d\d"))
    card.get_by_role("button", name="10 more minutes").wait_for()
    served.do("default", prompt=request)
    outcome = card.locator(".outcome")
    expect(outcome).to_contain_text("Answered by default")
    expect(outcome).to_contain_text("Nobody answered within 10 minutes")


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_prompt_is_given_ten_more_minutes(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    request = served.do("ask", session=served.do("add"), form="shell", expires=90)
    page = open_page(size)
    card = page.locator(f"#prompt-{request}")
    card.get_by_text("left to answer").wait_for()
    more = card.get_by_role("button", name="10 more minutes")
    assert more.bounding_box()["height"] >= 44
    more.click()
    card.get_by_text("11:").wait_for()
    assert 680 < served.said()[-1]["seconds"] <= 690
    expect(card).to_have_attribute("data-state", "pending")
    tap(page.locator(f"#prompt-{request} .choice.allow-once"))
    card.locator(".outcome").wait_for()
