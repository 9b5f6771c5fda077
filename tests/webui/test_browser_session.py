"""A session's page: what it is called, what it does now, and how its messages are shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from patience import until

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

CWD = "/home/me/projects/shop"
ANSWER = """Here it is:

| Cache | Latency | Eviction | Remarks | More |
|---|---|---|---|---|
| Redis | 0.4 ms | allkeys-lru | AVeryLongIdentifierThatNobodyBreaks | AnotherLongIdentifier |

- [x] measure
- [ ] decide

```python
def cached(key: str) -> bytes: ...
```
"""


def _say(served: Any, session: str, key: str, role: str, *blocks: dict[str, Any]) -> None:
    at = f"2026-11-01T10:00:{len(key):02d}Z"
    message = {"id": key, "role": role, "content": list(blocks), "at": at}
    served.do("say", session=session, message=message)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_a_session_is_called_by_its_first_message_and_shows_its_last_line(
    fresh: Any, open_page: Callable[..., Any]
) -> None:
    # No page of another test listens to this server.
    served = fresh
    sessions = [served.do("add", title="shop", cwd=CWD) for _ in range(2)]
    named = served.do("add", title="My own name", cwd=CWD)
    for number, session in enumerate([*sessions, named]):
        _say(served, session, "a", "user", _text(f"Task {number}:\nfix the tests"))
        _say(served, session, "bb", "assistant", _text(f"I fixed {number} of them."))
    page = open_page("phone", server=fresh)
    for number, session in enumerate(sessions):
        row = page.locator(f"#session-{session}")
        expect(row.locator(".row-title")).to_have_text(f"Task {number}: fix the tests")
        expect(row.locator(".row-last")).to_have_text(f"I fixed {number} of them.")
    expect(page.locator(f"#session-{named} .row-title")).to_have_text("My own name")
    page.goto(f"{served.url}/sessions/{sessions[1]}")
    expect(page.get_by_role("heading", name="Task 1: fix the tests")).to_be_visible()


def test_while_it_works_one_line_moves_and_says_what_and_for_how_long(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    _say(served, session, "a", "user", _text("Run the tests"))
    page = open_page("phone", f"/sessions/{session}")
    line = page.locator("[data-working]")
    expect(line).to_be_hidden()
    served.do("state", session=session, state="busy")
    expect(line).to_have_text(re.compile(r"Working, \d+:\d\d"))
    first = line.inner_text()
    expect(line).not_to_have_text(first)
    call = {"type": "tool_use", "toolCallId": "c1", "toolName": "Bash"}
    _say(
        served,
        session,
        "bb",
        "assistant",
        {**call, "input": {"command": "pytest -q"}, "status": "pending"},
    )
    expect(line).to_have_text(re.compile(r"Running pytest -q, \d+:\d\d"))
    edit = {"type": "tool_use", "toolCallId": "c2", "toolName": "Edit", "status": "pending"}
    _say(served, session, "cc", "assistant", {**edit, "input": {"file_path": f"{CWD}/cart.py"}})
    expect(line).to_have_text(re.compile(r"Editing cart\.py, \d+:\d\d"))
    search = {"type": "tool_use", "toolCallId": "c3", "toolName": "Grep", "status": "pending"}
    _say(served, session, "dd", "assistant", {**search, "input": {"pattern": "total"}})
    expect(line).to_have_text(re.compile(r"Using Grep, \d+:\d\d"))
    served.do("stream", session=session, text="All of them")
    expect(line).to_have_text(re.compile(r"Writing, \d+:\d\d"))
    expect(line).to_be_in_viewport()
    served.do("state", session=session, state="idle")
    expect(line).to_be_hidden()


@pytest.mark.parametrize("minutes", [10, -10])
def test_a_phone_whose_clock_is_wrong_shows_times_by_the_server(
    minutes: int, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    served.do("talk", session=session, minutes_ago=3)
    request = served.do("ask", session=session, form="text", expires=300)
    working = served.do("add", state="busy")
    served.do("talk", session=working, minutes_ago=3)
    page = open_page("phone")
    wrong = f"window.real = Date.now; Date.now = () => real() + {minutes * 60_000};"
    page.context.add_init_script(wrong)
    page.reload()
    card = page.locator(f"#prompt-{request}")
    expect(card.locator(".countdown")).to_have_text(re.compile(r"^[45]:\d\d left to answer"))
    expect(card.locator("ct-time")).to_have_text("now")
    page.goto(f"{served.url}/sessions/{working}")
    expect(page.locator("[data-working]")).to_have_text(re.compile(r"Working, 3:\d\d"))
    # A page that is open while its clock is put right goes on.
    page.evaluate("Date.now = real")
    page.context.set_offline(True)
    page.context.set_offline(False)
    expect(page.locator("[data-working]")).to_have_text(re.compile(r"Working, 3:\d\d"))


def test_tables_scroll_tasks_are_boxes_and_code_can_be_copied(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    _say(served, session, "a", "assistant", _text(ANSWER))
    page = open_page("phone", f"/sessions/{session}")
    table = page.locator(".feed table")
    until(lambda: table.evaluate("(table) => table.scrollWidth > table.clientWidth"))
    cell = table.get_by_text("AVeryLongIdentifier")
    assert cell.evaluate("(cell) => cell.scrollHeight") < 60
    expect(page.get_by_label("Done")).to_have_count(1)
    expect(page.get_by_label("To do")).to_have_count(1)
    code = page.locator(".feed ct-code")
    expect(code.locator(".tools [data-label=python]")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    code.get_by_role("button", name="Copy").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "def cached(key: str) -> bytes: ...\n"


def test_a_word_longer_than_its_column_stays_in_its_cell(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    rows = f"| Key | Value | Why |\n|---|---|---|\n| token | {'a1' * 200} | it is new |\n"
    _say(served, session, "a", "assistant", _text(rows))
    page = open_page("desk", f"/sessions/{session}")
    cell = page.locator(".feed td").nth(1)
    assert cell.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth")
    assert cell.evaluate("(cell) => cell.clientHeight") > 60, "it has several rows"


def test_a_tool_names_its_file_first_and_a_refusal_is_said_plainly(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    read = {"type": "tool_use", "toolCallId": "c1", "toolName": "Read", "status": "success"}
    edit = {"type": "tool_use", "toolCallId": "c2", "toolName": "Bash", "status": "pending"}
    refused = {
        "type": "tool_result", "toolCallId": "c2", "status": "cancelled",
        "text": "The user doesn't want to proceed with this tool use. STOP and wait.",
    }  # fmt: skip
    _say(served, session, "a", "assistant", {**read, "input": {"file_path": f"{CWD}/src/cart.py"}})
    _say(served, session, "bb", "assistant", {**edit, "input": {"command": "make"}}, refused)
    page = open_page("phone", f"/sessions/{session}")
    expect(page.locator(".tool-subject").first).to_have_text("cart.py src")
    refusal = page.get_by_text("Refused or stopped")
    expect(refusal).to_be_visible()
    head = page.locator(".tool summary").last.bounding_box()
    assert head
    assert refusal.bounding_box()["y"] >= head["y"] + head["height"] - 6, "written over the head"
    expect(page.get_by_text("STOP and wait")).to_have_count(0)


def test_next_to_a_change_stands_no_text_for_the_model(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    edit = {
        "type": "tool_use", "toolCallId": "c1", "toolName": "Edit", "status": "success",
        "input": {"file_path": f"{CWD}/cart.py", "old_string": "a = 1", "new_string": "a = 2"},
    }  # fmt: skip
    done = {
        "type": "tool_result", "toolCallId": "c1", "status": "success",
        "text": "Updated. No need to read it again.",
    }  # fmt: skip
    _say(served, session, "a", "assistant", edit, done)
    page = open_page("phone", f"/sessions/{session}")
    expect(page.locator(".feed .diff .line.add")).to_be_visible()
    expect(page.get_by_text("No need to read it again")).to_be_hidden()


def test_an_own_message_scrolls_into_view(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    served.do("fill", session=session, count=60)
    page = open_page("phone", f"/sessions/{session}")
    page.locator("ct-feed").dispatch_event("wheel")  # a person scrolls
    page.locator("ct-feed").evaluate("(feed) => feed.scrollTo(0, 1500)")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    page.locator("#message").fill("And now the docs")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("And now the docs")).to_be_in_viewport()


def test_an_unknown_prompt_shows_its_screen_readably_with_its_keys(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    request = served.do("ask", session=session, form="unknown")
    page = open_page("phone")
    card = page.locator(f"#prompt-{request}")
    expect(card.get_by_role("heading")).to_have_text("Gemini CLI needs you in the terminal")
    shown = card.locator(".screenshot pre")
    served.do("paint", session=session, text="\n".join(f"row {n}" for n in range(26)))
    expect(shown).to_contain_text("row 25")
    assert shown.evaluate("(pre) => parseFloat(getComputedStyle(pre).fontSize)") >= 12
    end = "(pre) => pre.scrollHeight - pre.scrollTop - pre.clientHeight"
    until(lambda: shown.evaluate(end) < 40)
    boxes = {
        name: card.locator(f".key-{name}").bounding_box()
        for name in ("up", "down", "left", "right", "y", "n")
    }
    assert boxes["up"]["x"] == boxes["down"]["x"]
    assert boxes["left"]["x"] < boxes["down"]["x"] < boxes["right"]["x"]
    assert boxes["up"]["y"] < boxes["down"]["y"] == boxes["left"]["y"]
    assert abs(boxes["y"]["x"] - boxes["n"]["x"]) < 80
    assert boxes["y"]["y"] == boxes["n"]["y"]


def test_a_toast_is_no_obstacle(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    page = open_page("phone", f"/sessions/{session}", expected="ERR_FAILED", workers="block")
    page.route("**/message", lambda route: route.abort())
    page.locator("#message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    toast = page.locator(".toast")
    toast.wait_for()
    assert toast.evaluate("(part) => getComputedStyle(part.parentElement).pointerEvents") == "none"
    composer = page.locator("ct-composer")

    def stands_above() -> bool:
        box = toast.bounding_box()
        return bool(box["y"] + box["height"] < composer.bounding_box()["y"])

    until(stands_above)


def test_a_tap_on_a_toast_removes_it_and_presses_nothing_below(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    served.do("ask", session=session, form="shell")
    page = open_page("phone", f"/sessions/{session}", expected="ERR_FAILED", workers="block")
    page.route("**/message", lambda route: route.abort())
    allow = page.get_by_role("button", name="Allow once")
    page.locator("#message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    toast = page.locator(".toast")
    toast.wait_for()
    place = allow.bounding_box()
    page.locator("#toasts").evaluate("(part, y) => (part.style.top = `${y}px`)", place["y"])
    page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + 12)
    expect(toast).to_have_count(0)
    expect(allow).to_be_enabled()
    assert served.said() == []


def test_a_long_title_is_whole_in_large_text(open_page: Callable[..., Any], served: Any) -> None:
    title = "Move the orders of the shop to SQLite and back"
    session = served.do("add", title=title, cwd=CWD)
    page = open_page("phone", f"/sessions/{session}")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    heading = page.get_by_role("heading", name=title)
    cut = (
        "(one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1"
    )
    until(lambda: not heading.evaluate(cut))
    expect(heading).to_be_in_viewport(ratio=1)
    bar = page.locator(".bar").bounding_box()
    expect(page.locator(".session-head .state")).to_be_in_viewport(ratio=1)
    assert page.locator(".session-head .state").bounding_box()["y"] < bar["y"] + bar["height"]
    assert bar["height"] < 844 / 4


def test_what_this_device_did_is_said_to_be_done_by_you(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_live("phone", f"/sessions/{session}")
    me = page.locator("meta[name=clawtap-device]").get_attribute("content")
    for device in (me, "another"):
        data = {"by": "user", "device": "Pixel 8", "deviceId": device, "action": "interrupt"}
        served.do("tell", session=session, kind="action", data=data)
    expect(page.locator(".feed-item.note")).to_have_text(["Stopped by you", "Stopped from Pixel 8"])


def test_a_stop_button_that_has_done_its_work_gives_the_focus_to_the_conversation(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("desk", f"/sessions/{session}")
    page.get_by_role("button", name="Stop").focus()
    served.do("state", session=session, state="idle")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.locator("ct-feed")).to_be_focused()


def test_a_page_whose_session_was_removed_while_it_slept_leads_to_all_of_them(
    open_live: Callable[..., Any], fresh: Any
) -> None:
    session = fresh.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}", server=fresh, expected="Failed to load")
    fresh.stop()
    fresh.start("e2")
    page.wait_for_url(f"{fresh.url}/")


@pytest.mark.parametrize("reported_first", [True, False])
def test_that_it_was_stopped_is_said_once(
    reported_first: bool, open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_live("phone", f"/sessions/{session}")
    report = {"id": "m1", "role": "system", "notice": "interrupted", "content": [_text("stop")]}
    report["at"] = f"{'2026' if reported_first else '2099'}-11-01T10:00:00Z"
    notes = page.locator(".feed-item.note")
    served.do("say", session=session, message=report)
    expect(notes.filter(visible=True)).to_have_text(["Stopped"])
    data = {"by": "user", "device": "Pixel 8", "deviceId": "another", "action": "interrupt"}
    served.do("tell", session=session, kind="action", data=data)
    expect(notes).to_have_count(2)
    expect(notes.filter(visible=True)).to_have_text(["Stopped from Pixel 8"])
    if not reported_first:
        # As Claude 2.1.332 does: what it had written comes between.
        written = {"id": "m2", "role": "assistant", "content": [_text("word word")]}
        served.do("say", session=session, message={**written, "at": "2098-11-01T10:00:00Z"})
        page.locator(".is-stop + .assistant + .is-stop").wait_for(state="attached")
        expect(notes.filter(visible=True)).to_have_text(["Stopped from Pixel 8"])
        # As every CLI may do: the tool that it was using comes between, too.
        used = {
            "type": "tool_use",
            "toolCallId": "t1",
            "toolName": "Bash",
            "input": {"command": "ls"},
        }
        written = {"id": "m3", "role": "assistant", "content": [used], "at": "2098-11-01T10:00:01Z"}
        served.do("say", session=session, message=written)
        page.locator(".is-stop + .assistant + .tool + .is-stop").wait_for(state="attached")
        expect(notes.filter(visible=True)).to_have_text(["Stopped from Pixel 8"])
        # Stopped again at the desk, after another message: that is told.
        said = {
            "id": "m4",
            "role": "user",
            "content": [_text("go on")],
            "at": "2099-11-01T10:00:01Z",
        }
        served.do("say", session=session, message=said)
        served.do(
            "say", session=session, message={**report, "id": "m5", "at": "2099-11-01T10:00:02Z"}
        )
        expect(notes.filter(visible=True)).to_have_text(["Stopped from Pixel 8", "Stopped"])


def test_the_same_toast_stands_once(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", mode="default", model="pro")
    page = open_page("phone", f"/sessions/{session}", expected="ERR_FAILED", workers="block")
    page.route("**/m*", lambda route: route.abort())
    for choice, value in (("#mode", "yolo"), ("#model", "flash")):
        with page.expect_event("requestfailed"):
            page.locator(choice).select_option(value)
        expect(page.locator(choice)).not_to_have_value(value)
    expect(page.locator(".toast")).to_have_count(1)


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_printed_conversation_is_whole_and_has_nothing_to_press(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="shop", cwd=CWD)
    served.do("fill", session=session, count=40)
    page = open_page(size, f"/sessions/{session}")
    expect(page.locator(".feed-item").last).to_be_visible()
    page.emulate_media(media="print", color_scheme="dark")
    items = page.locator(".feed-item")
    first, last = (items.nth(at).bounding_box() for at in (0, -1))
    assert first["y"] >= 0
    assert last["y"] + last["height"] <= page.evaluate("document.documentElement.scrollHeight")
    assert first["width"] > page.viewport_size["width"] * 0.4
    expect(page.locator(".session-head .row-title")).to_be_visible()
    expect(page.locator(".bar .icon-button:visible, #message:visible")).to_have_count(0)
    body = page.locator("body").evaluate("(body) => getComputedStyle(body).color")
    assert max(map(int, re.findall(r"\d+", body)[:3])) < 100


def test_on_a_desk_the_composer_stays_in_sight_below_a_question_taller_than_the_window(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Many")
    options = [{"label": f"Choice {at}", "description": "About it, " * 12} for at in range(24)]
    asked = {"question": "Which of these?", "header": "Choice", "options": options}
    form = {"type": "question", "title": "Which of these?", "questions": [asked]}
    served.do("ask_wire", session=session, form=form)
    page = open_page("desk", f"/sessions/{session}")
    card = page.locator("ct-prompt").first
    expect(card).to_contain_text("Choice 23")
    assert card.bounding_box()["height"] > 900
    composer = page.locator(".dock > .composer")
    submit = card.locator(".choice", has_text="Submit answer").last

    def in_sight() -> bool:
        box = composer.bounding_box()
        return bool(box["y"] > 0 and box["y"] + box["height"] <= 900)

    card.get_by_label("Choice 0").check()
    assert in_sight()
    card.get_by_label("Choice 23").check()
    assert in_sight()
    submit.click(trial=True)
    assert in_sight()
