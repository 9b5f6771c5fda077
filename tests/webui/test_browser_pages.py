"""The pages around the prompts: login, sessions, terminal, forms, settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from patience import until
from taps import tap

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.browser
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])


def test_a_pairing_code_in_the_fragment_logs_in(
    open_page: Callable[..., Any], chromium: Any, served: Any
) -> None:
    page = open_page(path="/settings")
    page.get_by_role("button", name="Pair another device").click()
    code = page.locator(".pair-code").inner_text()
    context = chromium.new_context()
    other = context.new_page()
    other.goto(f"{served.url}/login?next=/settings#pair={code}")
    other.wait_for_url(f"{served.url}/settings")
    other.goto(f"{served.url}/login")
    other.wait_for_url(f"{served.url}/")
    context.close()


def test_a_wrong_code_is_explained_and_too_many_are_counted_down(chromium: Any, fresh: Any) -> None:
    served = fresh
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{served.url}/login")
    page.fill("#code", "AAAAA-AAAAA")
    for _ in range(10):
        page.get_by_role("button", name="Pair this device").click()
        page.get_by_text("This pairing code is wrong").wait_for()
    page.get_by_role("button", name="Pair this device").click()
    page.get_by_text("You can try again in").wait_for()
    expect(page.get_by_role("button", name="Pair this device")).to_be_disabled()
    context.close()


def test_a_newcomer_starts_the_demo_with_one_tap(
    open_page: Callable[..., Any], served: Any
) -> None:
    served.do("uninstall")
    page = open_page()
    expect(page.get_by_text("npm install -g @google/gemini-cli")).to_be_visible()
    page.get_by_role("button", name="Try the demo agent").click()
    page.wait_for_url("**/sessions/*")
    assert served.said()[-1]["adapter"] == "demo"


@pytest.mark.parametrize("path", ["/new", "/adopt", "/history", "/rules", "/settings"])
def test_the_bar_of_a_desk_has_each_link_once(
    path: str, open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page("desk", path)
    pages = page.locator(".bar-nav a, .bar .in-nav").filter(visible=True)
    links = pages.evaluate_all("links => links.map(link => link.pathname)")
    assert sorted(links) == sorted({*links, "/new", "/adopt", "/settings"})
    page.set_viewport_size({"width": 390, "height": 844})
    if path == "/new":
        expect(page.get_by_role("link", name="Connect")).to_be_visible()


def test_what_a_session_needs_fits_a_phone_screen(
    open_page: Callable[..., Any], served: Any
) -> None:
    page = open_page(path="/new")
    page.get_by_role("radio", name="Gemini CLI").check()
    # Many folders stay in one line.
    more = "(list) => list.append(...[1, 2, 3, 4].map(() => list.lastElementChild.cloneNode(true)))"
    page.locator(".recents").evaluate(more)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for part in ("Folder", "First message"):
        expect(page.get_by_label(part)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Start session")).to_be_in_viewport(ratio=1)
    expect(page.locator("#mode-gemini")).to_be_hidden()


@pytest.mark.parametrize("path", ["/journal?kind=all", "/history?adapter=codex"])
def test_the_chosen_one_of_many_tabs_is_in_sight(
    open_page: Callable[..., Any], served: Any, path: str
) -> None:
    page = open_page(path=path)
    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.95)


def test_a_session_is_started_from_the_form(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page(path="/new", expected="422")
    page.get_by_role("radio", name="Gemini CLI").check()
    page.get_by_role("button", name="projects/api").click()
    page.get_by_text("Options", exact=True).tap()
    page.locator("#mode-gemini").select_option("auto_edit")
    page.get_by_label("First message").fill("Fix the tests")
    page.fill("#cwd", "/missing")
    page.get_by_role("button", name="Start session").click()
    page.get_by_text("No such folder: /missing").wait_for()
    expect(page.get_by_label("First message")).to_have_value("Fix the tests")
    expect(page.locator("#mode-gemini")).to_have_value("auto_edit")
    page.fill("#cwd", "/home/me")
    page.get_by_role("button", name="Start session").click()
    page.wait_for_url("**/sessions/*")
    said = served.said()[-1]
    assert (said["adapter"], said["cwd"], said["message"]) == (
        "gemini",
        "/home/me",
        "Fix the tests",
    )


def test_a_running_pane_is_adopted(open_page: Callable[..., Any], served: Any) -> None:
    page = open_page(path="/adopt")
    page.get_by_role("button", name="Connect").first.click()
    page.wait_for_url("**/sessions/*")
    assert served.said()[-1] == {
        "what": "adopt", "device": served.said()[-1]["device"], "pane": "%7", "adapter": "gemini"
    }  # fmt: skip


@SIZES
def test_a_message_to_a_busy_session_waits_and_is_taken_back(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page(size, f"/sessions/{session}")
    page.fill("#message", "and the changelog")
    page.locator(".send").click()
    page.get_by_text("Message queued").first.wait_for()
    expect(page.locator("#message")).to_have_value("")
    page.get_by_role("button", name="Unsend").click()
    page.locator(".queue[data-count='0']").wait_for(state="attached")
    expect(page.locator("#message")).to_have_value("and the changelog")
    served.do("state", session=session, state="idle")
    page.locator(".session-head", has_text="Idle").wait_for()
    page.locator(".send").click()
    page.locator(".bubble:visible", has_text="and the changelog").wait_for()


def test_a_busy_session_streams_and_stops(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", state="busy")
    page = open_page(path=f"/sessions/{session}")
    served.do("stream", session=session, text="I am <b>reading</b> `code`")
    page.get_by_text("I am <b>reading</b>").wait_for()
    page.locator(".streaming-text code", has_text="code").wait_for()
    page.get_by_role("button", name="Stop").click()
    page.locator(".session-head", has_text="Idle").wait_for()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()


@SIZES
def test_the_terminal_is_live_and_a_late_key_is_refused(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page(size, f"/sessions/{session}?screen=1", expected="409")
    served.do("paint", session=session, text="painted anew")
    page.locator("pre.terminal", has_text="painted anew").wait_for()
    page.locator(".key-escape").click()
    page.locator("pre.terminal", has_text="you pressed Escape").wait_for()
    page.get_by_placeholder("Type text into the terminal").fill("yes; rm -rf")
    page.get_by_role("button", name="Type", exact=True).click()
    page.locator("pre.terminal", has_text="you pressed yes; rm -rf").wait_for()
    late = page.request.post(
        f"{served.url}/api/sessions/{session}/keys", data={"keys": ["Enter"], "screenRev": 0}
    )
    assert late.status == 409


def test_what_was_painted_before_the_stream_stood_is_shown(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk")
    held: list[Any] = []
    page.route("**/events?screen=true", lambda route: held.append(route))
    page.goto(f"{served.url}/sessions/{session}?screen=1")
    until(lambda: page.wait_for_timeout(20) or held)
    served.do("paint", session=session, text="painted anew")
    held[0].continue_()
    page.locator("pre.terminal", has_text="painted anew").wait_for()


def test_a_prompt_stands_above_the_composer_and_goes_to_the_feed(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page(path=f"/sessions/{session}")
    request = served.do("ask", session=session, form="shell")
    tap(page.locator(f".dock #prompt-{request} .allow-once"))
    page.locator(f"#feed #prompt-{request} .outcome").wait_for()
    page.reload()
    page.locator(f"#feed #prompt-{request} .outcome").wait_for()
    elsewhere = served.do("add")
    served.do("ask", session=elsewhere, form="shell")
    page.locator("[data-elsewhere]", has_text="1").wait_for()
    expect(page.locator("#prompts ct-prompt")).to_have_count(0)


def test_mode_and_title_are_changed_and_the_end_is_confirmed(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Old")
    page = open_page(path=f"/sessions/{session}", expected="422")
    page.get_by_label("Permission mode").select_option("yolo")
    page.get_by_text("This CLI cannot go to YOLO").wait_for()
    page.get_by_label("Permission mode").select_option("auto_edit")
    page.locator(".session-head[data-mode=auto_edit]").wait_for()
    page.locator(".menu summary").click()
    page.get_by_label("Title").fill("New")
    page.get_by_role("button", name="Rename").click()
    page.locator(".session-head", has_text="New").wait_for()
    page.locator(".menu summary").click()
    page.get_by_role("button", name="End session").click()
    page.get_by_role("button", name="Cancel").click()
    assert served.said() == []
    page.get_by_role("button", name="End session").click()
    page.locator("dialog").get_by_role("button", name="End session").click()
    page.wait_for_url(f"{served.url}/")
    assert served.said()[-1]["what"] == "end"


def test_the_theme_is_kept_and_a_device_is_revoked(
    open_page: Callable[..., Any], served: Any
) -> None:
    other = open_page(path="/settings", expected="401")
    page = open_page(path="/settings")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    revoke = other.locator("li.setting", has_text="this device").locator("form")
    action = revoke.get_attribute("action")
    devices = page.locator("form[action^='/settings/devices/']")
    before = devices.count()
    page.locator(f"form[action='{action}'] button").click()
    page.locator("dialog button.deny").click()
    page.locator("dialog").wait_for(state="detached")
    expect(devices).to_have_count(before - 1)
    assert page.locator("li.setting", has_text="this device").count() == 1
    other.goto(served.url)
    other.wait_for_url(re.compile(r"/login\?next="))


@SIZES
def test_whatever_is_touched_is_large_enough(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    for form in ("shell", "several", "plan", "unknown", "scrolling", "edit"):
        served.do("ask", session=session, form=form)
    page = open_page(size)
    for path in ("/", f"/sessions/{session}?screen=1", "/new", "/adopt", "/settings"):
        page.goto(f"{served.url}{path}")
        page.wait_for_load_state("networkidle") if path not in (
            "/",
        ) and "sessions" not in path else None
        small = page.evaluate(_SMALL)
        assert small == [], path
        assert page.evaluate(_SMALL_AROUND) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


_TOUCHED = "button, select, textarea, .field, .pick, .row-link, summary, .icon-button, .text-link"
_SMALL = f"""() => [...document.querySelectorAll("{_TOUCHED}")]
  .filter((one) => one.offsetParent && !one.closest(".tools"))
  .map((one) => [one.className, one.textContent.trim(), one.getBoundingClientRect().height])
  .filter(([, , height]) => height < 43.5)"""
# Small to see, and with room around that takes the tap too.
_SMALL_AROUND = """() => [...document.querySelectorAll(".tools button, .card-session")]
  .filter((one) => one.offsetParent)
  .map((one) => [one.textContent.trim(), parseFloat(getComputedStyle(one, "::after").height)])
  .filter(([, height]) => !(height >= 43.5))"""


def test_a_browser_without_scripts_shows_and_answers(
    open_page: Callable[..., Any], chromium: Any, served: Any
) -> None:
    session = served.do("add")
    served.do("ask", session=session, form="several")
    cookies = open_page().context.cookies()
    context = chromium.new_context(
        java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(f"{served.url}/sessions/{session}")
    keypad = page.locator(".screen .keypad").bounding_box()
    card = page.locator("ct-prompt").bounding_box()
    assert keypad["y"] + keypad["height"] <= card["y"]
    page.get_by_label("SQLite").check()
    page.get_by_label("Login").check()
    page.locator("[name=q2-other]").fill("shop")
    page.get_by_role("button", name="Submit answers").click()
    page.wait_for_url(f"{served.url}/")
    assert served.said()[-1]["answers"] == {"0": "SQLite", "1": ["Login"], "2": "shop"}
    context.close()
