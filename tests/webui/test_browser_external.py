"""What other programs ask of a real server is answered in a real browser, every form of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked_server import ForkedServed
from taps import tap

from clawtap_core.testing import Served
from clawtap_core.testing.server_process import TOKEN

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.tmux]
HOSTILE = '<img src=x onerror="window.hacked=1"> [go](javascript:window.hacked=1)'


@pytest.fixture
def served(nursery: Any, tmp_path: Path, tmux_socket: str) -> Iterator[Served]:
    """A real server, in place of the desk."""
    served = ForkedServed(nursery, tmp_path, tmux_socket=tmux_socket).start()
    yield served
    served.stop()


def _tap(card: Any, name: str) -> None:
    tap(card.locator(".choice", has_text=name).last)


def _fields(card: Any) -> None:
    tap(card.get_by_label("Blue"))
    _tap(card, "Next")
    tap(card.get_by_label("Tests"))
    tap(card.get_by_label("Types"))
    _tap(card, "Next")
    card.locator("[name=q2-other]").fill("hunter2")
    _tap(card, "Review")
    _tap(card, "Submit answers")


def _text(card: Any) -> None:
    card.locator("[name=text]").fill("prod <key>")
    _tap(card, "Send answer")


def _feedback(card: Any) -> None:
    card.locator("[name=text]").fill("smaller steps")
    _tap(card, "Send feedback")


def _refuse(card: Any) -> None:
    tap(card.locator("summary"))
    card.locator("[name=reason]").fill("not on a Friday")
    _tap(card, "Deny")


PLAN = {"type": "plan", "title": "Plan", "description": f"# Steps\n1. one\n\n{HOSTILE}"}
ASKS = {
    "permission": ({"title": HOSTILE}, lambda card: _tap(card, "Approve"), "answered", "approve"),
    "refusal": ({"title": "Deploy?", "description": HOSTILE}, _refuse, "denied", "deny"),
    "tool": (
        {"title": "Run", "toolName": "sh", "toolInput": {"command": HOSTILE, "n": [1]}},
        lambda card: _tap(card, "Approve"),
        "answered",
        "approve",
    ),
    "options": (
        {"title": "Which?", "options": ["Blue", {"label": HOSTILE, "value": "odd"}]},
        lambda card: tap(card.locator(".choice").last),
        "answered",
        "odd",
    ),
    "text": ({"title": "Key?", "type": "question"}, _text, "answered", "prod <key>"),
    "plan": (
        {**PLAN, "textInput": True, "options": ["Go"]},
        _feedback,
        "answered",
        "smaller steps",
    ),
    "loop": (
        {"title": "Again?", "type": "loop-detected", "options": ["Go on", "Stop"]},
        lambda card: _tap(card, "Stop"),
        "answered",
        "stop",
    ),
    "questions": (
        {
            "title": "Three things",
            "questions": [
                {"question": "Colour?", "options": ["Red", "Blue"]},
                {"question": "Checks?", "options": ["Tests", "Types"], "multiSelect": True},
                {"question": "Password?", "secret": True},
            ],
        },
        _fields,
        "answered",
        {"0": "Blue", "1": ["Tests", "Types"], "2": "hunter2"},
    ),
}


def _given(response: dict[str, Any]) -> Any:
    return next(
        response[name] for name in ("selectedOption", "textValue", "answers") if name in response
    )


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_every_form_is_answered_on_the_page(served: Served, open_page: Any, size: str) -> None:
    page = open_page(size, server=served, token=TOKEN)
    for body, answer, state, given in ASKS.values():
        asked = served.client.post("/api/prompts", {**body, "from": f"ci {HOSTILE}"}).body
        card = page.locator(f"#prompt-{asked['requestId']}")
        page.locator(f"#prompt-{asked['requestId']}:not(.is-guarded)").wait_for()
        assert "ci <img" in card.inner_text()
        answer(card)
        ended = served.client.get(f"/api/prompts/{asked['requestId']}", wait=20).body
        assert (ended["state"], _given(ended["resolution"]["response"])) == (state, given)
    assert page.evaluate("window.hacked") is None


def test_a_program_has_a_page_without_terminal_or_composer(served: Served, open_page: Any) -> None:
    asked = served.client.post("/api/prompts", {"title": "Deploy?", "from": "ci"}).body
    page = open_page("phone", f"/sessions/{asked['sessionId']}", server=served, token=TOKEN)
    expect(page.locator("h1")).to_contain_text("ci")
    expect(page.locator("ct-composer, ct-screen")).to_have_count(0)
    tap(page.locator(".choice", has_text="Approve"))
    page.locator(f"#prompt-{asked['requestId']}.is-answered").wait_for()
    served.client.post("/api/prompts", {"title": "And now?", "from": "ci"})
    page.locator(".card-title", has_text="And now?").wait_for()
    page.goto(f"{served.url}/")
    row = page.locator(f"#session-{asked['sessionId']}")
    expect(row.locator(".adapter-chip")).to_have_text("Program")
    expect(row.locator(".badge")).to_have_text("1")
    page.goto(f"{served.url}/sessions/{asked['sessionId']}")
    page.get_by_label("Session menu").click()
    page.locator(".choice", has_text="Remove from the list").click()
    page.locator("dialog.confirm button", has_text="Remove").click()
    page.wait_for_url(f"{served.url}/")
    assert served.client.get("/api/sessions").body == []
