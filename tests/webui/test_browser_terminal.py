"""The terminal beside or over a conversation: a sheet on a phone, a side on a desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

CWD = "/home/me/projects/shop"


def test_the_terminal_is_a_sheet_on_a_phone_and_closed_until_it_is_asked_for(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    served.do("ask", session=session, form="shell")
    phone = open_page("phone", f"/sessions/{session}")
    terminal = phone.locator("pre.terminal")
    expect(terminal).to_be_hidden()
    phone.get_by_role("button", name="Terminal").click()
    until(lambda: phone.locator(".stage").bounding_box()["height"] > 700)
    phone.get_by_role("button", name="Show what needs you").click()
    expect(terminal).to_be_hidden()
    expect(phone.get_by_role("button", name="Allow once")).to_be_in_viewport()


def test_a_reader_at_the_end_of_a_terminal_stays_there_when_keys_take_its_place(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    served.do("paint", session=session, text="\n".join(f"row {row}" for row in range(40)))
    phone = open_page("phone", f"/sessions/{session}")
    phone.get_by_role("button", name="Terminal").click()
    end = "(pre) => pre.scrollHeight - pre.scrollTop - pre.clientHeight"
    terminal = phone.locator("pre.terminal")
    expect(terminal).to_contain_text("row 39")
    before = terminal.bounding_box()["height"]
    phone.get_by_role("button", name="Show the keys").click()
    until(lambda: terminal.bounding_box()["height"] < before)
    until(lambda: terminal.evaluate(end) < 24)
    phone.set_viewport_size({"width": 390, "height": 520})  # as a phone's keyboard does
    until(lambda: terminal.evaluate(end) < 24)
    # The next screen comes before the browser has told of the scroll.
    phone.evaluate("addEventListener('scroll', (event) => event.stopImmediatePropagation(), true)")
    terminal.evaluate("(pre) => pre.scrollTo(0, 10)")
    served.do("paint", session=session, text="\n".join(f"line {row}" for row in range(40)))
    expect(terminal).to_contain_text("line 39")
    assert terminal.evaluate("(pre) => pre.scrollTop") == 10


def test_back_closes_the_terminal_of_a_phone_and_stays_on_the_page(
    open_page: Callable[..., Any], served: Any
) -> None:
    phone = open_page("phone", f"/sessions/{served.do('add', title='shop', cwd=CWD)}")
    button, stage = phone.get_by_role("button", name="Terminal"), phone.locator(".stage")
    for _ in range(2):
        button.click()
        expect(stage).to_be_visible()
        phone.keyboard.press("Escape")  # what Chromium makes of a phone's Back
        expect(stage).to_be_hidden()
    button.click()
    button.click()
    expect(stage).to_be_hidden()
    assert "/sessions/" in phone.url


@pytest.mark.parametrize("across", [200, -500])
def test_the_terminal_of_a_desk_follows_its_handle_and_stays_readable(
    across: int, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    page = open_page("desk", f"/sessions/{session}")
    page.keyboard.press("t")
    stage, terminal = page.locator(".stage"), page.locator("pre.terminal")
    expect(terminal).to_be_visible()
    size = "(pre) => parseFloat(getComputedStyle(pre).fontSize)"
    before, letters = stage.bounding_box(), terminal.evaluate(size)
    x, y = before["x"] + 5, before["y"] + before["height"] - 5
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - across, y, steps=5)
    page.mouse.up()
    grown = stage.bounding_box()["width"] - before["width"]
    assert (grown > 0) == (across > 0)
    assert abs(grown) >= 100
    after = terminal.evaluate(size)
    assert after >= 11
    assert (after > letters) == (across > 0)
    assert page.locator("#message").bounding_box()["width"] > 200


def test_the_terminal_of_a_desk_is_readable_and_shows_its_cursor(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    page = open_page("desk", f"/sessions/{session}")
    expect(page.locator("pre.terminal")).to_be_hidden()
    page.keyboard.press("t")
    terminal = page.locator("pre.terminal")
    expect(terminal).to_be_visible()
    expect(page.locator("#message")).to_be_visible()
    assert terminal.evaluate("(pre) => parseFloat(getComputedStyle(pre).fontSize)") >= 11
    assert (
        page.locator(".stage").evaluate("(part) => getComputedStyle(part).resize") == "horizontal"
    )
    page.set_viewport_size({"width": 1700, "height": 900})
    page.reload()
    expect(terminal).to_be_visible()
