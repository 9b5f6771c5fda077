"""The CLI's own commands, offered while a message begins with a slash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.browser


def listbox(page: Any) -> Any:
    return page.get_by_role("listbox", name="Commands of Gemini CLI")


def sent(served: Any) -> list[str]:
    return [one["text"] for one in served.said() if one["what"] == "message"]


def test_keys_choose_a_command_and_send_nothing(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page("desk", f"/sessions/{served.do('add')}")
    field, options = page.locator("#message"), listbox(page).get_by_role("option")
    expect(options).to_have_count(0)
    field.press_sequentially("/m")
    expect(options).to_have_count(2)
    expect(listbox(page).get_by_role("option", selected=True)).to_contain_text("/memory show")
    field.press("ArrowDown")
    chosen = listbox(page).get_by_role("option", selected=True)
    expect(chosen).to_contain_text("/model")
    expect(field).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
    field.press("Enter")
    expect(field).to_have_value("/model")
    expect(options).to_have_count(0)
    assert sent(served) == []
    field.press("Enter")
    expect(field).to_have_value("")
    until(lambda: sent(served) == ["/model"])


def test_a_tap_chooses_a_command_and_sends_nothing(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("phone", f"/sessions/{served.do('add')}")
    page.locator("#message").press_sequentially("/")
    option = listbox(page).get_by_role("option", name="/compress")
    box = option.bounding_box()
    assert box["height"] >= 44
    option.tap()
    expect(page.locator("#message")).to_have_value("/compress")
    expect(page.locator("#message")).to_be_focused()
    assert sent(served) == []


@pytest.mark.parametrize("text", ["see /m", "/nothing", "/model gpt"])
def test_what_is_no_beginning_of_a_command_offers_none(
    text: str, open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("desk", f"/sessions/{served.do('add')}")
    page.locator("#message").press_sequentially(text)
    expect(listbox(page).get_by_role("option")).to_have_count(0)
    page.locator("#message").press("Enter")
    expect(page.locator("#message")).to_have_value("")
    assert sent(served) == [text]


def test_escape_puts_the_list_away_and_keeps_the_text(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("desk", f"/sessions/{served.do('add')}")
    field = page.locator("#message")
    field.press_sequentially("/st")
    expect(listbox(page)).to_be_visible()
    field.press("Escape")
    expect(listbox(page)).to_be_hidden()
    expect(field).to_have_value("/st")
    field.press("Enter")
    expect(field).to_have_value("")
    assert sent(served) == ["/st"]
