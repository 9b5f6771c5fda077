"""The whole thread on the real agent: read the screen, answer, see what was chosen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from clawtap_demo import adapter

from clawtap_core import (
    Expect,
    Interrupt,
    Kind,
    PromptForm,
    QuestionOption,
    Response,
    SessionState,
    SwitchMode,
    SwitchModel,
)

pytestmark = pytest.mark.tmux


COLOURS = ["red", "orange", "yellow", "green", "teal", "blue", "indigo", "violet", "brown"]
COLOURS += ["black", "white", "grey", "pink", "gold"]


def asked(pane: Any, title: str = "") -> PromptForm:
    screen = pane.until(lambda now: (found := adapter.detect_prompt(now)) and title in found.title)
    form = adapter.detect_prompt(screen)
    assert form
    return form


def drive(pane: Any, next_steps: Any) -> Any:
    """What the core's delivery does, in small."""
    progress = None
    for _ in range(40):
        steps = next_steps(pane.look(), progress)
        assert steps is not None
        for step in steps.steps:
            pane.carry_out(step)
        if steps.done:
            return steps
        progress = steps.progress
    raise AssertionError("not done in 40 rounds")


def answer(pane: Any, form: PromptForm, **response: Any) -> None:
    given = Response("r1", **response)
    drive(pane, lambda screen, progress: adapter.respond(form, given, screen, progress))


def decided(pane: Any, count: int) -> list[tuple[list[str], str]]:
    pane.until(lambda _: len(pane.logged("decision")) >= count)
    return [(line["labels"], line["text"]) for line in pane.logged("decision")]


@pytest.mark.parametrize("cols", [42, 80])
def test_every_option_of_a_permission_can_be_chosen(start: Any, cols: int) -> None:
    pane = start("--show", "permission,edit,loop", cols=cols)
    form = asked(pane, "Run this command?")
    assert form.tool_input == {"command": "touch made.txt && ls -la"}
    answer(pane, form, selected_option=form.options[1].value)
    form = asked(pane, "Edit src/greet.py?")
    assert '+    print(f"hello, {name}")' in form.description
    answer(pane, form, selected_option=form.options[2].value)
    form = asked(pane, "repeat itself")
    assert form.kind is Kind.LOOP
    answer(pane, form, selected_option="keep-going")
    assert decided(pane, 3) == [
        (["Yes, and don't ask again for touch"], ""),
        (["No, leave the file as it is"], ""),
        (["Keep going"], ""),
    ]


def test_a_question_of_several_parts_is_answered_part_by_part(start: Any) -> None:
    pane = start("--show", "questions", cols=60, rows=20)
    first = asked(pane, "database")
    assert first.position
    assert (first.position.index, first.position.total) == (1, 3)
    answer(pane, first, answers={"0": "DuckDB"})
    answer(pane, asked(pane, "checks"), answers={"0": ("Types", "Lint", "Docs too")})
    answer(pane, asked(pane, "project"), answers={"0": "Löwe 🦁"})
    assert decided(pane, 3) == [([], "DuckDB"), (["Types", "Lint"], "Docs too"), ([], "Löwe 🦁")]


def test_what_the_desk_ticked_and_typed_is_put_right(start: Any) -> None:
    pane = start("--show", "multi")
    form = asked(pane)
    pane.tmux("send-keys", "Space", "Down", "Down", "Down", "x", "y")
    pane.until_text("▸ xy")
    answer(pane, form, answers={"0": ("Lint",)})
    assert decided(pane, 1) == [(["Lint"], "")]


def test_a_plan_is_sent_back_with_feedback_and_then_approved(start: Any) -> None:
    pane = start("--show", "plan")
    answer(pane, asked(pane), text_value="Write the docs too")
    pane.until_text("5. Write the docs too")
    answer(pane, asked(pane), selected_option="yes-go-ahead")
    assert decided(pane, 2)[1] == (["Yes, go ahead"], "")


def test_a_plan_that_is_denied_is_left_by_escape(start: Any) -> None:
    pane = start("--show", "plan")
    answer(pane, asked(pane), decision="deny")
    assert decided(pane, 1) == [([], "")]


@pytest.mark.parametrize("rows", [12, 30])
def test_a_list_that_scrolls_is_read_whole_and_stays_where_it_was(start: Any, rows: int) -> None:
    pane = start("--show", "list", rows=rows)
    form = asked(pane)
    assert form.more_options
    pane.tmux("send-keys", "Down", "Down", "Down")
    before = pane.until(lambda now: (adapter.detect_prompt(now) or form).selected == "green")
    seen: list[PromptForm] = []

    def reveal(screen: Any, progress: Any) -> Any:
        seen.append(adapter.detect_prompt(screen) or form)
        return adapter.reveal(form, screen, seen, progress)

    whole = drive(pane, reveal).form
    assert [option.label for option in whole.questions[0].options] == COLOURS
    assert not whole.more_options
    assert pane.look().lines == before.lines


def test_a_hidden_option_is_found_and_chosen(start: Any) -> None:
    pane = start("--show", "list,list", rows=12)
    form = asked(pane)
    options = tuple(QuestionOption(colour) for colour in COLOURS)
    whole = replace(form, questions=(replace(form.questions[0], options=options),))
    answer(pane, whole, answers={"0": "gold"})
    decided(pane, 1)
    pane.until_text("❯ red")
    pane.tmux("send-keys", "PageDown", "PageDown")
    pane.until_text("❯ white")
    answer(pane, whole, answers={"0": "red"})
    assert decided(pane, 2) == [(["gold"], ""), (["red"], "")]


def test_a_dialog_nobody_knows_is_neither_a_prompt_nor_a_state(start: Any) -> None:
    pane = start("--show", "unknown")
    screen = pane.until_text("A storm is coming")
    assert adapter.detect_prompt(screen) is None
    assert adapter.detect_state(screen) is None
    pane.tmux("send-keys", "Right", "Enter")
    assert decided(pane, 1) == [(["Now"], "")]


def test_half_a_prompt_is_not_reported(start: Any) -> None:
    pane = start("--show", "edit", "--slow", "0.7")
    half = pane.until_text("Edit src/greet.py?")
    assert adapter.detect_prompt(half) is None
    assert adapter.detect_state(half) is None
    assert asked(pane).title == "Edit src/greet.py?"


def test_the_same_prompt_twice_is_asked_twice(start: Any) -> None:
    pane = start("--show", "twice")
    answer(pane, asked(pane), selected_option="yes-run-it")
    decided(pane, 1)
    pane.until_text("$ make test\n   ok")
    answer(pane, asked(pane), selected_option="yes-run-it")
    assert len(decided(pane, 2)) == 2


def test_a_resize_redraws_the_same_prompt(start: Any) -> None:
    pane = start("--show", "long", cols=100, rows=40)
    wide = asked(pane)
    assert wide.truncated
    pane.resize(50, 20)
    narrow_screen = pane.until(
        lambda now: (
            now.cols == 50
            and (form := adapter.detect_prompt(now)) is not None
            and len(form.description) < len(wide.description)
        )
    )
    narrow = adapter.detect_prompt(narrow_screen)
    assert narrow
    assert narrow.options == wide.options
    assert wide.description.startswith(narrow.description)


def test_a_message_is_typed_seen_and_sent_once(start: Any) -> None:
    pane = start("--chat")
    pane.until(lambda now: (adapter.detect_state(now) or asked(pane)).state is SessionState.IDLE)
    for text in ("hello there", "two\nlines  and blanks", "long " * 60):
        drive(pane, lambda now, noted, text=text: adapter.compose(text, now, noted))
        pane.until(
            lambda _, text=text: (
                pane.logged("message")[-1:] and pane.logged("message")[-1]["text"] == text.strip()
            )
        )
    assert len(pane.logged("message")) == 3


def test_escape_interrupts_only_a_busy_agent(start: Any) -> None:
    pane = start("--show", "busy")
    screen = pane.until(
        lambda now: (seen := adapter.detect_state(now)) and seen.state is SessionState.BUSY
    )
    drive(pane, lambda now, noted: adapter.control(Interrupt(), now, noted))
    pane.until_text("Interrupted.")
    screen = pane.until(
        lambda now: (seen := adapter.detect_state(now)) and seen.state is SessionState.IDLE
    )
    steps = adapter.control(Interrupt(), screen, None)
    assert steps
    assert steps.done
    assert not steps.steps


def test_mode_and_model_are_switched(start: Any) -> None:
    pane = start("--chat")
    pane.until_text("mode ask")
    drive(pane, lambda now, noted: adapter.control(SwitchMode("plan"), now, noted))
    drive(pane, lambda now, noted: adapter.control(SwitchModel("sage"), now, noted))
    screen = pane.until_text("Model: sage")
    seen = adapter.detect_state(screen)
    assert seen
    assert (seen.mode, seen.model) == ("plan", "sage")


def test_start_up_dialogs_say_which_they_are(start: Any) -> None:
    pane = start("--show", "nudge,trust")
    nudge = asked(pane, "editor")
    assert (nudge.dialog, nudge.dismiss) == ("editor-nudge", "not-now")
    answer(pane, nudge, selected_option="not-now")
    trust = asked(pane, "trust")
    assert (trust.dialog, trust.dismiss) == ("folder-trust", None)
    answer(pane, trust, selected_option="no-leave")
    screen = pane.until_text("demo agent ended")
    seen = adapter.detect_state(screen)
    assert seen
    assert seen.state is SessionState.ENDED


def test_a_secret_shows_only_dots(start: Any) -> None:
    pane = start("--show", "secret")
    form = asked(pane)
    assert form.questions[0].secret
    answer(pane, form, answers={"0": "hunter2"})
    assert decided(pane, 1) == [([], "hunter2")]
    assert "hunter2" not in pane.until_text("You chose").text


def test_a_scenario_file_gives_a_turn_to_each_message(start: Any, tmp_path: Path) -> None:
    script = tmp_path / "scenario.json"
    turns = [[{"run": "one"}], [{"ask": [{"question": "Two?", "options": ["A", "B"]}]}]]
    script.write_text(json.dumps(turns))
    pane = start("--script", str(script))
    answer(pane, asked(pane, "Run"), selected_option="no-don-t-run-it")
    pane.until_text("Not run: one")
    drive(pane, lambda now, noted: adapter.compose("go", now, noted))
    assert asked(pane, "Two?").questions[0].options[1].label == "B"


def test_the_log_has_every_key_with_a_time(start: Any) -> None:
    pane = start("--show", "permission")
    asked(pane)
    pane.carry_out(Expect("Run this"))
    pane.tmux("send-keys", "Down", "Up", "y")
    decided(pane, 1)
    keys = pane.logged("key")
    assert [key["key"] for key in keys] == ["Down", "Up", "y"]
    assert pane.logged("painted")[0]["t"] < keys[0]["t"] <= pane.logged("decision")[0]["t"]
