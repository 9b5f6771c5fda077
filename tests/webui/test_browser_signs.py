"""The signs that tell states apart at a glance: colours, movement, the bell, chips, names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from taps import tap

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect


def _hue(colour: str) -> float:
    """Return the hue of a computed colour in degrees."""
    red, green, blue = (float(part) for part in re.findall(r"[\d.]+", colour)[:3])
    most, least = max(red, green, blue), min(red, green, blue)
    assert most > least, f"{colour} has no hue"
    if most == red:
        return 60 * ((green - blue) / (most - least)) % 360
    if most == green:
        return 60 * ((blue - red) / (most - least)) + 120
    return 60 * ((red - green) / (most - least)) + 240


def _style(page: Any, selector: str, name: str) -> str:
    # An element that is just being replaced has no style.
    read = f"""(selector) => {{
        const one = document.querySelector(selector);
        return one && getComputedStyle(one).{name};
    }}"""
    return str(page.wait_for_function(read, arg=selector).json_value())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_card_is_amber_while_it_waits_and_emerald_once_answered(
    theme: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_page("phone")
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    card = f"#prompt-{request}"
    for part, name in ((".card-kind", "color"), (".card-icon", "color")):
        assert 20 <= _hue(_style(page, f"{card} {part}", name)) <= 60, part
    tap(page.locator(f"{card} .choice.allow-once"))
    page.locator(f"{card} .outcome.done").wait_for()
    assert 140 <= _hue(_style(page, f"{card} .outcome-icon", "color")) <= 180
    assert 140 <= _hue(_style(page, f"{card} .outcome-meta strong", "color")) <= 180


def test_a_card_turns_emerald_while_its_answer_is_sent(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="shell")
    page = open_page("phone", workers="block")
    page.emulate_media(reduced_motion="reduce")
    page.route("**/answer", lambda route: None)
    tap(page.locator(f"#prompt-{request} .choice.allow-once"))
    page.locator(f"#prompt-{request}.is-submitting").wait_for()
    assert 140 <= _hue(_style(page, f"#prompt-{request} .card-kind", "color")) <= 180
    busy = page.locator(f"#prompt-{request} .choice.is-busy")
    expect(busy).to_have_count(1)


def test_what_arrives_and_what_ends_moves(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    page = open_page("phone")
    page.emulate_media(reduced_motion="no-preference")
    request = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{request}").wait_for()
    assert _style(page, f"#prompt-{request}", "animationName") == "arrive"
    tap(page.locator(f"#prompt-{request}:not(.is-guarded) .choice.allow-once"))
    page.locator(f"#prompt-{request} .outcome").wait_for()
    assert _style(page, f"#prompt-{request} .outcome", "animationName") == "settle"
    assert float(_style(page, f"#prompt-{request} .outcome", "animationDuration")[:-1]) > 0.05


def test_the_bell_is_there_while_a_prompt_waits_and_leads_to_it(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    bell = page.locator("[data-bell]")
    expect(bell).to_be_hidden()
    request = served.do("ask", session=session, form="long")
    expect(bell).to_be_visible()
    bell.click()
    expect(page.locator(f"#prompt-{request} .card-title")).to_be_in_viewport()
    served.do("elsewhere", prompt=request)
    expect(bell).to_be_hidden()


def test_a_header_longer_than_twelve_characters_is_cut_in_its_chip(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    form = {
        "type": "question",
        "title": "Two questions",
        "questions": [
            {"header": "Twelve chars", "question": "Fits?", "options": [{"label": "Yes"}]},
            {"header": "Thirteen char", "question": "Cut?", "options": [{"label": "Yes"}]},
        ],
    }
    request = served.do("ask_wire", session=session, form=form)
    page = open_page("phone")
    chips = page.locator(f"#prompt-{request} legend .chip")
    assert chips.all_text_contents() == ["Twelve chars", "Thirteen ch…"]
    assert chips.nth(1).get_attribute("title") == "Thirteen char"


def test_a_card_names_the_agent_that_asks(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="Shop")
    form = {"type": "permission", "title": "Run ls?", "origin": "code-reviewer"}
    request = served.do("ask_wire", session=session, form=form)
    said = [
        {"type": "thinking", "text": "Where to begin?"},
        {"type": "text", "text": "I look around."},
        {"type": "tool_use", "toolName": "Bash", "toolCallId": "c1", "input": {"command": "ls"}},
    ]
    spoken = {"id": "m1", "role": "assistant", "content": said, "origin": "a56f6b26adc6927d2"}
    served.do("say", session=session, message=spoken)
    page = open_page("phone")
    expect(page.locator(f"#prompt-{request} .card-origin")).to_have_text("Subagent: code-reviewer")
    expect(page.locator(f"#prompt-{request} .card-session")).to_have_text("Shop")
    page.goto(f"{served.url}/sessions/{session}")
    for kind in ("thought", "assistant", "tool"):
        expect(page.locator(f".feed-item.{kind} .speaker")).to_have_text("Subagent")
