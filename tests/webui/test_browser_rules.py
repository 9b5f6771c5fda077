"""Rules on the page: offered on the card, seen as a receipt, undone, tried and added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(90)]
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])
FORM = {
    "type": "permission",
    "title": "Run a command",
    "description": "npm test",
    "toolName": "Bash",
    "toolInput": {"command": "npm test"},
    "options": [
        {"value": "yes", "label": "Yes", "effect": "allow_once"},
        {"value": "no", "label": "No", "effect": "deny"},
    ],
}
DENIES = '[[rule]]\nname = "no-tests"\ndecision = "deny"\ncommands = ["npm test"]\n'


@SIZES
def test_a_rule_is_offered_taken_seen_and_undone(
    served: Any, open_page: Callable[..., Any], size: str, tmp_path: Path
) -> None:
    session = served.do("add", adapter="claude", title="shop")
    served.do("rules", allowed=14)
    page = open_page(size)
    served.do("ask_wire", session=session, form=FORM)
    card = page.locator("ct-prompt")
    offer = card.locator(".offer")
    offer.wait_for()
    assert "You allowed npm test in shop 14 times." in offer.inner_text()
    (tmp_path / f"offer-{size}.png").write_bytes(page.screenshot())
    offer.get_by_role("button").click()
    undo = page.get_by_role("button", name="Undo this rule")
    undo.wait_for()
    line = page.locator(".outcome-line").filter(has_text="allowed")
    assert "The rule npm-test-in-shop allowed npm test" in line.first.inner_text()
    (tmp_path / f"receipt-{size}.png").write_bytes(page.screenshot())
    undo.click()
    undo.wait_for(state="detached")
    page.goto(f"{served.url}/rules")
    page.get_by_text("No rules yet").wait_for()


def test_a_rule_can_be_undone_on_each_of_its_receipts(
    served: Any, open_page: Callable[..., Any]
) -> None:
    session = served.do("add", adapter="claude", title="shop")
    served.do("rules", allowed=14)
    page = open_page("phone")
    for _ in range(2):
        served.do("ask_wire", session=session, form=FORM)
    page.locator(".offer").nth(1).wait_for()
    page.locator(".offer").first.get_by_role("button").click()
    undo = page.get_by_role("button", name="Undo this rule")
    undo.nth(1).wait_for()
    undo.first.click()
    undo.nth(1).wait_for(state="detached")
    undo.click()
    undo.wait_for(state="detached")


def test_a_call_that_was_seldom_allowed_gets_no_offer(
    served: Any, open_page: Callable[..., Any]
) -> None:
    session = served.do("add", adapter="claude", title="shop")
    served.do("rules", allowed=2)
    page = open_page("phone")
    served.do("ask_wire", session=session, form=FORM)
    page.locator("ct-prompt .choice").first.wait_for()
    assert page.locator(".offer").count() == 0


@SIZES
def test_rules_are_tried_added_and_removed_on_their_page(
    served: Any, open_page: Callable[..., Any], size: str, tmp_path: Path
) -> None:
    session = served.do("add", adapter="claude", title="shop")
    served.do("ask_wire", session=session, form=FORM)
    page = open_page(size, "/settings")
    page.get_by_role("link", name="Rules").click()
    page.locator("#new-rules").fill("[[rule")
    page.get_by_role("button", name="Try on past prompts").click()
    page.locator(".problem").wait_for()
    page.locator("#new-rules").fill(DENIES)
    page.get_by_role("button", name="Try on past prompts").click()
    assert "Would deny npm test" in page.locator(".tried").inner_text()
    (tmp_path / f"tried-{size}.png").write_bytes(page.screenshot(full_page=True))
    page.get_by_role("button", name="Add").click()
    row = page.locator("#rule-no-tests")
    assert "Denies" in row.inner_text()
    page.locator("details summary").last.click()
    (tmp_path / f"rules-{size}.png").write_bytes(page.screenshot(full_page=True))
    row.get_by_role("button").click()
    page.locator("dialog [value=yes]").click()
    row.wait_for(state="detached")


def test_broken_rules_are_reported_on_the_page(served: Any, open_page: Callable[..., Any]) -> None:
    served.do("rules", problem="Invalid TOML at line 1", text=DENIES)
    page = open_page("phone", "/rules")
    assert "Rules allow nothing right now" in page.locator(".notice").inner_text()
    assert page.get_by_role("button", name="Remove").count() == 0
