"""Messages, the interrupt and the switches: the keys, screen by screen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clawtap_gemini.keys.compose import compose
from clawtap_gemini.keys.control import control
from clawtap_gemini.screen.composer import find_composer

from clawtap_core import (
    Interrupt,
    Paste,
    Pause,
    Press,
    Screen,
    Steps,
    SwitchMode,
    SwitchModel,
    Type,
)

ENTER = Press("Enter", deciding=True)


def given(steps: Steps | None) -> Steps:
    assert steps is not None
    return steps


def sent(steps: Steps) -> list[object]:
    """What reaches the CLI: all but pauses."""
    return [step for step in steps.steps if not isinstance(step, Pause)]


def typed_into(screen: Screen, *rows: str, column: int | None = None) -> Screen:
    """The idle screen with these rows in its composer, and the cursor in the last of them."""
    lines = list(screen.lines)
    at = next(row for row, line in enumerate(lines) if line.startswith(" >   Type"))
    lines[at : at + 1] = [f" > {rows[0]}", *(f"   {row}".rstrip() for row in rows[1:])]
    cursor = (len(rows[-1]) if column is None else column) + 3, at + len(rows) - 1
    return replace(screen, captured=tuple(lines), cursor=cursor)


@pytest.fixture
def idle(recording) -> Screen:
    return recording("0.61.0/idle-120x40").screen


@pytest.mark.parametrize("text", ["a path C:\\", "two lines\nand \\"])
def test_a_backslash_at_the_end_does_not_make_a_new_line_of_the_enter(
    idle: Screen, text: str
) -> None:
    assert given(compose(text, idle, None)).steps[0] in (Type(f"{text} "), Paste(f"{text} "))


@pytest.mark.parametrize("sign", ["\u200b", "\u200e", "\u202e", "\u2066", "\ufeff"])
def test_a_sign_that_the_cli_would_drop_is_not_typed(idle: Screen, sign: str) -> None:
    assert compose(f"before{sign}after", idle, None) is None


def test_a_message_is_placed_and_seen_before_enter(idle: Screen) -> None:
    first = given(compose("hello there", idle, None))
    kinds = [type(step) for step in first.steps]
    assert kinds == [Type, Pause]
    assert first.steps[1].seconds >= 0.1
    second = given(compose("hello there", typed_into(idle, "hello there"), first.progress))
    assert second.steps == (ENTER,)
    third = given(compose("hello there", idle, second.progress))
    assert sent(third) == []
    assert given(compose("hello there", idle, third.progress)) == Steps(done=True)


@pytest.mark.parametrize(
    "text", ["two\nlines", "!ls", "?", "why?", "done!", "tab\there", "long " * 100 + "."]
)
def test_what_keys_would_not_write_is_pasted(text: str, idle: Screen) -> None:
    assert given(compose(text, idle, None)).steps[0] == Paste(text)


def test_a_file_name_at_the_end_is_closed_so_that_enter_sends(idle: Screen) -> None:
    assert given(compose("look at @app.txt", idle, None)).steps[0] == Type("look at @app.txt ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x" * 2289, "[Pasted Text: 2289 chars]"), ("a\n" * 39 + "a", "[Pasted Text: 40 lines #2]")],
)
def test_a_long_paste_that_was_folded_is_sent(text: str, shown: str, idle: Screen) -> None:
    placed = given(compose(text, idle, None))
    sent = given(compose(text, typed_into(idle, shown), placed.progress))
    assert sent.steps == (ENTER,)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("what is it? @/data/f1/85d1b1698c93-shot.png", "what is it? [Image ...98c93-shot.png]"),
        ("look at @a/my\\ shot.PNG, please", "look at [Image my shot.PNG], please"),
        ("@/f1/one.png @/f2/two.svg", "@/f1/one.png [Image two.svg]"),
        ("@/f1/one.png @/f2/two.svg", "[Image one.png] [Image two.svg]"),
    ],
)
def test_images_that_are_shown_by_their_names_are_sent(text: str, shown: str, idle: Screen) -> None:
    placed = given(compose(text, idle, None))
    sent = given(compose(text, typed_into(idle, shown), placed.progress))
    assert ENTER in sent.steps
    other = given(compose(text, typed_into(idle, f"{shown}!"), placed.progress))
    assert ENTER not in other.steps


def test_a_folded_paste_of_the_desk_is_left_alone(idle: Screen) -> None:
    folded = typed_into(idle, "[Pasted Text: 2289 chars]")
    assert not given(compose("x" * 2289, folded, None)).steps
    placed = given(compose("y" * 900, idle, None))
    assert not sent(given(compose("y" * 900, folded, placed.progress)))


def test_an_enter_that_became_a_newline_is_pressed_once_more(idle: Screen) -> None:
    sent = given(compose("hi", typed_into(idle, "hi"), None))
    stands = typed_into(idle, "hi", "")
    again = given(compose("hi", stands, given(compose("hi", stands, sent.progress)).progress))
    assert again.steps[-1] == ENTER


def test_an_enter_that_was_not_read_yet_is_waited_for(idle: Screen) -> None:
    entered = given(compose("hi", typed_into(idle, "hi"), None))
    waits = given(compose("hi", typed_into(idle, "hi"), entered.progress))
    assert not sent(waits)
    assert not waits.done


def test_an_enter_that_an_idle_cli_lost_is_pressed_once_more(idle: Screen) -> None:
    stands = typed_into(idle, "hi")
    steps = given(compose("hi", stands, None))
    waited = 0
    while not sent(steps := given(compose("hi", stands, steps.progress))):
        waited += 1
    assert sent(steps) == [Press("Home")]
    assert waited >= 2
    moved = typed_into(idle, "hi", column=0)
    while not sent(steps := given(compose("hi", moved, steps.progress))):
        assert not steps.done
    assert sent(steps) == [ENTER]


def test_a_cli_that_reads_no_keys_gets_one_enter(idle: Screen) -> None:
    stands = typed_into(idle, "hi")
    steps = given(compose("hi", stands, None))
    while not (steps := given(compose("hi", stands, steps.progress))).done:
        assert ENTER not in sent(steps)


def test_an_empty_row_that_a_wide_sign_leaves_is_no_line_break(idle: Screen) -> None:
    text = "thumbs 👍🏽 up"
    stands = typed_into(idle, text, "", column=10)
    steps = given(compose(text, stands, None))
    assert sent(steps) == [ENTER]
    for _ in range(3):
        steps = given(compose(text, stands, steps.progress))
        assert ENTER not in sent(steps)


def test_the_draft_of_the_desk_is_left_alone(recording) -> None:
    screen = recording("0.61.0/idle-typed-120x40").screen
    assert not given(compose("hello", screen, None)).steps


@pytest.mark.parametrize("name", ["shell-simple-120x40", "busy-waiting-120x40", "dlg-theme-120x40"])
def test_nothing_is_typed_while_it_is_not_idle(name: str, recording) -> None:
    steps = compose("hello", recording(f"0.61.0/{name}").screen, None)
    assert not given(steps).steps


def test_a_prompt_that_opens_after_enter_is_not_typed_into(idle: Screen, recording) -> None:
    entered = given(compose("hi", typed_into(idle, "hi"), None))
    asked = recording("0.61.0/shell-simple-120x40").screen
    assert compose("hi", asked, entered.progress) == Steps(done=True)


@pytest.mark.parametrize("version", ["0.61.0", "0.34.0"])
def test_a_menu_for_the_draft_is_known_from_the_footer(version: str, recording) -> None:
    menu = find_composer(recording(f"{version}/idle-slash-menu-120x40").screen)
    plain = find_composer(recording("0.61.0/no-color-draft-120x40").screen)
    assert menu
    assert plain
    assert (menu.menu, plain.menu) == (True, False)


def test_the_interrupt_is_one_escape_and_only_while_busy(idle: Screen, recording) -> None:
    busy = recording("0.34.0/busy-streaming-120x40").screen
    assert control(Interrupt(), busy, None) == Steps((Press("Escape", deciding=True),), done=True)
    assert control(Interrupt(), idle, None) is None
    assert control(Interrupt(), recording("0.61.0/shell-simple-120x40").screen, None) is None


@pytest.mark.parametrize("version", ["0.34.0", "0.61.0"])
def test_modes_are_reached_key_by_key_and_read_back(version: str, recording) -> None:
    screens = {
        mode: recording(f"{version}/idle-{name}120x40").screen
        for mode, name in (
            ("default", ""),
            ("auto_edit", "autoedit-"),
            ("plan", "plan-"),
            ("yolo", "yolo-"),
        )
    }
    first = given(control(SwitchMode("plan"), screens["default"], None))
    assert first.steps == (Press("BTab"),)
    second = given(control(SwitchMode("plan"), screens["auto_edit"], first.progress))
    assert second.steps == (Press("BTab"),)
    assert control(SwitchMode("plan"), screens["plan"], second.progress) == Steps(done=True)
    assert given(control(SwitchMode("yolo"), screens["plan"], None)).steps == (Press("C-y"),)
    assert given(control(SwitchMode("auto_edit"), screens["yolo"], None)).steps == (Press("C-y"),)


def test_a_mode_is_not_switched_while_a_prompt_is_open_or_a_draft_is_there(recording) -> None:
    for name in ("shell-simple-120x40", "edit-replace-120x40", "idle-typed-120x40"):
        assert control(SwitchMode("yolo"), recording(f"0.61.0/{name}").screen, None) is None


def test_a_mode_that_does_not_come_is_given_up(idle: Screen) -> None:
    """A key that a starting CLI lost is pressed again, twice and with time between."""
    progress, keys = given(control(SwitchMode("yolo"), idle, None)).progress, 0
    for look in range(20):
        steps = control(SwitchMode("yolo"), idle, progress)
        if steps is None:
            assert keys == 2
            return
        keys += len(sent(steps))
        assert keys <= (look + 1) // 3
        progress = steps.progress
    pytest.fail("it waits for ever")


def test_unknown_modes_and_models_are_refused(idle: Screen) -> None:
    assert control(SwitchMode("reckless"), idle, None) is None
    assert control(SwitchModel("two words"), idle, None) is None


def test_the_model_is_set_by_a_command(idle: Screen) -> None:
    first = given(control(SwitchModel("flash"), idle, None))
    assert first.steps[0] == Type("/model set flash")
    written = typed_into(idle, "/model set flash")
    assert given(control(SwitchModel("flash"), written, first.progress)).steps[-1] == ENTER


def test_an_interrupt_leaves_insert_and_then_stops_the_cli(recording) -> None:
    insert = recording("0.61.0/vim-insert-120x40").screen
    busy = recording("0.61.0/vim-normal-busy-120x40").screen
    typing = replace(busy, captured=tuple(x.replace("[NORMAL]", "[INSERT]") for x in busy.lines))
    first = control(Interrupt(), typing, None)
    assert [step.key for step in first.steps if isinstance(step, Press)] == ["Escape"]
    assert first.spans
    second = control(Interrupt(), busy, first.progress)
    assert [step.key for step in second.steps] == ["Escape"]
    assert control(Interrupt(), insert, first.progress).done
    assert not control(Interrupt(), insert, first.progress).steps


def test_a_message_is_typed_in_insert_mode_only(recording) -> None:
    first = compose("hello", recording("0.61.0/vim-normal-120x40").screen, None)
    assert [step.key for step in first.steps if isinstance(step, Press)] == ["i"]
    waiting = compose("hello", recording("0.61.0/vim-normal-120x40").screen, first.progress)
    assert not [step for step in waiting.steps if isinstance(step, Press | Type)]
    typed = compose("hello", recording("0.61.0/vim-insert-120x40").screen, first.progress)
    assert [step.text for step in typed.steps if isinstance(step, Type)] == ["hello"]
