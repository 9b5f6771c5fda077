"""Recordings are read, and compared with what an adapter makes of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clawtap_core import (
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    SeenState,
    SessionState,
    TextInput,
)
from clawtap_core.testing import Recording, Row, Truth
from clawtap_core.testing.recordings import read_screen
from clawtap_core.testing.responses import every_response
from clawtap_core.testing.truth import STEERING, change, differences, truth_as_read

FORM = PromptForm(
    Kind.PERMISSION,
    "Run make all?",
    options=(Option("yes", "Yes", Effect.ALLOW_ONCE, hint="y"), Option("no", "No", Effect.DENY)),
)
ROWS = (Row("Yes (y)", 1), Row("No", 2))
QUESTION = PromptForm(
    Kind.QUESTION,
    "",
    questions=(
        Question("Which?", options=(QuestionOption("A"), QuestionOption("B")), other=True),
        Question("Name?"),
        Question("Several?", options=(QuestionOption("C"),), multi_select=True),
    ),
)


def test_a_recording_knows_its_screen_and_its_truth(recordings: Path) -> None:
    ask, idle = Recording.load_all(recordings)
    assert (ask.name, idle.name) == ("1.0/ask", "1.0/idle")
    assert (ask.screen.cols, ask.screen.rows, ask.screen.cursor) == (40, 10, (22, 2))
    assert ask.screen.lines[-1] == "Run make all? [y/N]"
    assert ask.truth.rows == (Row("Run it (y)", 1), Row("Refuse", 2))
    assert (idle.truth.is_prompt, idle.truth.state) == (False, "idle")


class Asked(dict):
    """A value of NAME.json that notes which keys are read."""

    def __init__(self, data: dict[str, Any], keys: set[str], before: str = "") -> None:
        super().__init__(data)
        self.keys_read, self.before = keys, before

    def get(self, key: str, default: Any = None) -> Any:
        self.keys_read.add(self.before + key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.keys_read.add(self.before + key)
        return super().__getitem__(key)


def test_every_key_that_is_read_is_documented_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
    table = page.split("| key of `NAME.json` |")[1].split("\n\n")[0]
    first_cells = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    documented = {key for cell in first_cells for key in re.findall(r"`(.+?)`", cell)}
    keys: set[str] = set()
    row = Asked({"label": "Yes"}, keys, "options[].")
    data = Asked({"options": [row]}, keys)
    read_screen("a screen", data)
    Truth.of(data)
    assert documented == keys


@pytest.mark.parametrize("form", [FORM, QUESTION, None])
def test_what_an_adapter_reads_differs_in_nothing_from_the_truth_made_of_it(form: Any) -> None:
    written = json.loads(json.dumps(truth_as_read(form, SeenState(SessionState.WAITING))))
    truth = Truth.of(written)
    assert (truth.is_prompt, truth.state) == (form is not None, "waiting")
    assert form is None or differences(form, truth) == []


def test_the_cursor_of_a_written_truth_is_on_its_row() -> None:
    form = replace(FORM, selected="no")
    assert truth_as_read(form, None)["selected_index"] == 2
    question = replace(QUESTION, selected="B")
    assert truth_as_read(question, None)["selected_index"] == 2


def test_an_option_that_is_named_like_a_row_that_steers_is_one_where_the_truth_says_so() -> None:
    asked = Question("Send it?", options=(QuestionOption("Submit"), QuestionOption("Cancel")))
    form = PromptForm(Kind.QUESTION, "Send it?", questions=(asked,))
    truth = Truth.of(truth_as_read(form, None))
    assert differences(form, truth, STEERING) == []
    steers = replace(truth, rows=tuple(replace(row, option=False) for row in truth.rows))
    assert differences(form, steers, STEERING) == ["there is no option 'Submit'"]


def test_a_recording_without_truth_is_only_a_screen(tmp_path: Path) -> None:
    path = tmp_path / "bare.ansi"
    path.write_text("hello\n")
    found = Recording.load(path)
    assert (found.name, found.screen.text, found.truth) == ("bare", "hello", Truth())


def test_the_truth_itself_has_no_differences() -> None:
    truth = Truth(True, "permission", "Run make all?", rows=ROWS, selected_index=1)
    assert differences(FORM, truth) == []


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (Truth(kind="plan"), "the kind is 'permission', not 'plan'"),
        (Truth(title="Build all?"), "the title 'Build all?' is not in"),
        (Truth(rows=ROWS[:1]), "there is no option 'No'"),
        (Truth(rows=(*ROWS, Row("Always"))), "options were not read: ['Always']"),
        (Truth(rows=ROWS[::-1]), "the options stand in another order"),
        (Truth(text_input=True), "it does not take free text"),
        (Truth(multi_select=True), "it takes one option"),
    ],
)
def test_each_difference_is_named(truth: Truth, said: str) -> None:
    (found,) = differences(FORM, truth)
    assert said in found


def test_another_selected_row_is_a_difference() -> None:
    form = PromptForm(Kind.PERMISSION, "Run?", options=FORM.options, selected="no")
    (found,) = differences(form, Truth(rows=ROWS, selected_index=1))
    assert found == "the cursor is on 'Yes (y)', not on 'No'"


@pytest.mark.parametrize("kind", ["permission", "question"])
def test_a_startup_dialog_is_what_it_asks_for(kind: str) -> None:
    assert differences(PromptForm(Kind(kind), "Trust?"), Truth(kind="startup")) == []


def test_rows_that_steer_or_take_text_are_no_options() -> None:
    rows = (Row("A"), Row("B"), Row("Other", text_input=True), Row("Done"))
    form = PromptForm(Kind.QUESTION, "", questions=QUESTION.questions[:1])
    assert differences(form, Truth(rows=rows, text_input=True), ("Done",)) == []
    assert differences(form, Truth(rows=rows), ()) == ["options were not read: ['Done']"]


def test_words_that_the_cli_cut_cannot_be_read() -> None:
    truth = Truth(title="Which one?", description="Run make all?")
    assert differences(FORM, truth, shown="│ Run make │\n│ all? │") == []
    assert len(differences(FORM, truth, shown="Which one?")) == 1


def test_what_a_list_hides_may_be_missing() -> None:
    form = PromptForm(Kind.PERMISSION, "Run?", options=FORM.options, more_options=True)
    assert differences(form, Truth(rows=(*ROWS, Row("Always")), text_input=True)) == []


def test_every_answer_to_every_question_is_tried() -> None:
    form: Any = QUESTION
    names = [name for name, _ in every_response(form)]
    assert names == [
        "question 0: A",
        "question 0: B",
        "question 0: words of my own",
        "question 1: words of my own",
        "question 2: ('C',)",
        "question 2: ('C',)",
    ]


def test_options_and_text_are_tried() -> None:
    form = PromptForm(Kind.PLAN, "Go?", options=FORM.options, text_input=TextInput())
    assert [name for name, _ in every_response(form)] == ["Yes", "No", "text"]


def test_an_option_may_begin_like_another_with_brackets_behind_it() -> None:
    options = (Option("keep", "Keep"), Option("never", "Keep (never ask)"))
    form = PromptForm(Kind.PERMISSION, "Run?", options=options)
    assert differences(form, Truth(rows=(Row("Keep"), Row("Keep (never ask)")))) == []
    turned = PromptForm(Kind.PERMISSION, "Run?", options=options[::-1])
    assert differences(turned, Truth(rows=(Row("Keep"), Row("Keep (never ask)"))))


def test_two_readings_are_told_apart_where_they_begin_to_differ() -> None:
    described = replace(FORM, description="a " * 60 + "b c")
    told = change(described, replace(FORM, description="a " * 60 + "b\nc"))
    before, after = f"…{' a' * 9} b c", f"…{' a' * 9} b\nc"
    assert told == f"the description {before!r} becomes {after!r}"
    assert change(FORM, None) == "no prompt was read"
    assert change(None, FORM) == "a prompt was read"
    assert change(FORM, replace(FORM, truncated=True)) == ("the truncated 'False' becomes 'True'")
