"""The page of a person who can only watch, and of one who can answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from webdesk.served import TOKEN

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])
OWNER = {"Authorization": f"Bearer {TOKEN}"}


def invited(served: Any, role: str) -> tuple[str, str]:
    """The id and token of somebody with a role."""
    body = {"name": "Anna", "role": role}
    made = requests.post(f"{served.url}/api/devices", json=body, headers=OWNER, timeout=10).json()
    return made["device"]["id"], made["token"]


@SIZES
def test_a_watcher_sees_what_happens_and_nothing_to_press(
    served: Any, open_page: Callable[..., Any], size: str, tmp_path: Path
) -> None:
    session = served.do("add", title="Shop")
    for form in ("shell", "form", "unknown"):
        served.do("ask", session=session, form=form)
    page = open_page(size, token=invited(served, "watch")[1])
    refused: list[str] = []
    page.on("response", lambda answer: answer.status == 403 and refused.append(answer.url))
    cards = page.locator("ct-prompt[data-state=pending]")
    cards.nth(2).get_by_text("You can only watch").wait_for()
    served.do("ask", session=session, form="edit")
    cards.nth(3).get_by_text("You can only watch").wait_for()
    for key in ("j", "a", "d", "1", "Enter", "Shift+Enter", "F2", "/"):
        page.keyboard.press(key)
    assert page.locator("ct-prompt :is(button[name], textarea, input)").count() == 0
    (tmp_path / f"watch-home-{size}.png").write_bytes(page.screenshot())
    page.goto(f"{served.url}/sessions/{session}")
    page.locator("ct-session").wait_for()
    page.locator(".watch-only").wait_for()
    for key in ("F2", "e", "t", "/"):
        page.keyboard.press(key)
    assert page.locator("ct-composer, ct-keys, [data-rename], .row-actions").count() == 0
    (tmp_path / f"watch-session-{size}.png").write_bytes(page.screenshot())
    page.goto(f"{served.url}/settings")
    page.get_by_text("You are here as Anna. You can only watch.").wait_for()
    (tmp_path / f"watch-settings-{size}.png").write_bytes(page.screenshot())
    assert served.said() == []
    assert refused == []


@SIZES
def test_one_who_answers_answers_and_writes(
    served: Any, open_page: Callable[..., Any], size: str, tmp_path: Path
) -> None:
    session = served.do("add", title="Shop")
    served.do("ask", session=session, form="shell")
    page = open_page(size, token=invited(served, "answer")[1], path=f"/sessions/{session}")
    refused: list[str] = []
    page.on("response", lambda answer: answer.status == 403 and refused.append(answer.url))
    page.get_by_role("button", name="Allow once").wait_for()
    (tmp_path / f"answer-session-{size}.png").write_bytes(page.screenshot())
    page.get_by_role("button", name="Allow once").click()
    page.locator(".outcome").wait_for()
    page.get_by_label("Message", exact=True).fill("Go on")
    page.get_by_role("button", name="Send", exact=True).click()
    page.locator(".bubble, .queue-text").first.wait_for()
    assert page.get_by_role("link", name="New session").count() == 0
    assert page.get_by_role("button", name="End session").count() == 0
    assert {said["device"] for said in served.said()} == {"Anna"}
    assert refused == []


def test_a_page_of_a_revoked_person_shows_nothing_more(
    served: Any, open_page: Callable[..., Any]
) -> None:
    session = served.do("add", title="Shop")
    device, token = invited(served, "watch")
    page = open_page("phone", token=token, expected="401")
    page.locator(f"#session-{session}").wait_for()
    revoked = requests.delete(f"{served.url}/api/devices/{device}", headers=OWNER, timeout=10)
    assert revoked.ok
    served.do("ask", session=session, form="shell")
    page.wait_for_url("**/login**")
    assert page.locator("ct-prompt").count() == 0


@SIZES
def test_an_invitation_is_made_sent_and_used(
    served: Any, open_page: Callable[..., Any], chromium: Any, size: str, tmp_path: Path
) -> None:
    page = open_page(size, path="/settings")
    page.get_by_label("Name", exact=True).fill("Anna")
    page.get_by_label("Role", exact=True).select_option("watch")
    page.get_by_role("button", name="Make an invitation").click()
    page.locator("#pairing").scroll_into_view_if_needed()
    link = page.locator(".invitation").inner_text()
    (tmp_path / f"invitation-{size}.png").write_bytes(page.screenshot())
    guest = chromium.new_context()
    other = guest.new_page()
    other.goto(f"{served.url}/login{link[link.index('#') :]}")
    other.wait_for_url(f"{served.url}/")
    other.goto(f"{served.url}/settings")
    other.get_by_text("You are here as Anna. You can only watch.").wait_for()
    guest.close()
