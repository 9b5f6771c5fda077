"""What the page does while others answer: outcomes in place, failures in sight, nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from feeds import feed_of
from patience import until
from taps import tap

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = pytest.mark.browser


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
    served.write(session, "after")
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


def test_an_outcome_stands_where_it_was_answered(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="loop")
    page = open_page("phone", f"/sessions/{session}")
    served.write(session, "before")
    tap(page.locator(f"#prompt-{request} .choice").first)
    page.locator(f"#prompt-{request} .outcome").wait_for()
    served.write(session, "after")
    page.locator(".feed-item", has_text="after").wait_for()
    page.locator(f"#feed > #prompt-{request}").wait_for()
    content = ["before", "A potential loop was detected", "after"]
    until(lambda: feed_of(page) == content)
    page.reload()
    until(lambda: feed_of(page) == content)


def test_hostile_text_is_only_text(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    session = served.do("add", title="<img src=x onerror=alert(1)>")
    request = served.do("ask", session=session, form="hostile")
    card = page.locator(f"#prompt-{request}")
    card.locator(".choice").first.wait_for()
    assert card.locator("script, img, a[href^=javascript]").count() == 0
    assert "⟦U+202E⟧" in card.locator(".card-body").inner_text()
