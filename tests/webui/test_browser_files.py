"""Files and pictures that go with a message: chosen, pasted, dropped, removed, sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from patience import until

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.browser
SIZES = pytest.mark.parametrize("size", ["phone", "desk"])
PNG = {"name": "shot.png", "mimeType": "image/png", "buffer": b"\x89PNG\x00"}
TEXT = {"name": "a long name of notes.txt", "mimeType": "text/plain", "buffer": b"notes"}
GIVE = """([kind, name]) => {
  const data = new DataTransfer();
  data.items.add(new File(["x"], name, { type: "image/png" }));
  const event = kind === "paste"
    ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector("#message").dispatchEvent(event);
}"""


def chips(page: Any) -> Any:
    return page.locator(".composer .file:not(.is-busy)")


@SIZES
def test_files_are_chosen_removed_and_sent_with_the_message(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page(size, f"/sessions/{session}")
    page.get_by_label("Attach files or pictures").set_input_files([PNG, TEXT])
    expect(chips(page)).to_have_count(2)
    page.get_by_role("button", name="Remove a long name of notes.txt").click()
    expect(chips(page)).to_have_count(1)
    expect(page.locator("#message")).to_be_focused()
    page.fill("#message", "what is wrong here?")
    page.locator(".send").click()
    expect(chips(page)).to_have_count(0)
    page.locator(".bubble:visible", has_text="shot.png").wait_for()
    said = [one for one in served.said() if one["what"] == "message"]
    assert (said[-1]["text"], said[-1]["files"]) == ("what is wrong here?", ["shot.png"])


@pytest.mark.parametrize("kind", ["paste", "drop"])
def test_a_picture_that_is_pasted_or_dropped_is_a_message_by_itself(
    kind: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page("desk", f"/sessions/{session}")
    page.evaluate(GIVE, [kind, "pasted.png"])
    expect(chips(page)).to_have_text(["pasted.png"])
    page.locator(".send").click()
    expect(chips(page)).to_have_count(0)
    until(lambda: [one["files"] for one in served.said()] == [["pasted.png"]])


@SIZES
def test_a_queued_message_shows_its_files_and_gives_them_back(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", state="busy")
    page = open_page(size, f"/sessions/{session}")
    page.get_by_label("Attach files or pictures").set_input_files([PNG])
    page.fill("#message", "look")
    page.locator(".send").click()
    page.locator(".queue .file", has_text="shot.png").wait_for()
    expect(chips(page)).to_have_count(0)
    page.get_by_role("button", name="Unsend").click()
    expect(chips(page)).to_have_text(["shot.png"])
    expect(page.locator("#message")).to_have_value("look")


def test_files_stay_with_the_draft_over_a_reload(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page(path=f"/sessions/{session}")
    page.get_by_label("Attach files or pictures").set_input_files([PNG])
    expect(chips(page)).to_have_count(1)
    page.reload()
    expect(chips(page)).to_have_text(["shot.png"])
    page.locator(".send").click()
    expect(chips(page)).to_have_count(0)
    until(lambda: [one["files"] for one in served.said()] == [["shot.png"]])


def test_what_cannot_be_taken_is_said_in_a_sentence(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    page = open_page(path=f"/sessions/{session}", expected="503")
    give = page.get_by_label("Attach files or pictures")
    give.set_input_files([{**PNG, "name": "broken.png"}])
    page.get_by_text("broken.png: The file could not be kept (disk full)").wait_for()
    page.locator("ct-files").evaluate("files => (files.dataset.largest = 1048576)")
    give.set_input_files([{**PNG, "buffer": bytes(1048577)}])
    page.get_by_text("shot.png is larger than 1 MB").wait_for()
    give.set_input_files([{**PNG, "name": f"{number}.png"} for number in range(11)])
    page.get_by_text("A message takes 10 files at most").wait_for()
    expect(chips(page)).to_have_count(10)
