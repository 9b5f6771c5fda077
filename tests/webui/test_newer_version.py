"""A session whose CLI is newer than what was proved says so, and offers to check it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from webdesk.desk import Desk

from clawtap_core.model import CheckState
from webui.rendering.renderer import Renderer

NEWER = "0.62.0"
LATE = [("permission allowed", "ok", "read"), ("question", "unfinished", "it was still busy")]
STEPS = [("permission allowed", "ok", "read"), ("question", "failed", "it was <b>not</b> read")]


def test_a_newer_version_is_named_with_the_last_one_that_was_tested(
    desk: Desk, renderer: Renderer
) -> None:
    html = str(renderer.over(desk.add(cli_version="0.62.0")))
    assert "Gemini CLI 0.62.0 is new to ClawTap" in html
    assert "tested up to 0.61.0" in html
    assert "A check takes about a minute" in html


@pytest.mark.parametrize("version", [None, "0.61.0", "0.50.1", "0.20.0"])
def test_other_versions_say_nothing(desk: Desk, renderer: Renderer, version: str | None) -> None:
    assert "new to ClawTap" not in str(renderer.over(desk.add(cli_version=version)))


def test_no_check_is_named_that_there_is_not(desk: Desk, renderer: Renderer) -> None:
    html = str(renderer.over(desk.add("claude", cli_version="9.0.0")))
    assert "Claude Code 9.0.0 is new to ClawTap" in html
    assert "comes with its screen" in html
    assert "/check" not in html


def test_the_words_of_a_version_are_escaped(desk: Desk, renderer: Renderer) -> None:
    assert "<b>" not in str(renderer.over(desk.add(cli_version="9.0.0<b>")))


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_the_page_of_the_session_shows_it_above_the_composer(
    served: Any, open_page: Callable[..., Any], size: str
) -> None:
    from playwright.sync_api import expect

    session = served.do("add", title="shop", cli_version="0.62.0")
    page = open_page(size, f"/sessions/{session}")
    expect(page.locator(f"#over-{session}")).to_contain_text("is new to ClawTap")
    expect(page.get_by_placeholder(re.compile("^Message "))).to_be_visible()


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ({"state": "running"}, "Checking it"),
        ({"state": "passed", "steps": STEPS[:1]}, "It works: all 1 steps of the check passed"),
        ({"state": "failed", "steps": STEPS}, "1 of 2 steps of the check failed"),
        ({"state": "failed", "steps": STEPS}, "Question: it was &lt;b&gt;not&lt;/b&gt; read"),
        ({"state": "failed"}, "Nothing could be checked"),
        ({"state": "unfinished", "steps": LATE, "seconds": 90}, "was not finished within 90 s"),
        ({"state": "unfinished", "steps": LATE, "seconds": 90}, "1 of 2 steps passed"),
        ({"state": "unfinished", "steps": LATE, "seconds": 90}, "Question: it was still busy"),
        ({"state": "unfinished", "steps": LATE, "seconds": 90}, "the next one takes up to 180 s"),
        ({"state": "unfinished", "steps": LATE, "seconds": 600}, "not finished within 600 s"),
        ({"state": "failed", "steps": [*STEPS, *LATE[1:]], "seconds": 90}, "1 of 3 steps"),
        ({"state": "broken", "error": "tmux was not found"}, "did not work: Tmux was not found"),
    ],
)
def test_what_a_check_of_the_version_found_is_shown(
    desk: Desk, renderer: Renderer, found: dict[str, Any], shown: str
) -> None:
    desk.check("gemini", **found, version=None if found["state"] == "running" else NEWER)
    assert shown in str(renderer.over(desk.add(cli_version=NEWER)))


def test_a_check_of_another_version_says_nothing_of_this_one(
    desk: Desk, renderer: Renderer
) -> None:
    desk.check("gemini", CheckState.PASSED, STEPS[:1], version="0.61.5")
    html = str(renderer.over(desk.add(cli_version=NEWER)))
    assert "It works" not in html
    assert "A check takes about a minute" in html


def test_a_version_that_passed_a_while_ago_is_no_news(desk: Desk, renderer: Renderer) -> None:
    desk.check("gemini", CheckState.PASSED, STEPS[:1], version=NEWER)
    found = desk.checks["gemini"]
    desk.checks["gemini"] = replace(found, began_at=found.began_at - timedelta(minutes=11))
    assert "new to ClawTap" not in str(renderer.over(desk.add(cli_version=NEWER)))


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_session_has_its_cli_checked(
    served: Any, open_page: Callable[..., Any], size: str
) -> None:
    from playwright.sync_api import expect

    session = served.do("add", title="shop", cli_version=NEWER)
    page = open_page(size, f"/sessions/{session}")
    notice = page.locator(f"#over-{session}")
    notice.get_by_role("button", name="Check it").click()
    expect(notice).to_contain_text(re.compile(r"Checking it, 0:\d\d"))
    expect(notice.get_by_role("button")).to_have_count(0)
    served.do("check", adapter="gemini", state="failed", steps=STEPS, version=NEWER)
    expect(notice).to_contain_text("1 of 2 steps of the check failed, just now.")
    notice.get_by_role("button", name="Check again").click()
    expect(notice).to_contain_text("Checking it")
    served.do("check", adapter="gemini", state="passed", steps=STEPS[:1], version=NEWER)
    expect(notice).to_contain_text("It works")


def test_the_settings_check_a_cli(served: Any, open_page: Callable[..., Any]) -> None:
    from playwright.sync_api import expect

    page = open_page("phone", "/settings")
    row = page.locator("#cli-gemini")
    expect(page.locator("#cli-claude").get_by_role("button")).to_have_count(0)
    row.get_by_role("button", name="Check").click()
    expect(row).to_contain_text("Checking it")
    served.do("check", adapter="gemini", state="broken", error="tmux was not found")
    expect(row).to_contain_text("The check of just now did not work: Tmux was not found")


def test_a_second_check_meanwhile_is_refused_in_words(
    served: Any, open_page: Callable[..., Any]
) -> None:
    from playwright.sync_api import expect

    session = served.do("add", title="shop", cli_version=NEWER)
    page = open_page("phone", f"/sessions/{session}", expected="409")
    served.do("check", adapter="codex", state="running")
    page.locator(f"#over-{session}").get_by_role("button", name="Check it").click()
    expect(page.locator(".toast")).to_contain_text("A live check is running on this machine")
