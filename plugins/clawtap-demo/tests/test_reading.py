"""What the adapter reads, beyond the recordings: cut, folded, quoted, drawn for any size."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_demo import adapter
from clawtap_demo.agent.composer import Composer
from clawtap_demo.agent.dialog import Dialog, Row
from clawtap_demo.agent.text import clean, fold, width
from clawtap_demo.agent.view import Block, Model, render
from clawtap_demo.screen.block import unfold
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core import Effect, LaunchRequest, Screen, SessionState
from clawtap_core.testing import Recording

RECORDINGS = Recording.load_all(Path(__file__).with_name("recordings"))
ASKING = [found for found in RECORDINGS if found.truth.is_prompt]
WORDS = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Cf"]), max_size=120)


def drawn(model: Model, cols: int = 80, rows: int = 30) -> Screen:
    return Screen.from_text("\n".join(render(model, cols, rows)), cols=cols, rows=rows)


@given(WORDS, st.integers(4, 60))
def test_folded_text_is_put_together_again(text: str, cols: int) -> None:
    text = clean(text).rstrip()
    pieces = fold(text, cols)
    assert all(width(piece) <= cols for piece in pieces)
    assert "".join(unfold(pieces)) == text


@given(WORDS.filter(lambda text: clean(text).strip()), st.integers(24, 120), st.integers(14, 50))
def test_any_command_is_read_as_it_was_asked(command: str, cols: int, rows: int) -> None:
    model = Model(dialog=Dialog("Command", "Run this?", [Row("Yes", "y")], f"$ {command}"))
    form = adapter.detect_prompt(drawn(model, cols, rows))
    assert form
    shown = clean(f"$ {command}").rstrip().removeprefix("$ ")
    assert form.description == shown or (form.truncated and shown.startswith(form.description))


@pytest.mark.parametrize("found", ASKING, ids=lambda found: found.name)
def test_a_screen_cut_anywhere_gives_the_same_prompt_or_none(found: Recording) -> None:
    whole = adapter.detect_prompt(found.screen)
    lines = found.screen.captured
    for cut in range(len(lines)):
        form = adapter.detect_prompt(Screen(lines[:cut]))
        assert form is None or (form.title, form.options) == (whole.title, whole.options)
        form = adapter.detect_prompt(Screen(lines[cut:]))
        assert form is None or (form.title, form.options) == (whole.title, whole.options)


@pytest.mark.parametrize("found", ASKING, ids=lambda found: found.name)
def test_a_pane_that_is_narrower_than_what_was_painted_asks_nothing(found: Recording) -> None:
    cut = tuple(line[:-3] for line in found.screen.lines)
    assert adapter.detect_prompt(Screen(cut)) is None


def test_a_prompt_quoted_in_the_transcript_or_in_the_draft_is_none() -> None:
    quoted = "\n".join(ASKING[0].screen.lines).strip()
    model = Model(blocks=[Block("◆", quoted)], composer=Composer())
    model.composer.draft = quoted
    screen = drawn(model, 110, 60)
    assert adapter.detect_prompt(screen) is None
    seen = adapter.detect_state(screen)
    assert seen
    assert seen.state is SessionState.IDLE
    assert (seen.draft or "").endswith("enter choose · esc")


def test_a_prompt_that_something_follows_is_over() -> None:
    lines = ASKING[0].screen.lines
    screen = Screen((*[line for line in lines if line], "", "$ "))
    assert adapter.detect_prompt(screen) is None


def test_effects_go_by_the_keys_that_choose() -> None:
    rows = [Row("No", "esc"), Row("Fine", "y"), Row("Ever", "a"), Row("Who knows")]
    form = adapter.detect_prompt(drawn(Model(dialog=Dialog("Command", "Go?", rows))))
    assert form
    assert [option.effect for option in form.options] == [
        Effect.DENY,
        Effect.ALLOW_ONCE,
        Effect.ALLOW_ALWAYS,
        Effect.OTHER,
    ]


def test_labels_that_are_the_same_have_values_of_their_own() -> None:
    form = adapter.detect_prompt(
        drawn(Model(dialog=Dialog("Command", "Go?", [Row("Yes"), Row("Yes")])))
    )
    assert form
    assert len({option.value for option in form.options}) == 2


def test_streaming_and_thinking_are_reported_while_busy() -> None:
    model = Model(blocks=[Block("◆", "word " * 40)], busy=True)
    seen = adapter.detect_state(drawn(model))
    assert seen
    assert (seen.state, seen.streaming) == (SessionState.BUSY, ("word " * 40).strip())
    model.blocks.append(Block("✻", "hmm"))
    seen = adapter.detect_state(drawn(model))
    assert seen
    assert (seen.streaming, seen.thinking) == ("", "hmm")


def test_a_long_draft_is_known_by_its_end() -> None:
    model = Model()
    model.composer.draft = "\n".join(f"line {number}" for number in range(50))
    seen = adapter.detect_state(drawn(model))
    assert seen
    assert (seen.draft or "").endswith("line 49")


def test_the_agent_is_started_with_what_was_asked() -> None:
    request = LaunchRequest("demo", "/", "-hi", "sage", "plan", args=("--chat",))
    launch = adapter.launch(request)
    assert launch
    assert launch.argv[-7:] == ("--model", "sage", "--mode", "plan", "--chat", "--", "-hi")
    assert launch.includes_message
    plain = adapter.launch(LaunchRequest("demo", "/"))
    assert plain
    assert not plain.includes_message


@pytest.mark.parametrize("wrong", [{"model": "x"}, {"permission_mode": "x"}])
def test_what_the_agent_cannot_do_is_not_started(wrong: dict[str, str]) -> None:
    assert adapter.launch(LaunchRequest("demo", "/", **wrong)) is None  # type: ignore[arg-type]
