"""A message is placed once, read back, and entered once; again only what is proven to be lost."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from fake_list import sent

from clawtap_core import Paste, Pause, Screen, Steps
from clawtap_core.keystrokes import ComposerProfile, Draft, compose, folded_by


def on(text: str | None) -> Screen:
    """A screen whose composer holds this; None for a prompt in its place."""
    return Screen(("?" if text is None else f"> {text}",))


def read(screen: Screen) -> Draft | None:
    if screen.text in ("?", ""):
        return None
    return Draft(screen.text[2:], at_start=screen.cursor and screen.cursor[0] == 2)


WAYS = ComposerProfile(read, probes=("Home", "End"), asks=lambda screen: screen.text == "?")

# Its composer is out of sight, whatever it holds.
LISTING = ComposerProfile(lambda _: None, probes=("Home", "End"))


def given(
    text: str, shown: str | None, progress: Any = None, ways: ComposerProfile = WAYS
) -> Steps:
    steps = compose(text, on(shown), progress, ways)
    assert steps is not None
    return steps


def test_a_text_is_placed_seen_and_entered() -> None:
    placed = given("hello", "")
    assert sent(placed) == ["hello"]
    entered = given("hello", "hello", placed.progress)
    assert sent(entered) == ["Enter"]
    gone = given("hello", "", entered.progress)
    assert sent(gone) == []
    assert given("hello", "", gone.progress) == Steps(done=True)


def test_a_text_that_would_end_the_cli_is_refused() -> None:
    ends = replace(WAYS, exits=re.compile("exit|quit"))
    assert compose(" exit ", on(""), None, ends) is None
    assert sent(given("exit the loop", "", ways=ends)) == ["exit the loop"]


def test_a_text_that_enter_would_not_send_is_removed() -> None:
    lists = replace(WAYS, enter_sends=lambda *_: False)
    steps = given("/mine", "", ways=lists)
    for _ in range(20):
        steps = given("/mine", "/mine", steps.progress, lists)
        assert "Enter" not in sent(steps)
        if "BSpace" in sent(steps):
            break
    assert "BSpace" in sent(steps)
    assert compose("/mine", on(""), steps.progress, lists) is None


def test_it_is_waited_for_while_it_comes_and_not_placed_again() -> None:
    text = "a message of some length"
    progress = given(text, "").progress
    for count in range(len(text)):
        waits = given(text, text[:count], progress)
        assert sent(waits) == []
        progress = waits.progress
    assert sent(given(text, text, progress)) == ["Enter"]


def test_a_draft_of_the_desk_is_never_typed_over_nor_sent() -> None:
    progress = None
    for _ in range(20):
        steps = compose("hello", on("half a thought"), progress, WAYS)
        if steps is None:
            return
        assert steps.steps == ()
        progress = steps.progress
    pytest.fail("it waits for ever")


def test_what_the_desk_adds_to_the_text_is_not_sent() -> None:
    placed = given("hello", "")
    assert sent(given("hello", "hello there", placed.progress)) == []


def test_a_prompt_that_opens_gets_nothing() -> None:
    assert sent(given("hello", None)) == []
    entered = given("hello", "hello")
    opened = given("hello", None, entered.progress)
    assert opened == Steps(done=True)


class Composer:
    """A CLI that takes keys in order, and shows what came of them only when it gets to run.

    Each Enter that it takes sends the text that it last showed, as a CLI does that reads several
    keys at once; the first `lost` Enters do nothing, `newline` makes the first one a line break.
    """

    def __init__(self, text: str, *, lost: int = 0, newline: bool = False) -> None:
        self.text, self.column, self.lost, self.newline = text, len(text), lost, newline
        self.waiting: list[str] = []
        self.messages: list[str] = []
        self.keys: list[str] = []

    def press(self, keys: list[str]) -> None:
        self.waiting += keys
        self.keys += keys

    def run(self) -> None:
        shown = self.text
        for key in self.waiting:
            if key in ("Home", "End"):
                self.column = 0 if key == "Home" else len(self.text)
            elif self.lost:
                self.lost -= 1
            elif self.newline:
                self.column, self.newline = 0, False
            elif shown:
                self.messages.append(shown)
                self.text, self.column = "", 0
        self.waiting.clear()

    def screen(self) -> Screen:
        return Screen((f"> {self.text}",), cursor=(2 + self.column, 0))

    def looks(self, count: int, *, runs: bool = True, progress: Any = None) -> Any:
        """Send a message for so many looks at most; return the progress."""
        for _ in range(count):
            steps = compose("hello", self.screen(), progress, WAYS)
            if steps is None or steps.done:
                break
            progress = steps.progress
            self.press(sent(steps))
            if runs:
                self.run()
        return progress


def test_a_cli_that_stands_still_after_enter_gets_the_message_once() -> None:
    cli = Composer("hello")
    progress = cli.looks(15, runs=False)
    assert cli.keys.count("Enter") == 1
    cli.run()
    cli.looks(15, progress=progress)
    assert cli.messages == ["hello"]


@pytest.mark.parametrize("lost", [1, 2])
def test_an_enter_is_pressed_again_when_a_later_key_proves_that_it_was_lost(lost: int) -> None:
    cli = Composer("hello", lost=lost)
    cli.looks(30)
    assert cli.messages == ["hello"]
    assert cli.keys.count("Enter") == lost + 1


def test_an_enter_that_became_a_line_break_is_pressed_again() -> None:
    cli = Composer("hello", newline=True)
    cli.looks(30)
    assert (cli.messages, cli.keys) == (["hello"], ["Enter", "Enter"])


def test_a_cursor_caught_elsewhere_for_one_look_proves_nothing() -> None:
    progress = given("hello", "hello").progress
    for column in (2, 7, 2, 7):
        screen = Screen(("> hello",), cursor=(column, 0))
        steps = compose("hello", screen, progress, WAYS)
        assert steps is not None
        assert "Enter" not in sent(steps)
        progress = steps.progress


def test_where_nothing_proves_that_it_was_lost_enter_is_pressed_once() -> None:
    steps, pressed = given("hello", "hello"), []
    while not steps.done:
        pressed += sent(steps)
        steps = given("hello", "hello", steps.progress)
    assert pressed == ["Enter"]
    assert given("hello", "hello", ways=replace(WAYS, probes=None)).done


@pytest.mark.parametrize("looks", [["> "], [""], ["> ", "", "> "], [""] * 8])
def test_a_composer_that_is_repainted_has_not_taken_the_text(looks):
    cli = Composer("hello", lost=1)
    progress = cli.looks(1)
    for shown in looks:
        steps = compose("hello", Screen((shown,)), progress, WAYS)
        assert steps
        assert sent(steps) == []
        progress = steps.progress
    cli.looks(30, progress=progress)
    assert cli.messages == ["hello"]


def test_a_list_in_place_of_the_composer_ends_a_command_soon_and_no_message() -> None:
    looks = {}
    for text in ("/model", "hello"):
        steps, looks[text] = given(text, text), 0
        while not steps.done:
            steps, looks[text] = given(text, "", steps.progress, LISTING), looks[text] + 1
    assert looks["/model"] <= 4 < looks["hello"]


def test_a_text_that_was_placed_twice_is_entered_when_no_more_of_it_comes() -> None:
    twice, progress, placed = replace(WAYS, tries=2), None, 0
    while placed < 2:
        steps = given("hello", "", progress, twice)
        placed += len(sent(steps))
        progress = steps.progress
    pressed = []
    for _ in range(4):
        steps = given("hello", "hello", progress, twice)
        pressed.append(sent(steps))
        progress = steps.progress
    assert pressed[0] == []
    assert ["Enter"] in pressed
    doubled = compose("hello", on("hellohello"), progress, twice)
    assert doubled is None or sent(doubled) == []


@pytest.mark.parametrize(
    ("text", "ways", "steps"),
    [
        ("!ls", replace(WAYS, led=("!",)), [" !ls"]),
        ("/tmp is full", replace(WAYS, commands=("/init",)), [" /tmp is full"]),
        ("/init now", replace(WAYS, commands=("/init",)), ["/init now"]),
        ("/init now", WAYS, ["/init now"]),
        ("see @a.py", WAYS, ["see @a.py "]),
        ("one\ntwo", WAYS, ["one\ntwo"]),
        ("abcdef", replace(WAYS, typed=0, piece=4), ["abcd", "ef"]),
    ],
)
def test_a_text_goes_in_the_way_the_composer_takes_it(
    text: str, ways: ComposerProfile, steps: list[str]
) -> None:
    assert sent(given(text, "", ways=ways)) == steps


def test_a_folded_paste_counts_only_when_it_was_placed_here() -> None:
    ways = replace(WAYS, folded=lambda draft, text: draft == "[pasted]" and "\n" in text)
    assert sent(given("a\nb", "[pasted]", ways=ways)) == []
    placed = given("a\nb", "", ways=ways)
    entered = given("a\nb", "[pasted]", placed.progress, ways)
    assert sent(entered) == ["Enter"]
    # The composer does not show the text: the Enter is for what stands for it.
    assert entered.spans


@pytest.mark.parametrize(
    ("pattern", "draft", "text", "folds"),
    [
        (r"\[(?P<lines>\d+) lines\]", "[2 lines]", "a\nb", True),
        (r"\[(?P<lines>\d+) lines\]", "[3 lines]", "a\nb", False),
        (r"\[(?P<chars>\d+) chars\]", "[3 chars]", "a\nb", True),
        (r"\[(?P<chars>\d+) chars\]", "a draft", "a\nb", False),
        (r"\[(?P<chars>\d+) chars\]", "[3 chars]", "\N{THUMBS UP SIGN}b", False),
        (r"\[(?P<units>\d+) chars\]", "[3 chars]", "\N{THUMBS UP SIGN}b", True),
        (r"\[pasted\]", "[pasted]", "a\nb", False),
    ],
)
def test_a_folded_draft_stands_for_a_text_of_its_size(
    pattern: str, draft: str, text: str, folds: bool
) -> None:
    assert folded_by(re.compile(pattern))(draft, text) is folds


def test_a_cli_may_fold_by_lines_or_by_characters() -> None:
    lines, chars = re.compile(r"\[(?P<lines>\d+) lines\]"), re.compile(r"\[(?P<chars>\d+) chars\]")
    folded = folded_by(lines, chars)
    assert folded("[2 lines]", "a\nb")
    assert folded("[3 chars]", "a\nb")
    assert not folded("[3 lines]", "a\nb")


def test_what_does_not_arrive_as_written_is_taken_out_again() -> None:
    steps: Steps | None = given("hello", "")
    shown = "hxllo"
    for _ in range(20):
        assert steps is not None
        steps = compose("hello", on(shown), steps.progress, WAYS)
        if steps is None:
            break
        assert "Enter" not in sent(steps)
        if "BSpace" in sent(steps):
            shown = ""
    assert steps is None
    assert shown == ""


def keys_that_erase(commands: bool | None) -> list[list[str]]:
    """The first two rounds of keys that erase a text which stays on the screen."""
    ways = replace(WAYS, read=lambda screen: Draft(screen.text[2:], commands=commands))
    rounds: list[list[str]] = []
    steps: Steps | None = None
    while len(rounds) < 2:
        steps = compose("", on("hxllo"), steps.progress if steps else None, ways)
        assert steps is not None
        if keys := sent(steps):
            rounds.append(keys)
    return rounds


def test_a_text_is_erased_further_only_once_what_was_erased_stands_still() -> None:
    ways = replace(WAYS, read=lambda screen: Draft(screen.text[2:], commands=None))
    text = "x" * 200
    steps = compose("", on(text), None, ways)
    # A busy CLI shows nothing of the keys at first, then their effect little by little.
    for shown in (200, 200, 200, 170, 160, 141):
        assert steps is not None
        steps = compose("", on(text[:shown]), steps.progress, ways)
        assert sent(steps) == []
    keys: list[str] = []
    while not keys:
        assert steps is not None
        steps = compose("", on(text[:141]), steps.progress, ways)
        keys = sent(steps)
    assert set(keys) == {"End", "BSpace"}


def test_outside_of_vi_no_letter_is_pressed_to_erase_a_text() -> None:
    for keys in keys_that_erase(commands=False):
        assert "BSpace" in keys
        assert "i" not in keys


def test_vi_goes_to_its_insert_mode_before_a_text_is_erased() -> None:
    assert keys_that_erase(commands=True)[0] == ["i"]


def test_a_composer_that_shows_nothing_of_what_is_erased_is_soon_given_up() -> None:
    ways = replace(WAYS, read=lambda screen: Draft(screen.text[2:], commands=None))
    steps: Steps | None = compose("", on("hello"), None, ways)
    letters = 0
    while steps is not None:
        letters += sent(steps).count("i")
        steps = compose("", on("hello"), steps.progress, ways)
    assert letters == 5


def test_where_the_mode_is_not_shown_backspaces_that_only_move_reveal_it() -> None:
    first, second = keys_that_erase(commands=None)
    assert "BSpace" in first
    assert second == ["i"]


PIECES = replace(WAYS, typed=0, unquoted=(2, 20))


def test_a_piece_waits_until_the_cli_is_done_with_the_one_before() -> None:
    # Seen in Claude Code 2.1.85: a paste that follows at once is added to the draft before it.
    ways = replace(
        PIECES, before_piece=0.25, read=lambda screen: Draft(screen.text[2:], room=30, columns=80)
    )
    text = "a first piece here, and another one after it"
    first = compose(text, on(""), None, ways)
    assert first is not None
    assert isinstance(first.steps[0], Paste)
    second = compose(text, on(first.steps[0].text), first.progress, ways)
    assert second is not None
    assert second.steps[0] == Pause(0.25)
    assert isinstance(second.steps[1], Paste)


def placed_piece_by_piece(text: str) -> list[str]:
    """What is pasted into a composer that shows each piece at once."""
    steps, pasted = given(text, "", ways=PIECES), []
    while sent(steps) != ["Enter"]:
        pasted += sent(steps)
        steps = given(text, "".join(pasted), steps.progress, PIECES)
    return pasted


def test_a_long_text_is_pasted_in_pieces_that_are_not_quoted() -> None:
    assert placed_piece_by_piece("a\nb\nc\nd\ne") == ["a\nb\n", "c\nd\ne"]
    assert placed_piece_by_piece("word " * 9 + "end") == ["word " * 4, "word " * 4, "word end"]
    assert "".join(placed_piece_by_piece("x" * 50)) == "x" * 50


def test_a_piece_is_pasted_only_after_the_one_before_has_arrived() -> None:
    text = "same\n" * 5 + "end"
    steps = given(text, "", ways=PIECES)
    assert sent(steps) == ["same\nsame\n"]
    waits = given(text, "", steps.progress, PIECES)
    assert sent(waits) == []
    second = given(text, "same\nsame\n", waits.progress, PIECES)
    assert sent(second) == ["same\nsame\n"]
    assert sent(given(text, "same\nsame\n", second.progress, PIECES)) == []


def test_where_a_draft_scrolls_several_pieces_are_pasted_at_once() -> None:
    ways = replace(PIECES, together=(6, 40))
    text = "\n".join("abcdefghijk")
    steps = given(text, "", ways=ways)
    assert sent(steps) == ["a\nb\n", "c\nd\n", "e\nf\n"]
    assert sent(given(text, "a\nb\nc\nd\n", steps.progress, ways)) == []
    rest = given(text, "a\nb\nc\nd\ne\nf\n", steps.progress, ways)
    assert sent(rest) == ["g\nh\n", "i\nj\nk"]
    still = replace(ways, read=lambda screen: Draft(screen.text[2:], room=30))
    assert sent(given(text, "", ways=still)) == ["a\nb\n"]


def test_a_line_that_takes_more_rows_than_the_pane_has_is_pasted_whole() -> None:
    line = "word " * 59 + "end"
    low = replace(PIECES, read=lambda screen: Draft(screen.text[2:], room=9, columns=30))
    assert sent(given(line, "", ways=low)) == [line]
    high = replace(PIECES, read=lambda screen: Draft(screen.text[2:], room=10, columns=30))
    assert sent(given(line, "", ways=high)) == ["word " * 4]


def test_a_text_of_many_lines_is_not_quoted_where_a_draft_scrolls() -> None:
    lines = "\n".join(f"line {number}" for number in range(250))
    whole = given(lines, "", ways=replace(PIECES, unquoted=(2, 700)))
    assert sent(whole) == [lines]
    many = given(lines, "", ways=replace(PIECES, unquoted=(2, 700), together=(10, 1000)))
    assert len(sent(many)) == 5
    assert all(piece.count("\n") <= 2 for piece in sent(many))


def test_blank_lines_are_pasted_with_the_words_after_them() -> None:
    assert sent(given("\n".join(["a", *[""] * 5, "b"]), "", ways=PIECES)) == ["a\n\n"]
    first = given("\n".join(["a", *[""] * 5, "b"]), "", ways=PIECES)
    rest = given("\n".join(["a", *[""] * 5, "b"]), "a", first.progress, PIECES)
    assert "".join(sent(rest)) == "\n\n\n\nb"


def test_a_backslash_at_the_end_gets_a_blank_behind_it() -> None:
    ways = replace(WAYS, continued=("\\",))
    assert sent(given("C:\\", "", ways=ways)) == ["C:\\ "]


def test_vi_is_put_into_its_insert_mode_first() -> None:
    vi = replace(WAYS, read=lambda screen: Draft(screen.text[2:], commands=True))
    first = given("hello", "", ways=vi)
    assert sent(first) == ["i"]
    waiting = given("hello", "", first.progress, vi)
    assert sent(waiting) == []
    assert sent(given("hello", "", waiting.progress, WAYS)) == ["hello"]


def test_a_composer_that_stays_in_the_command_mode_is_given_up() -> None:
    vi = replace(WAYS, read=lambda screen: Draft(screen.text[2:], commands=True))
    steps = given("hello", "", ways=vi)
    for _ in range(15):
        steps = given("hello", "", steps.progress, vi)
        assert sent(steps) == []
    assert compose("hello", on(""), steps.progress, vi) is None


def test_rare_characters_left_on_the_screen_are_painted_over_once() -> None:
    ways = replace(WAYS, repaint="C-l")
    text = "up \U0001f44d\U0001f3fd"
    entered = given(text, text, given(text, "", ways=ways).progress, ways)
    painted = given(text, "p", entered.progress, ways)
    assert sent(painted) == ["C-l"]
    assert sent(given(text, "p", painted.progress, ways)) == []


def test_a_message_whose_tabs_were_taken_for_keys_is_removed_and_not_entered() -> None:
    """As Gemini CLI 0.61.0 did with the first message of a session."""
    text = "one\ttab and\tone more"
    ways = replace(WAYS, shows_tabs=True)
    progress = given(text, "", ways=ways).progress
    for _ in range(20):
        steps = given(text, "onetab and one more", progress, ways)
        progress = steps.progress
        if sent(steps):
            break
    assert set(sent(steps)) == {"End", "BSpace"}


@pytest.mark.parametrize(
    "shown", ["one  tab and one more", "one\ntab and\none more", "and\tone more"]
)
def test_a_tab_may_be_drawn_as_any_blanks(shown: str) -> None:
    text = "a beginning that has scrolled away one\ttab and\tone more"
    text = text if shown.startswith("and") else "one\ttab and\tone more"
    ways = replace(WAYS, shows_tabs=True)
    progress = given(text, "", ways=ways).progress
    shown = f"{'scrolled away one tab ' if shown.startswith('and') else ''}{shown}"
    assert sent(given(text, shown, progress, ways)) == ["Enter"]
