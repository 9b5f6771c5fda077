"""Which rows are what, and why nothing matched."""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clawtap_core import (
    AdapterInfo,
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    Screen,
    SeenState,
    SessionState,
    hookimpl,
)
from clawtap_core.host import Adapter, Host
from clawtap_core.screens import single_rows
from clawtap_core.testing import Recording
from clawtap_core.testing.explanation import explain
from clawtap_core.testing.missed_prompt import why_no_prompt

PLUGINS = Path(__file__).parents[2] / "plugins"
DEMO = PLUGINS / "clawtap-demo" / "tests" / "recordings"
OPENCODE = PLUGINS / "clawtap-opencode" / "tests" / "recordings" / "1.18.33"


@pytest.fixture
def demo() -> Adapter:
    return Host.installed(only=["demo"]).adapter("demo")


def recorded(name: str) -> Screen:
    return Recording.load(DEMO / f"{name}.ansi").screen


def rows(adapter: Adapter, screen: Screen) -> dict[int, str]:
    return {row + 1: ", ".join(parts) for row, parts in explain(adapter, screen).parts.items()}


def test_each_row_of_a_prompt_is_named(demo: Adapter) -> None:
    assert rows(demo, recorded("permission-80x24")) == {
        5: "needed",
        6: "title",
        7: "frame",
        8: "body",
        9: "frame",
        10: "option 1, cursor",
        11: "option 2",
        12: "option 3",
        13: "frame",
        14: "footer",
    }


def test_descriptions_belong_to_their_options_and_free_text_has_a_field(demo: Adapter) -> None:
    parts = rows(demo, recorded("questions-80x24"))
    assert [parts[row] for row in range(8, 17)] == [
        "option 1, cursor",
        "option 1",
        "option 2",
        "option 2",
        "option 3",
        "option 3",
        "text field",
        "frame",
        "footer",
    ]


def test_a_wrapped_prompt_is_found_all_the_same(demo: Adapter) -> None:
    parts = rows(demo, recorded("long-42x22")).values()
    assert {"title", "body", "option 1, cursor", "option 2", "option 3", "footer"} <= set(parts)


def test_an_option_is_found_though_a_sign_of_wrapping_follows(demo: Adapter) -> None:
    parts = set(rows(demo, recorded("edit-42x22")).values())
    assert {"option 1, cursor", "option 2", "option 3"} <= parts


def test_the_composer_the_busy_line_and_the_mode_are_named(demo: Adapter) -> None:
    parts = rows(demo, recorded("busy-80x24"))
    assert (parts[7], parts[9], parts[11], parts[13]) == (
        "answer",
        "busy line",
        "composer",
        "mode, model",
    )


def test_the_draft_is_named(demo: Adapter) -> None:
    assert rows(demo, recorded("draft-80x24"))[6] == "draft"


def test_what_stands_above_a_prompt_is_no_part_of_it(demo: Adapter) -> None:
    parts = rows(demo, recorded("quoting-80x24"))
    assert "title" not in parts.values()


def test_a_row_below_the_prompt_is_found_out(demo: Adapter) -> None:
    screen = recorded("permission-80x24")
    captured = (*screen.captured[:14], "a row that should not be here", *screen.captured[15:])
    reasons = why_no_prompt(demo, replace(screen, captured=captured))
    assert reasons[0].startswith("without row 15 and what is below, it would be a prompt")


def test_a_wrong_width_is_found_out(demo: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, detect = recorded("permission-80x24"), demo.detect_prompt
    monkeypatch.setattr(demo, "detect_prompt", lambda s: detect(s) if s.cols == 120 else None)
    reasons = why_no_prompt(demo, screen)
    assert "in a pane of 120 columns it would be a prompt: this one has 80" in reasons


def test_the_lines_of_the_adapter_that_gave_up_are_shown(demo: Adapter) -> None:
    reasons = why_no_prompt(demo, recorded("half-a-prompt-80x24"))
    assert reasons[-1].startswith("last_block returned None in block.py, line ")
    assert reasons[-2].startswith("detect_prompt returned None in prompt.py, line ")


def test_a_statement_that_takes_several_lines_is_shown_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "long_lines.py").write_text("""
from clawtap_core import hookimpl
from clawtap_demo.adapter import adapter_info

@hookimpl
def detect_prompt(screen):
    return (
        title(screen)
        or None
    )

def title(screen):
    if (
        screen.cols < 200
        and screen.text
    ):
        return None
    return "a title"
""")
    monkeypatch.syspath_prepend(str(tmp_path))
    host = Host()
    host.add(importlib.import_module("long_lines"), "long")
    first, last = list(why_no_prompt(host.adapter("demo"), Screen.from_text("hello")))[-2:]
    assert first.endswith("in long_lines.py, line 7: return ( title(screen) or None )")
    assert last.endswith(
        "in long_lines.py, line 17: if screen.cols < 200 and screen.text: return None"
    )


def test_options_that_no_adapter_knows_are_pointed_out(demo: Adapter) -> None:
    reasons = why_no_prompt(demo, Screen.from_text("Which?\n❯ 1. Red\n  2. Blue"))
    assert reasons[0] == "rows 2 to 3 look like options; the cursor is on row 2"
    assert reasons[1].startswith("the capture has no colors or styles")


def test_a_cursor_that_is_only_a_style_is_pointed_out(demo: Adapter) -> None:
    inverse = "\x1b[7m  2. Green\x1b[0m"
    reasons = why_no_prompt(demo, Screen.from_text(f"Which?\n  1. Red\n{inverse}\n  3. Blue"))
    assert "but row 3 has a style of its own: use select_by_style" in reasons[0]
    reasons = why_no_prompt(demo, Screen.from_text(f"Which?\n  1. Red\n{inverse}"))
    assert "but their styles differ: use select_by_style with `chosen`" in reasons[0]


@pytest.mark.parametrize(
    ("rows_of_the_box", "how"),
    [
        (("\x1b[47m  1. Yes   \x1b[0m", "  2. No    "), "none of them has a cursor mark"),
        (("    Yes    ", "  > No     "), "the cursor is on row 4"),
    ],
)
def test_options_in_a_box_are_pointed_out_though_a_message_above_begins_with_a_mark(
    demo: Adapter, rows_of_the_box: tuple[str, ...], how: str
) -> None:
    box = ("┌────────────┐", *(f"│ {row}│" for row in rows_of_the_box), "└────────────┘")
    reasons = why_no_prompt(demo, Screen.from_text("\n".join(("> make it", *box, "~/src"))))
    assert reasons[0].startswith(f"rows 3 to 4 look like options; {how}")


def test_buttons_in_one_row_are_all_named() -> None:
    opencode = Host.installed(only=["opencode"]).adapter("opencode")
    screen = Recording.load(OPENCODE / "always-cancel-120x40.ansi").screen
    assert rows(opencode, screen)[38] == "option 1, option 2, cursor"


def test_an_empty_screen_and_a_missing_hook_are_said(clawtap_host: Any) -> None:
    from clawtap_core import AdapterInfo, hookimpl

    class Bare:
        @hookimpl
        def adapter_info(self) -> AdapterInfo:
            return AdapterInfo("bare", "Bare")

    clawtap_host.add(Bare(), "bare")
    bare = clawtap_host.adapter("bare")
    assert why_no_prompt(bare, Screen(("x",))) == ["the adapter has no hook detect_prompt"]
    assert explain(bare, Screen(("x",))).parts == {}


def test_an_empty_screen_is_said(demo: Adapter) -> None:
    assert why_no_prompt(demo, Screen(("", ""))) == ["the screen is empty"]


def test_a_mark_before_the_title_does_not_hide_it(clawtap_host: Any) -> None:
    from clawtap_core import AdapterInfo, Kind, PromptForm, hookimpl

    class Asking:
        @hookimpl
        def adapter_info(self) -> AdapterInfo:
            return AdapterInfo("asking", "Asking")

        @hookimpl
        def detect_prompt(self, screen: Screen) -> PromptForm | None:
            title = screen.lines[-1].removeprefix("? ")
            if not screen.lines[-1].startswith("? "):
                return None
            return PromptForm(Kind.QUESTION, title)

    clawtap_host.add(Asking(), "asking")
    asking = clawtap_host.adapter("asking")
    assert rows(asking, Screen.from_text("hello\n? Which color")) == {2: "title"}
    reasons = why_no_prompt(asking, Screen.from_text("hello"))
    assert reasons[-1].endswith('if not screen.lines[-1].startswith("? "): return None')


ASKING = """\
> run it

* Run command(make test
   && make all)
  Call: make test

  1. Yes
  2. No
  3. No, and say why

Enter to choose
"""


@pytest.fixture
def asking(clawtap_host: Any) -> Adapter:
    """An adapter whose title and command are parts of rows, and that leaves out a row."""
    from clawtap_core import AdapterInfo, Effect, Kind, Option, PromptForm, hookimpl

    class Asking:
        @hookimpl
        def adapter_info(self) -> AdapterInfo:
            return AdapterInfo("asking", "Asking")

        @hookimpl
        def detect_prompt(self, screen: Screen) -> PromptForm | None:
            whole = re.search(r"(?s)\n\* (.*?)\((.*?)\)\n.*1\. .*2\. .*\nEnter", screen.text)
            if not whole:
                return None
            command = re.sub(r"\s+", " ", whole[2])
            options = (Option("yes", "Yes"), Option("no", "No", Effect.DENY))
            return PromptForm(Kind.PERMISSION, whole[1], command, options=options)

    clawtap_host.add(Asking(), "asking")
    adapter: Adapter = clawtap_host.adapter("asking")
    return adapter


def test_a_row_that_begins_with_an_option_is_not_taken_for_it(asking: Adapter) -> None:
    parts = rows(asking, Screen.from_text(ASKING))
    assert (parts[7], parts[8], parts.get(9)) == ("option 1", "option 2", None)


def test_a_title_and_a_body_are_found_among_other_words_of_their_rows(asking: Adapter) -> None:
    parts = rows(asking, Screen.from_text(ASKING))
    assert (parts[3], parts[4]) == ("title, body", "body")


class Shipit:
    """A full-screen form: a list with a mark of its own, a text field, a page that keys answer."""

    @hookimpl
    def adapter_info(self) -> AdapterInfo:
        return AdapterInfo("shipit", "Shipit")

    @hookimpl
    def detect_prompt(self, screen: Screen) -> PromptForm | None:
        lines = screen.text.split("\n")
        if not re.fullmatch(r".* \d/3", lines[-1]):
            return None
        if rows := single_rows(lines, "»"):
            question = Question(lines[0], options=tuple(QuestionOption(row.label) for row in rows))
            selected = next(row.label for row in rows if row.selected)
            return PromptForm(Kind.QUESTION, lines[0], questions=(question,), selected=selected)
        if "[" in screen.text:
            question = Question(lines[0], input_type="text")
            return PromptForm(Kind.QUESTION, lines[0], questions=(question,))
        options = (Option("ship", "Ship it", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))
        return PromptForm(Kind.PERMISSION, lines[0], lines[2].strip(), options=options)

    @hookimpl
    def detect_state(self, screen: Screen) -> SeenState | None:
        lines = screen.text.split("\n")
        if self.detect_prompt(screen):
            return SeenState(SessionState.WAITING)
        return (
            SeenState(SessionState.IDLE, draft=lines[-2][2:]) if lines[-1][-5:] == "ready" else None
        )


@pytest.mark.parametrize(
    ("text", "cursor", "expected"),
    [
        (
            "Where to?\n\n  » Staging\n    Production\n\n up, down: move   1/3",
            None,
            {1: "title", 3: "option 1, cursor", 4: "option 2", 6: "footer"},
        ),
        ("A note?\n\n  [     ]\n\n type   2/3", (3, 2), {1: "title", 3: "text field", 5: "footer"}),
        (
            "Ship it like this?\n\n  target  Staging\n\n y: ship   3/3",
            None,
            {1: "title", 3: "body", 5: "footer"},
        ),
        ("home\n\n$ rel\n release: begin one   ready", None, {3: "draft", 4: "idle line"}),
    ],
    ids=["a mark of its own", "an empty field", "options that keys choose", "a draft seen twice"],
)
def test_the_rows_of_a_full_screen_form_are_named(
    clawtap_host: Any, text: str, cursor: tuple[int, int] | None, expected: dict[int, str]
) -> None:
    clawtap_host.add(Shipit(), "shipit")
    screen = replace(Screen.from_text(text), cursor=cursor)
    assert rows(clawtap_host.adapter("shipit"), screen) == expected


def test_a_mark_that_no_reader_knows_is_pointed_out(demo: Adapter) -> None:
    (reason, *_) = why_no_prompt(demo, Screen.from_text("Where to?\n» Staging\n  Production"))
    assert "neither a numbered list nor a mark such as" in reason
    assert "the `mark` of single_rows and numbered_rows" in reason
