"""A session that reached its usage limit, as the page shows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
ENDS = r"resets at .*\d:\d\d.* \(in 4[123] min\)"


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_limit_shows_its_end_and_is_resumed_by_choice(
    served: Any, open_page: Callable[..., Any], size: str
) -> None:
    session = served.do("add", title="shop")
    page = open_page(size, f"/sessions/{session}")
    served.do("limit", session=session, minutes=42)
    state = page.locator(f"#head-{session} .state")
    expect(state).to_have_text(re.compile(rf"^Limit reached.*{ENDS}$"))
    notice = page.locator(f"#over-{session}")
    expect(notice).to_contain_text(re.compile(rf"{ENDS}\. Messages wait until then"))
    notice.get_by_label("Message to resume with").fill("please go on")
    notice.get_by_role("button", name=re.compile(r"^Resume at .*\d:\d\d")).click()
    expect(notice).to_contain_text("with “please go on”")
    notice.get_by_role("button", name="Cancel").click()
    expect(notice.get_by_role("button", name=re.compile("^Resume at"))).to_be_visible()
    notice.get_by_role("button", name="Ignore limit").click()
    expect(state).to_have_text("Idle")
    expect(notice).to_be_hidden()
    expect(page.get_by_placeholder(re.compile("^Message "))).to_be_visible()


def test_the_list_says_until_when_a_session_is_limited(
    served: Any, open_page: Callable[..., Any]
) -> None:
    session = served.do("add", title="shop")
    served.do("limit", session=session, minutes=42)
    page = open_page("phone")
    state = page.locator(f"#session-{session} .state")
    expect(state).to_have_text(re.compile(r"^Limited until .*\d:\d\d"))


def test_a_limit_without_an_end_offers_no_resume(
    served: Any, open_page: Callable[..., Any]
) -> None:
    session = served.do("add", title="shop")
    served.do("limit", session=session)
    page = open_page("phone", f"/sessions/{session}")
    notice = page.locator(f"#over-{session}")
    expect(notice).to_contain_text("does not say when it resets")
    expect(notice.get_by_role("button", name=re.compile("^Resume"))).to_have_count(0)
