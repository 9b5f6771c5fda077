"""A session whose CLI is newer than what was proved says so, and names the check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from webdesk.desk import Desk

from clawtap_core.server.context import server_of, use_device
from webui.rendering.renderer import Renderer
from webui.site import site

CHECK = "clawtap doctor --live gemini"


@pytest.fixture
def renderer(app: Flask) -> Iterator[Renderer]:
    with app.app_context():
        use_device(server_of(app).devices.all()[0])
        yield site().renderer


def test_a_newer_version_is_named_with_the_last_one_that_was_tested(
    desk: Desk, renderer: Renderer
) -> None:
    html = str(renderer.over(desk.add(cli_version="0.62.0")))
    assert "Gemini CLI 0.62.0 is new to ClawTap" in html
    assert "tested up to 0.61.0" in html
    assert f"<code>{CHECK}</code>" in html


@pytest.mark.parametrize("version", [None, "0.61.0", "0.50.1", "0.20.0"])
def test_other_versions_say_nothing(desk: Desk, renderer: Renderer, version: str | None) -> None:
    assert "new to ClawTap" not in str(renderer.over(desk.add(cli_version=version)))


def test_no_check_is_named_that_there_is_not(desk: Desk, renderer: Renderer) -> None:
    html = str(renderer.over(desk.add("claude", cli_version="9.0.0")))
    assert "Claude Code 9.0.0 is new to ClawTap" in html
    assert "doctor" not in html


def test_the_words_of_a_version_are_escaped(desk: Desk, renderer: Renderer) -> None:
    assert "<b>" not in str(renderer.over(desk.add(cli_version="9.0.0<b>")))


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_the_page_of_the_session_shows_it_above_the_composer(
    served: Any, open_page: Callable[..., Any], size: str
) -> None:
    from playwright.sync_api import expect

    session = served.do("add", title="shop", cli_version="0.62.0")
    page = open_page(size, f"/sessions/{session}")
    expect(page.locator(f"#over-{session}")).to_contain_text(CHECK)
    expect(page.get_by_placeholder(re.compile("^Message "))).to_be_visible()
