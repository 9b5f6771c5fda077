"""What goes on over minutes: keys, trying again, conversations that grow, sleep and the shell."""

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


def test_keys_go_from_prompt_to_prompt_and_show_their_help(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    first, second = (served.do("ask", session=session, form="shell") for _ in range(2))
    page = open_page("desk")
    page.locator("html[data-connection=live]").wait_for()
    page.keyboard.press("j")
    expect(page.locator(f"#prompt-{first}")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator(f"#prompt-{second}")).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert served.said() == []
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.locator(f"#prompt-{second} .outcome, #prompt-{first} .outcome").first.wait_for()
    assert len(served.said()) == 1


def test_what_opens_above_a_page_holds_the_focus_and_gives_it_back(
    open_page: Callable[..., Any], whole_chromium: Any, served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk", f"/sessions/{session}", browser=whole_chromium)
    page.locator("html[data-connection=live]").wait_for()
    keys = page.keyboard
    stage = page.get_by_role("button", name="Terminal")
    dialog = page.get_by_role("dialog")
    for key, closes in (("?", "Escape"), ("?", "Enter"), ("Control+k", "Escape")):
        stage.focus()
        keys.press(key)
        dialog.wait_for()
        for way in ("Tab", "Tab", "Shift+Tab"):
            keys.press(way)
            assert page.evaluate("document.activeElement.closest('dialog, body').localName") in (
                "dialog",
                "body",  # the browser's own controls
            )
        keys.press(closes)
        dialog.wait_for(state="detached" if key == "?" else "hidden")
        expect(stage).to_be_focused()
    menu, end = page.locator("summary[aria-label='Session menu']"), page.get_by_text("End session")
    for closes in ("Escape", "Enter"):
        menu.focus()
        keys.press("Enter")
        end.wait_for()
        page.get_by_role("button", name="End session").focus()
        keys.press("Enter")
        dialog.wait_for()
        keys.press(closes)
        dialog.wait_for(state="detached")
        expect(page.get_by_role("button", name="End session")).to_be_focused()
        keys.press("Escape")
        end.wait_for(state="hidden")
        expect(menu).to_be_focused()
    assert served.said() == []


def test_a_link_from_a_notice_leads_to_the_prompt_itself(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("ask", session=session, form="long")
    second = served.do("ask", session=session, form="shell")
    page = open_page("phone", f"/sessions/{session}#prompt-{second}")
    expect(page.locator(f"#prompt-{second}")).to_be_focused()
    expect(page.locator(f"#prompt-{second} .choice").first).to_be_in_viewport()


def test_enter_on_a_card_sends_what_is_chosen_and_allows_nothing(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk")
    shell = served.do("ask", session=session, form="shell")
    page.locator(f"#prompt-{shell}").focus()
    page.keyboard.press("Enter")
    assert served.said() == []
    single = served.do("ask", session=session, form="single")
    card = page.locator(f"#prompt-{single}")
    card.get_by_label("SQLite").check()
    card.focus()
    page.keyboard.press("Enter")
    card.locator(".outcome").wait_for()
    assert served.said()[-1]["answers"] == {"0": "SQLite"}


def test_what_did_not_arrive_is_tried_again_with_one_tap(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    request = served.do("ask", session=session, form="text")
    page = open_page(expected="ERR_")
    page.locator("html[data-connection=live]").wait_for()
    card = page.locator(f"#prompt-{request}")
    card.locator("[name=text]").fill("my key")
    page.context.set_offline(True)
    card.get_by_role("button", name="Send answer").click()
    card.get_by_text("ClawTap could not be reached").wait_for()
    page.context.set_offline(False)
    card.get_by_role("button", name="Try again").click()
    card.locator(".outcome").wait_for()
    assert served.said()[-1]["textValue"] == "my key"


def test_a_conversation_grows_and_a_tool_gets_its_result(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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


def test_one_thing_moves_while_a_session_works(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add", state="busy")
    for _ in range(3):
        served.do("add", state="busy")
    page = open_page("desk", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
    page.locator("[data-working]").wait_for()
    endless = """() => document.getAnimations()
      .filter((one) => one.effect.getComputedTiming().iterations === Infinity).length"""
    assert page.evaluate(endless) == 1
    # Each animation costs a frame's styles, and the text itself moves.
    served.do("stream", session=session, text="Words")
    page.locator(".streaming-text", has_text="Words").wait_for()
    assert page.evaluate(endless) == 0


def test_a_message_that_was_sent_stands_once_when_the_cli_reports_it(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
    page.fill("#message", "count to three")
    page.keyboard.press("Enter")
    mine = page.locator(".feed-item.user:visible", has_text="count to three")
    mine.wait_for()
    fields = {"id": "u", "role": "user", "content": [{"type": "text", "text": "count to three"}]}
    served.do("say", session=session, message=fields)
    page.locator(f"#feed-{session}-u-0").wait_for()
    expect(mine).to_have_count(1)


def test_what_a_rewind_removed_leaves_an_open_page(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
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
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", cli_session_id="cli-1", detail="exited with status 1")
    page = open_page("phone", f"/sessions/{session}")
    page.locator("html[data-connection=live]").wait_for()
    served.do("state", session=session, state="ended")
    page.get_by_text("Exited with status 1").wait_for()
    expect(page.locator("#message")).to_be_hidden()
    page.get_by_role("button", name="Resume").click()
    page.wait_for_url(lambda url: "/sessions/" in url and session not in url)
    assert served.said()[-1]["resume"] == "cli-1"


def test_a_draft_is_kept_over_a_reload(open_page: Callable[..., Any], served: Any) -> None:
    session = served.do("add")
    page = open_page("phone", f"/sessions/{session}")
    page.fill("#message", "half a thought")
    page.reload()
    expect(page.locator("#message")).to_have_value("half a thought")


def test_without_the_server_the_installed_page_says_so_and_comes_back(
    open_page: Callable[..., Any], fresh: Any
) -> None:
    page = open_page(expected="ERR_", server=fresh)
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
