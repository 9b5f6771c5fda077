"""One key at a time: what a late or a lost key may do, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest
from fake_list import Listed, sent

from clawtap_core import (
    Expect,
    Kind,
    Press,
    PromptForm,
    Screen,
    SeenState,
    SessionState,
    Steps,
    Type,
)
from clawtap_core.keystrokes import KeyProfile, choose, interrupt, press, send_one_key
from clawtap_core.screens import OptionRow, ParsedPrompt

HANDS = KeyProfile()


def move_to(label: str, again: int = 0) -> Any:
    def following(now: ParsedPrompt, progress: Any) -> Steps | None:
        return send_one_key(now, progress, lambda _: choose(now, label, HANDS), again=again)

    return following


def test_the_cursor_is_moved_key_by_key_and_read_back() -> None:
    paper = Listed()
    assert paper.run(move_to("three"))
    assert (paper.got, paper.decided) == (["Down", "Down", "Enter"], "three")


def test_a_key_that_does_not_show_is_never_pressed_again() -> None:
    now, progress, pressed = Listed().reading, None, []
    for _ in range(40):
        steps = move_to("three")(now, progress)
        if steps is None:
            break
        pressed += sent(steps)
        progress = steps.progress
    assert steps is None
    assert pressed == ["Down"]


def test_where_keys_get_lost_one_is_pressed_again_but_not_at_once_and_not_for_ever() -> None:
    now, progress, pressed = Listed().reading, None, []
    for _ in range(40):
        steps = move_to("three", again=2)(now, progress)
        if steps is None:
            break
        pressed.append(sent(steps))
        progress = steps.progress
    assert steps is None
    assert pressed[:3] == [["Down"], [], []]
    assert sum(map(len, pressed)) == 3


@pytest.mark.parametrize("late", [1, 2, 3])
def test_a_key_that_comes_late_after_all_never_makes_enter_meet_another_row(late: int) -> None:
    paper, progress, waiting, looks = Listed(("one", "two", "three")), None, [], 0
    for _ in range(40):
        steps = move_to("two", again=2)(paper.reading, progress)
        assert steps
        if "Enter" in sent(steps):
            break
        waiting += sent(steps)
        progress = steps.progress
        # The CLI hears the first key when the second is there, and that one some looks later.
        looks += len(waiting) == 2
        if looks in (1, 1 + late) and waiting:
            paper.take(press(waiting[0]))
            if looks > 1:
                waiting.clear()
    assert paper.reading.row("two") == next(row for row in paper.reading.rows if row.selected)


def test_before_the_first_key_a_moment_passes_where_that_is_asked_for() -> None:
    now = Listed().reading
    steps = send_one_key(now, None, lambda _: press("Down"), first=0.25)
    assert steps
    assert len(steps.steps) == 2
    assert sent(steps) == ["Down"]


def test_a_text_that_was_typed_twice_may_come_twice_so_what_decides_waits() -> None:
    now, progress, pressed = Listed().reading, None, []
    text = Steps((Type("hello"),), progress="typed")
    for following in (text, text, *[HANDS.decide()] * 4):
        steps = send_one_key(now, progress, lambda _, steps=following: steps)
        assert steps
        pressed.append(sent(steps))
        progress = steps.progress
    assert pressed == [["hello"], ["hello"], [], [], [], ["Enter"]]


def test_what_spans_screens_goes_on_doing_so() -> None:
    paper = Listed()
    steps = send_one_key(paper.reading, None, lambda _: press("Down"), spans=True)
    assert steps
    assert steps.spans
    waits = send_one_key(paper.reading, steps.progress, lambda _: press("Down"))
    assert waits
    assert waits.spans


def across(cursor: int) -> ParsedPrompt:
    rows = tuple(
        OptionRow(None, label, at == cursor, first=5, column=at * 12)
        for at, label in enumerate(("Allow once", "Always", "Reject"))
    )
    return ParsedPrompt(PromptForm(Kind.PERMISSION, "Run it?"), rows, axis="across")


def test_a_list_across_the_screen_is_walked_with_left_and_right() -> None:
    assert sent(choose(across(0), "Reject", HANDS)) == ["Right"]
    assert sent(choose(across(2), "Allow once", HANDS)) == ["Left"]
    assert sent(choose(across(2), "Reject", HANDS)) == ["Enter"]


def test_a_cli_that_wants_escape_twice_gets_the_second_once_it_asks_for_it() -> None:
    busy, hint = SeenState(SessionState.BUSY), "esc again to interrupt"
    first = interrupt(busy, Screen(("working",)), None, again=hint)
    assert first == Steps((Press("Escape"), Expect(hint)), progress="pressed")
    second = interrupt(busy, Screen(("esc again to", "interrupt")), "pressed", again=hint)
    assert second == Steps((Press("Escape", deciding=True),), done=True)


def test_what_is_open_over_a_turn_is_closed_first_and_seen_to_be_gone() -> None:
    busy, idle = SeenState(SessionState.BUSY), SeenState(SessionState.IDLE)
    steps = interrupt(busy, covered=True)
    assert steps
    assert steps.deciding == Press("Escape", deciding=True)
    for covered in (True, True, False, False, False):
        steps = interrupt(busy, progress=steps.progress, covered=covered)
        assert steps
        assert steps.deciding is None
    assert interrupt(idle, progress=steps.progress) == Steps(done=True)
    last = interrupt(busy, progress=steps.progress)
    assert last == Steps((Press("Escape", deciding=True),), done=True)


def test_what_stays_open_over_a_turn_gets_no_second_escape() -> None:
    busy, steps = (
        SeenState(SessionState.BUSY),
        interrupt(SeenState(SessionState.BUSY), covered=True),
    )
    while steps and not steps.done:
        steps = interrupt(busy, progress=steps.progress, covered=True)
        assert steps
        assert steps.deciding is None


def test_an_escape_that_shows_nothing_is_not_repeated() -> None:
    busy, hint = SeenState(SessionState.BUSY), "esc again to interrupt"
    assert interrupt(busy, Screen(("working",)), "pressed", again=hint) is None
    assert interrupt(SeenState(SessionState.IDLE), Screen((hint,)), None, again=hint) is None
