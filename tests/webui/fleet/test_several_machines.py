"""The page of a fleet: machines on rows, as a filter, for a new session, and in the settings."""

from __future__ import annotations

import json
import re

import pytest
from patience import until
from served_fleet import ask, prompt_of
from taps import tap_until_taken

from clawtap_core.testing.server_process import TOKEN

pytestmark = [pytest.mark.redis, pytest.mark.process, pytest.mark.tmux, pytest.mark.browser]


def allow(card):
    tap_until_taken(card, card.get_by_role("button", name=re.compile("Yes|Allow")).first.click)


def boxes(element, *parts):
    """Where these parts are drawn; one that is just drawn anew has no place for a moment."""

    def measured():
        places = [element.locator(part).bounding_box() for part in parts]
        return all(places) and places

    return until(measured)


def test_rows_and_cards_show_machines_and_the_list_is_narrowed_to_one(serve, open_page, tmp_path):
    name = "laptop-of-the-platform-team-3"
    desk, laptop = serve("desk"), serve(name)
    ours, theirs = ask(desk, tmp_path), ask(laptop, tmp_path)
    until(lambda: prompt_of(desk, theirs) and prompt_of(desk, ours), 60)
    page = open_page("desk", server=desk, token=TOKEN)
    row = page.locator(f"#session-{theirs}")
    assert row.locator(".machine").inner_text() == name
    tag, state = boxes(row, ".machine", ".state")
    assert tag["x"] + tag["width"] <= state["x"]
    jumps = page.locator("[data-jumps] a").all_inner_texts()
    assert sorted(jump.split(" · ")[0] for jump in jumps) == ["desk", name]
    page.get_by_label("Filter sessions").click()
    page.locator("select[name=on]").select_option(name)
    page.locator(f"#session-{ours}").wait_for(state="hidden")
    assert row.is_visible()
    assert "1 of 2" in page.locator(".filter-active").inner_text()
    page.reload()
    page.locator(f"#session-{ours}").wait_for(state="hidden")
    page.get_by_role("link", name="Show all").click()
    page.locator(f"#session-{ours}").wait_for(state="visible")
    card = page.locator(".card", has=page.locator(f'a[href="/sessions/{theirs}"]'))
    assert card.locator(".machine").inner_text() == name
    page.set_viewport_size({"width": 390, "height": 844})
    tag, age = boxes(card, ".machine", ".card-age")
    assert tag["y"] > age["y"] or tag["x"] + tag["width"] <= age["x"]
    assert tag["width"] > 80
    assert card.locator(".card-session > :last-child").bounding_box()["width"] > 80
    allow(card)
    until(lambda: not prompt_of(laptop, theirs), 60)


def test_a_session_begins_on_the_machine_that_was_chosen(serve, open_page):
    desk, laptop, gone = serve("desk"), serve("laptop"), serve("server")

    def listed():
        return {one["name"]: one for one in desk.client.get("/api/machines").body}

    until(lambda: set(listed()) == {"desk", "laptop", "server"}, 60)
    gone.stop()
    until(lambda: listed()["server"]["state"] == "away", 60)
    page = open_page("phone", path="/settings", server=desk, token=TOKEN)
    texts = page.locator("#machines .setting").all_inner_texts()
    assert "This machine" in texts[0]
    assert "answers in" in texts[1]
    assert "Online" in texts[1]
    assert "cannot be reached since" in texts[2]
    page.goto(f"{desk.url}/new")
    choice = page.get_by_role("navigation", name="Machine")
    assert choice.locator('[aria-current="true"]').inner_text() == "desk"
    assert "Away" in choice.locator(".away").inner_text()
    choice.get_by_role("link", name="laptop").click()
    page.wait_for_url("**/new?machine=*")
    assert choice.locator('[aria-current="true"]').inner_text() == "laptop"
    page.get_by_role("link", name="Connect").click()
    page.wait_for_url("**/adopt?machine=*")
    assert choice.locator('[aria-current="true"]').inner_text() == "laptop"
    page.go_back()
    page.get_by_label("Folder").fill("/tmp")
    page.get_by_role("button", name="Start session").click()
    page.wait_for_url("**/sessions/*")
    session_id = page.url.rpartition("/")[2]
    assert laptop.client.get(f"/api/sessions/{session_id}").body["machine"]["here"]


def test_a_machine_that_has_gone_says_so_in_the_form(serve, open_page, tmp_path):
    desk, gone = serve("desk"), serve("server")
    until(lambda: len(desk.client.get("/api/machines").body) == 2, 60)
    gone.stop()
    until(lambda: desk.client.get("/api/machines").body[1]["state"] == "away", 60)
    path = f"/new?machine={desk.client.get('/api/machines').body[1]['id']}"
    page = open_page("phone", path=path, server=desk, token=TOKEN, expected="503")
    assert "cannot be reached" in page.locator(".notice").inner_text()
    (tmp_path / "gone.png").write_bytes(page.screenshot())
    choice = page.get_by_role("navigation", name="Machine")
    assert "server" in choice.locator('[aria-current="true"]').inner_text()
    choice.get_by_role("link", name="desk").click()
    page.get_by_role("button", name="Start session").wait_for()
    for path in ("rules", "history", "journal", "settings"):
        page.goto(f"{desk.url}/{path}")
        (tmp_path / f"{path}.png").write_bytes(page.screenshot())
        where = "#machines" if path == "settings" else ".machines"
        assert "server" in page.locator(where).inner_text()


def test_a_message_to_a_machine_that_is_away_waits_and_can_be_taken_back(
    serve, open_page, tmp_path
):
    desk, gone = serve("desk"), serve("laptop", away=3.0)
    session_id = ask(gone, tmp_path)
    path = f"/api/sessions/{session_id}"
    until(lambda: prompt_of(desk, session_id), 60)
    gone.kill()
    until(lambda: desk.client.get(path).body["state"] == "lost", 60)
    page = open_page("phone", path=f"/sessions/{session_id}", server=desk, token=TOKEN)
    assert "laptop is away" in page.locator(".over").inner_text()
    assert "waits until it is back" in page.locator(".over").inner_text()
    page.get_by_label("Message", exact=True).fill("Write the tests")
    page.get_by_role("button", name="Send").click()
    queue = page.locator(".queue li")
    queue.wait_for()
    assert "Waits for laptop until" in queue.inner_text()
    (tmp_path / "waits.png").write_bytes(page.screenshot())
    # All of it stands on the page of a phone: the notice, the prompt, what waits, and the composer.
    for part in (".over", ".composer"):
        box = page.locator(part).bounding_box()
        assert 56 < box["y"] < box["y"] + box["height"] <= 844
    page.get_by_role("button", name="Unsend").click()
    queue.wait_for(state="detached")
    assert page.get_by_label("Message", exact=True).input_value() == "Write the tests"
    page.get_by_role("button", name="Send").click()
    queue.wait_for()
    gone.start()
    # There it waits for the open prompt, as any message does.
    ready = page.locator(".queue-title", has_text="Sends when Demo agent is ready")
    ready.wait_for(timeout=60_000)
    page.locator(".over p").wait_for(state="detached", timeout=60_000)
    (tmp_path / "back.png").write_bytes(page.screenshot())
    allow(page.locator(".prompts .card"))
    queue.wait_for(state="detached", timeout=60_000)
    page.locator(".feed-item", has_text="Write the tests").first.wait_for(timeout=60_000)


def test_text_and_terminal_of_another_machine_are_live(serve, open_page, tmp_path):
    desk, laptop = serve("desk"), serve("laptop")
    session_id = ask(laptop, tmp_path)
    until(lambda: prompt_of(desk, session_id), 60)
    page = open_page("desk", path=f"/sessions/{session_id}?screen", server=desk, token=TOKEN)
    terminal = page.locator("pre.terminal")
    terminal.get_by_text("Run this command?").wait_for()
    allow(page.locator(".prompts .card"))
    terminal.get_by_text("You chose: Yes, run it").wait_for(timeout=60_000)
    # What it writes comes in a stream of its own, which stands still here to be looked at.
    text = json.dumps({"sessionId": session_id, "text": "I begin with the tests"})
    body = f"event: text_delta\ndata: {text}\n\n"
    stream = f"**/api/sessions/{session_id}/events?render=html*"
    kind = "text/event-stream"
    page.route(stream, lambda route: route.fulfill(body=body, content_type=kind))
    page.reload()
    page.locator(".streaming-text", has_text="I begin with the tests").wait_for(timeout=60_000)
    (tmp_path / "live.png").write_bytes(page.screenshot())


def test_a_prompt_of_a_machine_that_is_away_can_be_answered_once_it_is_back(
    serve, open_page, tmp_path
):
    desk, gone = serve("desk"), serve("laptop", away=3.0)
    session_id = ask(gone, tmp_path)
    until(lambda: prompt_of(desk, session_id), 60)
    page = open_page("phone", server=desk, token=TOKEN)
    page.evaluate("window.sameAsBefore = true")
    card = page.locator("#prompts .card")
    enabled = card.locator(".card-answers .choice:not(:disabled)")
    enabled.first.wait_for()
    gone.kill()
    card.get_by_text("laptop is away. You can answer once it is back.").wait_for(timeout=60_000)
    assert enabled.count() == 0
    card.focus()
    page.keyboard.press("a")
    (tmp_path / "away.png").write_bytes(page.screenshot())
    gone.start()
    enabled.first.wait_for(timeout=60_000)
    assert "is away" not in card.inner_text()
    assert prompt_of(gone, session_id)
    allow(card)
    until(lambda: not prompt_of(gone, session_id), 60)
    assert page.evaluate("window.sameAsBefore")
