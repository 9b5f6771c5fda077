"""What goes on after a cut, a reload or an end: answers, drafts, queued messages, sessions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from taps import tap

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser


def test_what_did_not_arrive_is_tried_again_with_one_tap(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="text")
    page = open_live(expected="ERR_")
    card = page.locator(f"#prompt-{request}")
    card.locator("[name=text]").fill("my key")
    page.context.set_offline(True)
    tap(card.get_by_role("button", name="Send answer"))
    card.get_by_text("ClawTap could not be reached").wait_for()
    card.evaluate("card => (card.dataset.old = '1')")
    page.context.set_offline(False)
    # The card may be drawn again by then, as it is after every cut.
    served.do("redraw", prompt=request)
    page.locator(f"#prompt-{request}:not([data-old])").wait_for()
    tap(card.get_by_role("button", name="Try again"))
    card.locator(".outcome").wait_for()
    assert served.said()[-1]["textValue"] == "my key"


def test_try_again_of_a_card_that_has_just_moved_sends_nothing(
    open_live: Callable[..., Any], served: Any
) -> None:
    request = served.do("ask", session=served.do("add"), form="text")
    page = open_live(expected="ERR_")
    card = page.locator(f"#prompt-{request}")
    card.locator("[name=text]").fill("my key")
    page.context.set_offline(True)
    tap(card.get_by_role("button", name="Send answer"))
    again = card.get_by_role("button", name="Try again")
    again.wait_for()
    page.context.set_offline(False)
    page.locator("html[data-connection=live]").wait_for()
    page.locator(f"#prompt-{request}:not(.is-guarded)").wait_for()
    card.evaluate("card => card.classList.add('is-guarded')")
    box = again.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".toast", has_text="moved just then, so nothing was sent").wait_for()
    page.wait_for_timeout(300)
    assert served.said() == []


def lose_the_reply(route: Any) -> None:
    """Let a request arrive, and no answer come back."""
    route.fetch(max_redirects=0)
    route.abort("connectionreset")


def test_a_message_whose_reply_was_lost_is_sent_once(
    open_live: Callable[..., Any], served: Any
) -> None:
    page = open_live("desk", f"/sessions/{served.do('add')}", expected="ERR_")
    page.route("**/message", lose_the_reply)
    field = page.locator("#message")
    field.fill("deploy it")
    field.press("Enter")
    page.locator(".toast", has_text="this may not have arrived").wait_for()
    expect(field).to_have_value("deploy it")
    page.unroute("**/message")
    field.press("Enter")
    expect(field).to_have_value("")
    assert [each["text"] for each in served.said()] == ["deploy it"]
    # The same words later are another message.
    field.fill("deploy it")
    field.press("Enter")
    expect(field).to_have_value("")
    assert [each["text"] for each in served.said()] == ["deploy it", "deploy it"]


@pytest.mark.parametrize("path", ["/new", "/adopt", "ended"])
def test_a_session_whose_start_had_its_reply_lost_is_started_once(
    path: str, open_page: Callable[..., Any], served: Any
) -> None:
    if path == "ended":
        path = f"/sessions/{served.do('add', cli_session_id='cli-1', state='ended')}"
    page = open_page("phone", path, expected="ERR_")
    if path == "/new":
        page.get_by_label("First message").fill("build a shop")
    button = page.get_by_role("button", name=re.compile("^(Start session|Connect|Resume)")).first
    page.route(
        "**/*",
        lambda route: (
            lose_the_reply(route) if route.request.method == "POST" else route.continue_()
        ),
    )
    button.click()
    page.get_by_text("this may not have arrived").wait_for()
    if path == "/new":
        expect(page.get_by_label("First message")).to_have_value("build a shop")
    page.unroute("**/*")
    button.click()
    page.wait_for_url(lambda url: "/sessions/" in url and not url.endswith(path))
    assert len(served.said()) == 1
    # The same later is another session.
    if path == "/new":
        page.go_back()
        button.click()
        page.wait_for_url("**/sessions/*")
        assert len(served.said()) == 2


def test_the_first_message_of_a_session_outlives_a_reload_until_it_is_sent(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("phone", "/new")
    field = page.locator("#new-session [name=message]")
    field.fill("build a shop")
    page.reload()
    expect(field).to_have_value("build a shop")
    page.get_by_role("button", name="Start session").click()
    page.wait_for_url("**/sessions/*")
    page.goto(f"{served.url}/new")
    page.wait_for_load_state()
    expect(field).to_have_value("")


def test_a_queued_message_is_edited_in_place(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}")
    page.fill("#message", "and the changelog")
    page.locator(".send").click()
    page.locator(".queue").get_by_text("Edit").click()
    page.get_by_label("Queued message").fill("and the readme")
    page.get_by_role("button", name="Save").click()
    page.locator(".queue-text", has_text="and the readme").wait_for()


def test_a_session_that_ends_says_why_and_is_resumed(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", cli_session_id="cli-1", detail="exited with status 1")
    page = open_live("phone", f"/sessions/{session}")
    served.do("state", session=session, state="ended")
    page.get_by_text("Exited with status 1").wait_for()
    expect(page.locator("#message")).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    page.wait_for_url(lambda url: "/sessions/" in url and session not in url)
    assert served.said()[-1]["resume"] == "cli-1"


def test_what_is_queued_for_an_ended_session_says_what_becomes_of_it(
    open_live: Callable[..., Any], served: Any
) -> None:
    sessions = [served.do("add", state="busy", cli_session_id=name) for name in ("cli-1", None)]
    for session, words in zip(sessions, ("Sends when you resume it", "Not sent"), strict=True):
        page = open_live("phone", f"/sessions/{session}")
        page.locator("#message").fill("later")
        page.get_by_role("button", name="Send").click()
        title = page.locator(".queue-title")
        expect(title).to_contain_text("Sends when Gemini CLI is ready")
        served.do("state", session=session, state="idle", detail="the composer holds text")
        expect(title).to_contain_text("Waits: the composer holds text")
        served.do("state", session=session, state="ended")
        expect(title).to_contain_text(words)
        page.reload()
        expect(title).to_contain_text(words)


def test_a_page_of_a_session_that_somebody_removes_leads_to_all_of_them(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_live("phone", f"/sessions/{session}")
    served.do("tell", session=session, kind="session_removed", data={})
    page.wait_for_url(f"{served.url}/")


def test_a_draft_is_kept_over_a_reload(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    page.fill("#message", "half a thought")
    page.reload()
    expect(page.locator("#message")).to_have_value("half a thought")


def test_without_the_server_the_installed_page_says_so_and_comes_back(
    open_page: Callable[..., Any], fresh: Any
) -> None:
    page = open_page(expected="ERR_", server=fresh, workers="allow")
    page.wait_for_timeout(200)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    fresh.stop()
    page.goto(f"{fresh.url}/journal")
    page.get_by_text("ClawTap cannot be reached").wait_for()
    fresh.start("e2")
    page.get_by_role("heading", name="Journal").wait_for()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_session_is_started_over_the_protocol_and_has_no_terminal(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page(size, "/new")
    page.get_by_role("radio", name="Gemini CLI").check()
    expect(page.locator("#channel-claude")).to_be_hidden()
    page.get_by_role("radio", name="Claude Code").check()
    page.get_by_text("Options", exact=True).click()
    page.locator("#channel-claude").select_option("protocol")
    page.get_by_role("button", name="Start session").click()
    page.wait_for_url("**/sessions/*")
    assert served.said()[-1]["channel"] == "protocol"
    assert page.locator("ct-screen").count() == 0


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_an_ended_session_of_the_protocol_says_why_and_goes_on_likewise(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do(
        "add", adapter="claude", channel="protocol", cli_session_id="c0ffee", state="ended",
        detail="ended with status 1: out of memory",
    )  # fmt: skip
    page = open_page(size, f"/sessions/{session}")
    page.get_by_text("This session has ended").wait_for()
    page.get_by_text("out of memory").wait_for()
    expect(page.locator("#message")).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    page.wait_for_url(lambda url: session not in url)
    said = served.said()[-1]
    assert (said["resume"], said["channel"]) == ("c0ffee", "protocol")
