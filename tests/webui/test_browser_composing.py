"""What is being written: by an input method, and while another device is quicker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser
# What browsers report of a key that belongs to an input method.
INPUT_METHOD = 229


def _compose(page: Any, field: Any) -> None:
    """Begin a word in an input method, and press Enter to choose it."""
    field.focus()
    devtools = page.context.new_cdp_session(page)
    word = {"text": "こん", "selectionStart": 2, "selectionEnd": 2}
    devtools.send("Input.imeSetComposition", word)
    _press_enter(devtools)


def _press_enter(devtools: Any) -> None:
    enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": INPUT_METHOD}
    devtools.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
    devtools.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})


@pytest.mark.parametrize("form", ["single", "several"])
def test_enter_that_chooses_a_word_answers_no_question(
    open_live: Callable[..., Any], served: Any, form: str
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form=form)
    page = open_live("desk", f"/sessions/{session}")
    field = page.locator(f"#prompt-{request} .other-pick .field").first
    _compose(page, field)
    expect(field).to_have_value("こん")
    expect(field).to_be_visible()
    assert served.said() == []
    page.keyboard.insert_text("こん")
    page.keyboard.press("Enter")
    expect(field).to_be_hidden()


def test_enter_that_chooses_a_word_sends_no_message(
    open_live: Callable[..., Any], served: Any
) -> None:
    page = open_live("desk", f"/sessions/{served.do('add')}")
    field = page.locator("#message")
    _compose(page, field)
    # Safari ends the composition before it reports the key.
    page.keyboard.insert_text("こん")
    _press_enter(page.context.new_cdp_session(page))
    expect(field).to_have_value("こん")
    assert served.said() == []
    page.keyboard.press("Enter")
    expect(field).to_have_value("")
    assert [each["text"] for each in served.said()] == ["こん"]


def test_what_is_written_while_another_device_answers_becomes_a_draft(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page, inbox = open_live("phone", f"/sessions/{session}"), open_live("phone")
    page.locator("#message").fill("and the changelog")
    for each, text in ((page, "push to a branch"), (inbox, "not on a Friday")):
        card = each.locator(f"#prompt-{request}")
        card.get_by_text("Say why").click()
        card.locator("[name=reason]").fill(text)
    served.do("answer", prompt=request, device="Tablet")
    # What is being written already stays.
    expect(page.locator("#message")).to_have_value("and the changelog\n\npush to a branch")
    inbox.locator(".toast", has_text="the draft of a message").wait_for()
    inbox.goto(f"{served.url}/sessions/{session}")
    expect(inbox.locator("#message")).to_have_value("not on a Friday")


def test_what_was_sent_or_is_secret_becomes_no_draft(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_live("phone", f"/sessions/{session}")
    card = page.locator(f"#prompt-{request}")
    card.get_by_text("Say why").click()
    card.locator("[name=reason]").fill("not on a Friday")
    card.locator(".choice.deny").click()
    card.locator(".outcome").wait_for()
    expect(page.locator("#message")).to_have_value("")
    secret = served.do("ask", session=session, form="form")
    field = page.locator(f"#prompt-{secret} [type=password]")
    field.evaluate("field => (field.value = 'hunter2')")
    served.do("answer", prompt=secret, device="Tablet")
    page.locator(f"#prompt-{secret} .outcome").wait_for()
    expect(page.locator("#message")).to_have_value("")
    assert "hunter2" not in page.evaluate("JSON.stringify([localStorage, sessionStorage])")


def test_the_reason_of_an_answer_that_came_too_late_becomes_a_draft(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_live("phone", f"/sessions/{session}", expected="409")
    card = page.locator(f"#prompt-{request}")
    card.get_by_text("Say why").click()
    card.locator("[name=reason]").fill("not on a Friday")

    def faster(route: Any) -> None:
        served.do("answer", prompt=request, device="Tablet")
        card.locator(".outcome").wait_for()
        route.continue_()

    page.route("**/answer", faster)
    card.locator(".choice.deny").click()
    expect(page.locator("#message")).to_have_value("not on a Friday")


def test_a_change_of_a_queued_message_that_was_sent_meanwhile_becomes_a_draft(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}", expected="404")
    for text in ("and the changelog", "and the readme"):
        page.locator("#message").fill(text)
        page.get_by_role("button", name="Send", exact=True).click()
        page.locator(".queue-text", has_text=text).wait_for()
    page.locator("#message").fill("thanks")
    page.get_by_text("Edit").first.click()
    # What is filled in is saved when the field is left.
    page.get_by_label("Queued message").first.focus()
    page.keyboard.press("End")
    page.keyboard.type(" of 2.4")
    served.do("take_back", session=session)
    draft = page.locator("#message")
    expect(draft).to_have_value("thanks\n\nand the changelog of 2.4")
    expect(page.get_by_label("Queued message")).to_be_hidden()
    page.get_by_role("button", name="Unsend").click()
    expect(draft).to_have_value("thanks\n\nand the changelog of 2.4\n\nand the readme")


def test_what_is_written_to_a_program_becomes_no_draft(
    open_live: Callable[..., Any], served: Any
) -> None:
    # It takes no messages.
    request = served.do("ask", session=served.do("add", channel="external"), form="text")
    page = open_live("phone")
    page.locator(f"#prompt-{request} [name=text]").fill("my key")
    served.do("elsewhere", prompt=request)
    page.locator(f"#prompt-{request} .outcome", has_text="You were writing: “my key”").wait_for()
    expect(page.locator(".toast")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage).filter((key) => /draft/.test(key))") == []


def test_a_card_that_is_answered_on_another_device_keeps_the_focus(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="text")
    page, other = open_live("desk", f"/sessions/{session}"), open_live("phone")
    card = page.locator(f"#prompt-{request}")
    card.locator("[name=text]").fill("my key")
    served.do("fail", delay=1.5)
    answer = other.locator(f"#prompt-{request}")
    answer.locator("[name=text]").fill("another key")
    answer.get_by_role("button", name="Send answer").click()
    card.get_by_text("Being answered on another device").wait_for()
    expect(card).to_be_focused()
    card.locator(".outcome").wait_for()
    expect(card).to_be_focused()


def test_a_card_that_is_drawn_again_keeps_the_focus_on_the_same_part(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_live("desk", f"/sessions/{session}")
    card = page.locator(f"#prompt-{request}")
    for part in (card.locator(".reason summary"), card.locator(".choice.deny")):
        part.focus()
        card.evaluate("card => (card.dataset.old = '1')")
        served.do("redraw", prompt=request)
        page.locator(f"#prompt-{request}:not([data-old])").wait_for()
        expect(part).to_be_focused()
