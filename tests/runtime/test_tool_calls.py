"""What is known of a call tells other rows of its text from another call."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from clawtap_core import Kind, PromptForm, Question
from clawtap_core.runtime.panes.known_details import with_known
from clawtap_core.runtime.panes.tool_calls import ToolCalls

WHOLE = "\n".join(["touch whole.txt", *(f"echo line{at}" for at in range(50))])
HEAD = PromptForm(Kind.PERMISSION, "Run?", "touch whole.txt\necho line0", truncated=True)
TAIL = replace(HEAD, description="…\necho line48\necho line49")


def call(command):
    given = {"command": command}
    return PromptForm(Kind.PERMISSION, "Run?", command, tool_name="shell", tool_input=given)


@pytest.fixture
def calls():
    """The first rows of a call that a CLI hook reported in full stand on the screen."""
    adapter = SimpleNamespace(merge_prompt=lambda seen, known: None if seen.tool_name else known)
    known = ToolCalls(adapter)
    known.learn(call(WHOLE))
    known.shown(HEAD, new=True)
    return known


def test_a_text_that_may_lack_characters_is_cut_until_its_call_is_reported():
    family = "echo \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
    calls = ToolCalls(SimpleNamespace(merge_prompt=lambda seen, known: known))
    seen = call(family[:-1])
    shown = calls.shown(seen, new=True)
    assert (shown.truncated, shown.tool_input) == (True, None)
    calls.learn(call(family))
    assert calls.shown(seen, new=False) == call(family)


def test_other_rows_of_a_call_that_is_known_whole_are_the_same_prompt(calls):
    assert calls.continues(TAIL)


def test_rows_that_the_call_does_not_have_are_another_prompt(calls):
    assert not calls.continues(replace(TAIL, description="…\necho line48\nrm -rf /"))
    assert not calls.continues(replace(TAIL, description="…\necho line49\necho line48"))
    assert not calls.continues(replace(TAIL, truncated=False))


def test_rows_that_two_calls_have_are_another_prompt(calls):
    calls.learn(call(f"date\n{WHOLE}"))
    assert not calls.continues(TAIL)


def test_rows_that_come_after_the_call_ended_are_another_prompt(calls):
    calls.finish(call(WHOLE))
    assert not calls.continues(TAIL)


def test_another_page_of_a_call_of_several_questions_is_the_same_prompt():
    pages = [
        PromptForm(Kind.QUESTION, name, questions=(Question(name),)) for name in ("Where?", "When?")
    ]
    asked = tuple(page.questions[0] for page in pages)
    # What a transcript reports has no questions: the adapter reads them from the call's input.
    adapter = SimpleNamespace(merge_prompt=lambda seen, known: replace(seen, questions=asked))
    calls = ToolCalls(adapter)
    calls.learn(PromptForm(Kind.QUESTION, "", tool_name="ask", tool_call_id="1"))
    calls.shown(pages[0], new=True)
    assert calls.continues(pages[1])
    calls.conclude("1", "completed")
    assert not calls.continues(pages[1])


def test_the_review_of_one_question_is_the_same_prompt_and_the_question_again_may_be_another():
    asked = PromptForm(Kind.QUESTION, "Where?", questions=(Question("Where?"),))
    review = PromptForm(Kind.QUESTION, "Ready?", questions=(Question("Ready?"),))
    adapter = SimpleNamespace(
        merge_prompt=lambda seen, known: replace(seen, questions=asked.questions)
    )
    calls = ToolCalls(adapter)
    calls.learn(PromptForm(Kind.QUESTION, "", tool_name="ask", tool_call_id="1"))
    calls.shown(asked, new=True)
    assert not calls.continues(asked)
    assert calls.continues(review)
    calls.shown(review, new=True)
    assert calls.continues(asked)


def test_equal_calls_end_in_any_order_and_each_end_is_that_of_the_one_asked_about(calls):
    seen = PromptForm(Kind.PERMISSION, "Run?", "date")
    calls.left()
    for name in ("1", "2", "3"):
        calls.learn(replace(call("date"), tool_call_id=name))
    ids = []
    for name in ("3", "1", "2"):
        calls.shown(seen, new=True)
        asked = calls.current
        assert not asked.concluded
        calls.conclude(name, "success")
        assert asked.concluded
        calls.left()
        ids.append(asked.form.tool_call_id)
    assert ids == ["3", "1", "2"]
    calls.shown(seen, new=True)
    assert calls.current is None


def test_the_end_of_a_call_does_not_end_another_that_is_asked_about(calls):
    calls.left()
    calls.learn(replace(call("date"), tool_call_id="1"))
    calls.shown(PromptForm(Kind.PERMISSION, "Run?", "date"), new=True)
    asked = calls.current
    calls.learn(replace(call("ls"), tool_call_id="2"))
    calls.conclude("2", "success")
    assert not asked.concluded


def test_a_call_that_the_screen_shows_for_certain_is_taken_before_one_that_it_may_show():
    def merge(seen, known):
        draws = "\x1b" in known.tool_input["command"]
        return None if seen.tool_name else replace(known, rewrapped=draws)

    known = ToolCalls(SimpleNamespace(merge_prompt=merge))
    known.learn(call("sleep 8\x1b[1m"))
    seen = PromptForm(Kind.PERMISSION, "Run?", "touch a.txt")
    assert known.shown(seen, new=True).description == "sleep 8\x1b[1m"
    known.learn(replace(call("touch a.txt"), tool_call_id="2"))
    assert known.shown(seen, new=False).description == "touch a.txt"
    assert known.current.form.tool_call_id == "2"


def test_a_call_that_is_a_part_of_the_one_that_asks_is_not_taken_for_it():
    def merge(seen, known):
        return known if not seen.tool_name and known.description in seen.description else None

    known = ToolCalls(SimpleNamespace(merge_prompt=merge))
    known.learn(call("sleep 8"))
    asks = PromptForm(Kind.PERMISSION, "Run?", "sleep 8; rm -r src")
    known.shown(asks, new=True)
    known.learn(call(asks.description))
    seen = replace(asks, tool_input={"command": asks.description})
    assert known.shown(seen, new=False).description == "sleep 8; rm -r src"


def beginnings(*commands):
    """Calls of which a transcript tells, and a screen that shows the first row of them."""
    adapter = SimpleNamespace(
        merge_prompt=lambda seen, known: (
            replace(seen, truncated=False, tool_input=known.tool_input, description="whole")
            if known.description.startswith(seen.description)
            and not (seen.tool_call_id and known.tool_call_id)
            else None
        )
    )
    known = ToolCalls(adapter)
    for at, command in enumerate(commands):
        known.learn(replace(call(command), tool_call_id=str(at)))
    return known


BEGINNING = PromptForm(Kind.PERMISSION, "Run?", "make", truncated=True)


def test_two_calls_that_begin_alike_are_not_told_apart_by_their_beginning():
    calls = beginnings("make\nmake test", "make\nrm -rf .")
    assert calls.shown(BEGINNING, new=True) == BEGINNING
    assert calls.current is None
    calls.conclude("0", "success")
    assert calls.shown(BEGINNING, new=True).tool_input == {"command": "make\nrm -rf ."}


def test_two_equal_calls_are_no_doubt():
    calls = beginnings("make\nmake test", "make\nmake test")
    assert calls.shown(BEGINNING, new=True).tool_input == {"command": "make\nmake test"}


def test_a_beginning_proves_nothing_to_rules_also_where_one_call_is_known():
    calls = beginnings("make\nmake test")
    shown = calls.shown(BEGINNING, new=True)
    assert (shown.truncated, shown.rewrapped) == (False, True)
    again = with_known(BEGINNING, shown)
    assert (again.truncated, again.rewrapped) == (False, True)


@pytest.mark.parametrize(
    ("again", "resized", "truncated"),
    [
        (replace(HEAD, description="touch whole.txt\n…"), True, False),
        (replace(HEAD, description="touch whole.txt\n…"), False, True),
        (replace(HEAD, description="touch whole.txt\n…", expandable=True), False, False),
    ],
    ids=["smaller", "measured", "folded"],
)
def test_a_text_that_is_cut_in_a_pane_of_the_same_size_never_was_whole(again, resized, truncated):
    shown = replace(HEAD, truncated=False, tool_input={"command": HEAD.description})
    known = with_known(again, shown, resized=resized)
    assert (known.description, known.truncated) == (HEAD.description, truncated)
    assert known.tool_input == (None if truncated else shown.tool_input)


def test_a_title_that_left_the_pane_stays():
    cut = replace(HEAD, title="", description="touch whole.txt")
    assert with_known(cut, HEAD).title == HEAD.title


def test_a_hook_that_waits_proves_whose_beginning_it_is():
    calls = beginnings("make\nmake test")
    held = SimpleNamespace(waits=True, release=lambda: None)
    calls.learn(call("make\nrm -rf ."), held)
    shown = calls.shown(BEGINNING, new=True)
    assert (shown.tool_input, shown.rewrapped) == ({"command": "make\nrm -rf ."}, False)


PLAN = """Here it is.

# The **plan**

1. Read `a.py`, with [care](https://example.org)

```python
assert ready
```

| step | done |
|---|---|
| write the tests | no |
"""
PLAN_END = PromptForm(
    Kind.PLAN,
    "Implement this plan?",
    "assert ready\n\n  step             done\n  ━━━━━━━━━━━━━━━  ━━━━\n  write the tests  no",
    truncated=True,
)


def test_a_plan_whose_end_is_shown_is_the_text_that_the_agent_said_last():
    calls = ToolCalls(SimpleNamespace(merge_prompt=lambda seen, reported: None))
    assert calls.shown(PLAN_END, new=True) == PLAN_END
    calls.note_text(PLAN)
    shown = calls.shown(PLAN_END, new=False)
    assert (shown.description, shown.truncated) == (PLAN.strip(), False)


@pytest.mark.parametrize(
    "seen",
    [
        replace(PLAN_END, description="write the tests yes"),
        replace(PLAN_END, description="no"),
        replace(PLAN_END, truncated=False),
        replace(PLAN_END, kind=Kind.PERMISSION),
    ],
)
def test_another_text_does_not_complete_a_plan(seen):
    calls = ToolCalls(SimpleNamespace(merge_prompt=lambda seen, reported: None))
    calls.note_text(PLAN)
    assert calls.shown(seen, new=True) == seen
