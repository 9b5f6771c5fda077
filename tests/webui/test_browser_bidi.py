"""Hebrew and Arabic: what a command does and which file is meant is read from left to right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser
OPTIONS = [
    {"value": "yes", "label": "Yes", "effect": "allow_once"},
    {"value": "no", "label": "No", "effect": "deny"},
]
DIRECTIONS = pytest.mark.parametrize("direction", ["ltr", "rtl"])
# The parts of a text by where they begin to be drawn, from the left; all of them in one line.
DRAWN = """(root, parts) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const characters = [];
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    for (let at = 0; at < node.length; at += 1) characters.push([node, at]);
  }
  const text = characters.map(([node, at]) => node.data[at]).join("");
  const left = (from, to) => Math.min(...characters.slice(from, to).map(([node, at]) => {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect().left;
  }));
  let from = 0;
  const lefts = parts.map((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return [part, left(at, from)];
  });
  return lefts.sort(([, one], [, other]) => one - other).map(([part]) => part);
}"""


def _command(command: str) -> dict[str, Any]:
    return {
        "type": "permission",
        "title": "Run this command?",
        "toolName": "Bash",
        "toolInput": {"command": command},
        "options": OPTIONS,
    }


def _in_order(place: Any, *parts: str) -> None:
    assert place.evaluate(DRAWN, list(parts)) == list(parts)


@DIRECTIONS
def test_the_parts_of_a_command_stand_in_their_order(
    direction: str, open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="חנות", cwd="/home/me/פרויקטים/חנות")
    deletes = served.do("ask_wire", session=session, form=_command("rm -rf /srv/תמונות/ישן 7"))
    moves = served.do("ask_wire", session=session, form=_command("mv מקור יעד"))
    says = served.do("ask_wire", session=session, form=_command('git commit -m "תיקון הבאג"'))
    page = open_live("desk")
    page.evaluate("to => document.documentElement.dir = to", direction)
    code = {each: page.locator(f"#prompt-{each} code") for each in (deletes, moves, says)}
    _in_order(code[deletes], "rm", "/srv/", "תמונות", "/", "ישן", "7")
    _in_order(code[moves], "mv", "מקור", "יעד")
    # What is quoted is written for people, who read it from the right.
    assert code[says].evaluate(DRAWN, ["git", "תיקון", "הבאג"]) == ["git", "הבאג", "תיקון"]
    assert code[says].text_content() == 'git commit -m "תיקון הבאג"'
    folder = page.locator(".row-folder").first
    _in_order(folder, "פרויקטים", "/", "חנות")
    assert folder.text_content() == "פרויקטים/חנות"


@DIRECTIONS
def test_the_path_of_a_change_stands_in_its_order(
    direction: str, open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    edit = {
        "file_path": "/srv/מודול/קובץ.py",
        "old_string": "a = 1\n",
        "new_string": "cp(תמונות/ישן, גיבוי)\n",
    }
    served.do(
        "ask_wire", session=session,
        form={**_command(""), "title": "Edit?", "toolName": "Edit", "toolInput": edit},
    )  # fmt: skip
    said = {"type": "text", "text": "`mv תמונות/ישן גיבוי/חדש`\n\n```bash\nrm /srv/תמונות/ישן\n```"}
    served.do("say", session=session, message={"id": "m1", "role": "assistant", "content": [said]})
    page = open_live("desk", f"/sessions/{session}")
    page.evaluate("to => document.documentElement.dir = to", direction)
    path = page.locator(".diff-path")
    _in_order(path, "קובץ", ".py", "/srv/", "מודול")
    assert path.text_content() == "קובץ.py /srv/מודול"
    # So do those in its lines, and in what is said.
    _in_order(page.locator(".line.add code"), "cp", "תמונות", "ישן", "גיבוי")
    line, block = page.locator(".feed-item .rich code").all()
    _in_order(line, "mv", "תמונות", "ישן", "גיבוי", "חדש")
    _in_order(block, "rm", "/srv/", "תמונות", "ישן")


def test_the_columns_of_a_terminal_stay_where_they_are(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("paint", session=session, text="│ שלום │ עולם │ 12 │\n")
    page = open_live("desk", f"/sessions/{session}?screen=1")
    _in_order(page.locator("pre.terminal"), "שלום", "עולם", "12")


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u200f"])
def test_a_character_that_reorders_others_is_spelled_out(
    character: str, open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    served.do("ask_wire", session=session, form=_command(f"rm {character}txt.exe"))
    page = open_live("desk", f"/sessions/{session}")
    assert page.locator("ct-prompt code").text_content() == f"rm ⟦U+{ord(character):04X}⟧txt.exe"


ANSWER = """- `app.py`: תוקן
- נוסף

1. אחת

> ציטוט

| קובץ | שינוי |
|---|---|
| `a.py` | חדש |
"""


def test_what_is_written_from_the_right_begins_there(
    open_live: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    for key, text in (("he", ANSWER), ("en", "- one\n\n> two")):
        content = [{"type": "text", "text": text}]
        message = {"id": key, "role": "assistant", "content": content}
        served.do("say", session=session, message={**message, "at": "2026-11-21T09:00:00Z"})
    page = open_live("phone", f"/sessions/{session}")
    hebrew, english = page.locator(".feed-item .rich").all()
    for place in hebrew.locator("ul, ol, blockquote, table").all():
        assert place.evaluate("one => getComputedStyle(one).direction") == "rtl"
    for place in english.locator("ul, blockquote").all():
        assert place.evaluate("one => getComputedStyle(one).direction") == "ltr"
    assert hebrew.locator("thead").evaluate(DRAWN, ["קובץ", "שינוי"]) == ["שינוי", "קובץ"]


def test_the_name_of_a_file_says_what_it_is(open_live: Callable[..., Any], served: Any) -> None:
    session = served.do("add", state="busy")
    page = open_live("phone", f"/sessions/{session}")
    file = {"name": "\u202egpj.exe", "mimeType": "image/png", "buffer": b"x"}
    page.get_by_label("Attach files or pictures").set_input_files([file])
    chip = page.locator(".composer .file:not(.is-busy)")
    chip.wait_for()
    assert chip.inner_text() == "⟦U+202E⟧gpj.exe"
    page.locator("#message").fill("look")
    page.get_by_role("button", name="Send", exact=True).click()
    queued = page.locator(".queue .file")
    queued.wait_for()
    assert queued.inner_text() == "⟦U+202E⟧gpj.exe"


def test_the_folder_of_what_was_found_stands_in_its_order(
    open_page: Callable[..., Any], served: Any
) -> None:
    served.do("add", title="Shop", cwd="/srv/פרויקטים/חנות")
    page = open_page("phone", "/find?q=Shop")
    _in_order(page.locator(".found-row .row-sub").first, "פרויקטים", "/", "חנות")
