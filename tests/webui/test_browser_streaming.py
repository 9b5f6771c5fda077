"""A conversation that grows while it is open, and a text while it is being written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until

from webui.markup.sanitizer import rich_while_written

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser
# Whether what is being written is this piece of HTML; the buttons of code are the page's own.
SAME = """(html) => {
  const shown = document.querySelector('.streaming-text').cloneNode(true);
  shown.querySelectorAll('.tools').forEach((tools) => tools.remove());
  const meant = shown.cloneNode();
  meant.innerHTML = html;
  shown.normalize();
  return shown.isEqualNode(meant);
}"""


def test_a_conversation_grows_and_a_tool_gets_its_result(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    use = {"type": "tool_use", "toolCallId": "c", "toolName": "Shell", "input": {"command": "ls"}}
    message = {"id": "m", "role": "assistant", "content": [{**use, "status": "pending"}]}
    served.do("say", session=session, message=message)
    card = page.locator(".feed-item.tool")
    card.locator(".tool-result.running .tool-state").wait_for()
    card.locator("summary").click()
    ended = {"type": "tool_result", "toolCallId": "c", "text": "README.md", "status": "success"}
    message["content"] = [{**use, "status": "success"}, ended]
    served.do("say", session=session, message=message)
    card.locator(".tool-result.done .tool-state").wait_for()
    expect(card.get_by_text("README.md")).to_be_visible()
    served.do("stream", session=session, text="I found **one** file")
    page.locator(".streaming-text strong", has_text="one").wait_for()
    served.do("status", session=session)
    page.locator(".meter .high").wait_for(state="attached")


def test_only_what_changes_of_a_text_is_drawn_while_it_is_written(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    shown = page.locator(".streaming-text > *")
    for text, blocks in (
        ("First\n\nSec", ["First", "Sec"]),
        ("First\n\nSecond\n\nThird", ["First", "Second", "Third"]),
        ("First\n\nAnother", ["First", "Another"]),
    ):
        served.do("stream", session=session, text=text)
        expect(shown).to_have_text(blocks)
        page.evaluate("document.querySelector('.streaming-text > *').kept ??= performance.now()")
    assert shown.first.evaluate("(block) => block.kept < performance.now() - 20")
    served.do("stream", session=session, text="Anew")
    expect(shown).to_have_text(["Anew"])
    assert not shown.first.evaluate("(block) => 'kept' in block")
    said = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Anew"}]}
    served.do("say", session=session, message=said)
    expect(page.locator(".streaming")).to_be_hidden()


def test_a_text_grows_where_it_stands_and_code_keeps_its_buttons(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    text = page.locator(".streaming-text")
    served.do("stream", session=session, text="One\n\n- a\n- b\n\n```text\nfirst\n")
    text.locator("ct-code", has_text="first").wait_for()
    text.locator("[data-tool=wrap]").click()
    page.evaluate("window.code = document.querySelector('.streaming-text pre code').firstChild")
    served.do("stream", session=session, text="One\n\n- a\n- b\n\n```text\nfirst\nsecond\n")
    text.locator("ct-code", has_text="second").wait_for()
    assert page.evaluate("window.code.isConnected && window.code.data") == "first\nsecond\n"
    expect(text.locator("ct-code.nowrap .tools")).to_have_count(1)
    served.do("stream", session=session, text="One\n\n- a\n- b, **c**\n- d")
    expect(text).to_have_text("One\n\na\nb, c\nd", use_inner_text=True)


def test_a_text_that_grows_by_a_few_letters_is_what_its_markdown_says(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    shown = page.locator(".streaming-text")
    # Bold that is not closed yet, an entity, blanks at the ends of lines, code, a list in a list.
    whole = "One & **two** and `three <b>`, \n`x`  \nfour;\n\n"
    whole += "```python\nif a < 1:\n    go(1)\n```\n- a\n  - b c\n"
    for end in range(1, len(whole) + 1, 3):
        served.do("stream", session=session, text=whole[:end])
        meant = str(rich_while_written(whole[:end]))
        until(lambda meant=meant: page.evaluate(SAME, meant))
    assert shown.locator("li li").inner_text() == "b c"


def test_a_text_that_only_grows_is_not_parsed_again(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    text = page.locator(".streaming-text")
    served.do("stream", session=session, text="First\n\n- one")
    expect(text.locator("li")).to_have_text("one")
    page.evaluate(
        "HTMLTemplateElement.prototype.cloneNode = null; Document.prototype.importNode = null"
    )
    served.do("stream", session=session, text="First\n\n- one and two")
    expect(text.locator("li")).to_have_text("one and two")


def test_a_time_that_says_the_same_is_not_written_again(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    time = page.locator(f"#session-{session} ct-time")
    time.wait_for(state="attached")
    before = time.evaluate_handle("(time) => (time.show(), time.firstChild)")
    assert time.evaluate("(time, before) => (time.show(), time.firstChild === before)", before)


def test_one_thing_moves_while_a_session_works(open_live: Callable[..., Any], served: Any) -> None:
    session = served.do("add", state="busy")
    for _ in range(3):
        served.do("add", state="busy")
    page = open_live("desk", f"/sessions/{session}", motion="no-preference")
    page.locator("[data-working]").wait_for()
    endless = """() => document.getAnimations()
      .filter((one) => one.effect.getComputedTiming().iterations === Infinity).length"""
    assert page.evaluate(endless) == 1
    # Each animation costs a frame's styles, and the text itself moves.
    served.do("stream", session=session, text="Words")
    page.locator(".streaming-text", has_text="Words").wait_for()
    assert page.evaluate(endless) == 0


def test_a_message_that_was_sent_stands_once_when_the_cli_reports_it(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_live("desk", f"/sessions/{session}")
    page.fill("#message", "count to three")
    page.keyboard.press("Enter")
    mine = page.locator(".feed-item.user:visible", has_text="count to three")
    mine.wait_for()
    fields = {"id": "u", "role": "user", "content": [{"type": "text", "text": "count to three"}]}
    served.do("say", session=session, message=fields)
    page.locator(f"#feed-{session}-u-0").wait_for()
    expect(mine).to_have_count(1)


def test_what_a_rewind_removed_leaves_an_open_page(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_live("phone", f"/sessions/{session}")
    call = {"type": "tool_use", "toolCallId": "c-1", "toolName": "Shell", "status": "pending"}
    for name, block in (
        ("u-1", {"type": "text", "text": "stays"}),
        ("u", {"type": "text", "text": "goes"}),
        ("a", call),
    ):
        message = {"id": name, "role": "assistant" if name == "a" else "user", "content": [block]}
        served.do("say", session=session, message=message)
    page.locator(f"#feed-{session}-t-c-1").wait_for()
    removed = {"sessionId": session, "messageIds": ["u", "a"], "toolCallIds": ["c-1"]}
    served.do("tell", session=session, kind="messages_removed", data=removed)
    page.locator(f"#feed-{session}-u-0").wait_for(state="detached")
    until(lambda: page.locator(".feed-item").all_inner_texts() == ["stays"])
