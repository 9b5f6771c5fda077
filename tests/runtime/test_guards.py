"""What may be typed into, and when an answer, a message or an interrupt is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from clawtap_core import (
    Effect,
    Kind,
    Option,
    Position,
    Previous,
    PromptForm,
    Question,
    QuestionOption,
    Screen,
    SeenState,
    SessionState,
)
from clawtap_core.prompts.screen_tracker import PromptSighting
from clawtap_core.runtime.delivery.guards import BusyGuard, ComposerGuard, PromptGuard
from clawtap_core.runtime.timings import DEFAULT_TIMINGS

TAKEN_AFTER, REPAINT_WINDOW = DEFAULT_TIMINGS.prompt_away, DEFAULT_TIMINGS.prompt_repainted
HEAD = PromptForm(Kind.PERMISSION, "Run?", "touch a\ntouch b", truncated=True)
TAIL = replace(HEAD, description="…\ntouch y\ntouch z")
SHOWN = Screen(("something",))


class Room:
    """A CLI that shows what a test wants, and a clock that a test moves."""

    def __init__(self, form: PromptForm, pages: Sequence[Question] = ()) -> None:
        self.now = 0.0
        self.form: PromptForm | None = form
        self.draft: str | None = None
        self.held_back = False
        cli: Any = SimpleNamespace(
            detect_prompt=lambda _: self.form, detect_state=lambda *_: self.seen()
        )
        self.guard = PromptGuard(cli, form, pages=pages, clock=lambda: self.now)

    def seen(self) -> SeenState:
        """What the screen says of the CLI."""
        state = SessionState.WAITING if self.held_back else SessionState.BUSY
        return SeenState(state, self.draft, holds_back=self.held_back)

    def over(self, form: PromptForm | None, after: float = 0.0) -> bool:
        """Whether the answer is over when this is shown, so many seconds later."""
        self.form, self.now = form, self.now + after
        return self.guard.over(SHOWN)


def test_the_last_page_of_a_form_is_no_other_prompt_and_its_first_page_is():
    asked = [Question("Which way?"), Question("Which day?")]

    def page(at: int) -> PromptForm:
        questions, place = (asked[at],), Position(at + 1, 2)
        return PromptForm(Kind.QUESTION, asked[at].question, questions=questions, position=place)

    room = Room(page(0), pages=asked)
    assert not room.over(page(1))
    assert not room.over(page(1), after=60)
    assert room.over(PromptForm(Kind.QUESTION, "Quite another?"))
    again = Room(page(1), pages=asked)
    assert again.over(page(0))


def test_a_prompt_that_stays_away_was_answered():
    room = Room(HEAD)
    assert not room.over(HEAD)
    assert not room.over(None)
    assert room.over(None, TAKEN_AFTER)


def test_a_composer_in_its_place_while_the_cli_works_says_so_at_once():
    room = Room(HEAD)
    assert not room.over(HEAD)
    room.draft = ""
    assert room.over(None)


def test_a_prompt_that_the_cli_holds_back_while_somebody_types_says_nothing():
    room = Room(HEAD)
    assert not room.over(HEAD)
    room.draft, room.held_back = "a word1", True
    assert not room.over(None)
    assert not room.over(None, DEFAULT_TIMINGS.screens.unclear_leaves)
    room.held_back = False
    assert not room.over(HEAD)
    assert room.over(replace(HEAD, title="Write?"))


def test_while_the_cli_holds_a_prompt_back_it_is_not_away():
    room = Room(HEAD)
    assert not room.over(None)
    room.held_back = True
    assert not room.over(None, TAKEN_AFTER)
    room.held_back = False
    assert not room.over(None)
    assert room.over(None, TAKEN_AFTER)


def test_a_prompt_that_comes_back_was_not():
    room = Room(HEAD)
    room.over(None)
    assert not room.over(HEAD, TAKEN_AFTER)
    assert not room.over(None, TAKEN_AFTER)


@pytest.mark.parametrize("other", [replace(HEAD, title="Write?"), replace(TAIL, truncated=False)])
def test_another_prompt_in_its_place_says_that_it_was_answered(other):
    assert Room(HEAD).over(other)


def test_other_rows_of_a_cut_prompt_say_so_only_when_they_stay():
    room = Room(HEAD)
    assert not room.over(TAIL)
    assert not room.over(TAIL, REPAINT_WINDOW / 2)
    assert room.over(TAIL, REPAINT_WINDOW / 2)


def test_other_rows_of_a_cut_prompt_are_not_typed_into():
    room = Room(HEAD)
    room.form = TAIL
    assert not room.guard.allows(SHOWN)


# What an answer may be typed into

YES, NO = Option("yes", "Yes, run it", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY)
FORM = PromptForm(Kind.PERMISSION, "Run?", "ls", options=(YES, NO), selected="yes", top=0)
ASKS = Screen(("ls?", "> Yes, run it", "  No"))
BUSY, IDLE = SeenState(SessionState.BUSY), SeenState(SessionState.IDLE, draft="")


class Cli:
    """A CLI that shows on each screen what a test wants."""

    def __init__(self, form: PromptForm | None = None, seen: SeenState | None = None) -> None:
        self.forms: dict[Screen, PromptForm | None] = {}
        self.states: dict[Screen, SeenState | None] = {}
        self.form, self.seen = form, seen
        self.previous: Previous | None = None

    def detect_prompt(self, screen: Screen) -> PromptForm | None:
        return self.forms.get(screen, self.form)

    def detect_state(self, screen: Screen, previous: Previous | None) -> SeenState | None:
        self.previous = previous
        return self.states.get(screen, self.seen)


def answering(form: PromptForm = FORM, *shown: PromptForm | None, **more: Any) -> PromptGuard:
    """The guard of an answer to `form`, while `shown` is on the screen, by default the same."""
    return PromptGuard(Cli(shown[0] if shown else form), form, **more)


def test_an_answer_goes_to_the_prompt_that_was_seen_if_it_offers_what_was_chosen():
    assert answering().allows(ASKS)
    assert answering(option="no").allows(ASKS)
    assert not answering(option="always").allows(ASKS)
    assert not answering(FORM, None).allows(ASKS)
    assert not answering(FORM, replace(FORM, description="rm")).allows(ASKS)


def test_an_option_that_is_not_shown_may_be_among_those_that_are_not_shown_yet():
    longer = replace(FORM, more_options=True)
    assert answering(longer, option="always").allows(ASKS)


def test_an_answer_goes_to_nothing_that_came_after_the_prompt_was_answered():
    seen = PromptSighting(FORM, ASKS)
    below = replace(FORM, top=1)
    assert answering(FORM, FORM, sighting=seen).allows(ASKS)
    assert not answering(FORM, below, sighting=seen).allows(Screen(("ls", *ASKS.captured)))


def test_what_was_allowed_last_is_what_the_next_must_follow():
    cli = Cli(FORM)
    guard = PromptGuard(cli, FORM)
    below, shown = replace(FORM, top=1), Screen(("ls", *ASKS.captured))
    cli.forms[shown] = below
    assert guard.allows(ASKS)
    assert not guard.allows(shown)


@pytest.mark.parametrize("resized", ["before", "meanwhile"])
def test_what_a_resize_has_moved_may_be_painted_again_for_a_moment(resized):
    small, now = replace(ASKS, rows=10), [0.0]
    below, shown = replace(FORM, top=1), replace(small, captured=("ls", *small.captured))
    cli = Cli(FORM)
    cli.forms[shown] = below
    seen = PromptSighting(FORM, small if resized == "before" else ASKS, resized != "before")
    guard = PromptGuard(cli, FORM, sighting=seen, clock=lambda: now[0])
    assert guard.allows(small)
    assert guard.allows(shown)
    assert guard.allows(small)
    now[0] = DEFAULT_TIMINGS.screens.resize_grace
    assert guard.allows(small)
    assert not guard.allows(shown)


def test_a_prompt_without_its_text_is_another_unless_the_pane_became_smaller():
    cut = replace(FORM, description="", truncated=True)
    seen = PromptSighting(FORM, ASKS)
    assert not answering(FORM, cut, sighting=seen).allows(ASKS)
    assert answering(FORM, cut, sighting=seen).allows(replace(ASKS, rows=10))


def test_an_answer_that_does_not_fit_what_is_shown_is_not_typed():
    asked: list[PromptForm] = []
    shown = replace(FORM, selected="no")
    guard = answering(FORM, shown, fits=lambda form: bool(asked.append(form)))
    assert not guard.allows(ASKS)
    assert asked == [shown]


def test_a_prompt_with_the_cursor_on_the_same_row_is_unmoved_wherever_it_is():
    cli = Cli()
    guard = PromptGuard(cli, FORM)
    lower, other, gone = Screen(("", "ls?")), Screen(("x",)), Screen(("y",))
    cli.forms = {ASKS: FORM, lower: replace(FORM, top=1), other: replace(FORM, selected="no")}
    assert guard.unmoved(ASKS, lower, cursor=True)
    assert not guard.unmoved(ASKS, other, cursor=True)
    assert guard.unmoved(ASKS, other, cursor=False)
    assert not guard.unmoved(ASKS, gone, cursor=True)
    assert not guard.unmoved(gone, ASKS, cursor=True)
    assert not guard.unmoved(gone, gone, cursor=True)


def test_the_landmark_is_the_longest_words_of_an_option_that_are_in_the_rows_of_the_prompt():
    screen = Screen(("Never do it again", "ls?", "1. Yes, run it", "2. Always allow", "3. No"))
    labels = "Yes, run it", "Always allow", "Never do it again", "No"
    options = tuple(Option(label, label, Effect.OTHER) for label in labels)
    form = replace(FORM, options=options, top=1)
    assert answering(form).landmark(screen) == "Always allow"
    asked = tuple(QuestionOption(label) for label in labels)
    question = PromptForm(Kind.QUESTION, "Which?", questions=(Question("Which?", "", asked),))
    assert answering(replace(question, top=1)).landmark(screen) == "Always allow"
    # Where the prompt begins is not always known.
    assert answering(replace(form, top=None)).landmark(screen) == "Never do it again"


def test_without_words_or_a_prompt_any_screen_may_get_the_key():
    assert answering(replace(FORM, options=(NO,))).landmark(ASKS) == ""
    assert answering(FORM, None).landmark(ASKS) == ""


def test_a_prompt_is_there_or_not():
    for guard in (answering(), ComposerGuard(Cli(FORM)), BusyGuard(Cli(FORM))):
        assert guard.another(ASKS) is True
    for guard in (answering(FORM, None), ComposerGuard(Cli()), BusyGuard(Cli())):
        assert guard.another(ASKS) is False


def test_a_composer_in_its_place_holds_a_prompt_back_only_where_the_cli_says_so():
    for seen in (None, draft("mine")):
        assert PromptGuard(Cli(None, seen), FORM).held_back(SHOWN) is False
    for text in (None, "mine"):
        guard = PromptGuard(Cli(None, SeenState(SessionState.IDLE, text, holds_back=True)), FORM)
        assert guard.desk_draft == ""
        assert guard.held_back(SHOWN) is True
        assert guard.desk_draft == (text or "")
    for other in (ComposerGuard(Cli()), BusyGuard(Cli())):
        assert other.held_back(SHOWN) is False


# When an answer is over


@pytest.mark.parametrize(
    ("screen", "seen"),
    [
        (Screen(("",)), BUSY),
        (SHOWN, None),
        (SHOWN, SeenState(SessionState.WAITING)),
    ],
)
def test_a_screen_that_explains_nothing_says_so_only_when_it_stays(screen, seen):
    now = [0.0]
    guard = PromptGuard(Cli(None, seen), FORM, clock=lambda: now[0])
    assert not guard.over(screen)
    now[0] = DEFAULT_TIMINGS.screens.unclear_leaves - 0.1
    assert not guard.over(screen)
    now[0] = DEFAULT_TIMINGS.screens.unclear_leaves
    assert guard.over(screen)


def test_a_composer_that_is_idle_says_so_only_when_it_stays():
    now = [0.0]
    guard = PromptGuard(Cli(None, IDLE), FORM, clock=lambda: now[0])
    assert not guard.over(SHOWN)
    now[0] = TAKEN_AFTER
    assert guard.over(SHOWN)


def test_an_equal_prompt_under_the_answer_came_after_it():
    seen, below = PromptSighting(FORM, ASKS), replace(FORM, top=1)
    under = Screen(("tomorrow", *ASKS.captured))
    assert answering(FORM, below, sighting=seen, answer_text="tomorrow").over(under)
    assert not answering(FORM, below, sighting=seen).over(under)
    assert not answering(FORM, below, answer_text="tomorrow").over(under)


# What a message may be typed into


def composing(seen: SeenState | None, text: str = "hello you", **more: Any) -> ComposerGuard:
    return ComposerGuard(Cli(None, seen), text, **more)


def draft(text: str) -> SeenState:
    return SeenState(SessionState.IDLE, draft=text)


def test_a_message_goes_only_into_an_idle_empty_composer():
    assert composing(IDLE).allows(SHOWN)
    for seen in (None, BUSY, SeenState(SessionState.BUSY, ""), SeenState(SessionState.IDLE)):
        assert not composing(seen).allows(SHOWN)
    assert not ComposerGuard(Cli(FORM, IDLE), "hello").allows(SHOWN)


def test_a_draft_of_the_desk_is_left_alone_though_it_reads_the_same():
    assert not composing(draft("hello you")).allows(SHOWN)
    assert not composing(draft("hello")).allows(SHOWN)


def test_once_begun_the_composer_may_hold_what_was_typed_of_the_message_and_nothing_else():
    cli = Cli(None, IDLE)
    guard = ComposerGuard(cli, "hello you")
    assert guard.allows(SHOWN)
    for text, allowed in (("hello", True), ("hello you", True), ("hello me", False)):
        cli.seen = draft(text)
        assert guard.allows(SHOWN) is allowed
    assert composing(draft("hello"), begun=True).allows(SHOWN)
    assert not composing(draft("other"), begun=True).allows(SHOWN)


def test_a_composer_that_was_not_allowed_is_not_begun():
    cli = Cli(None, draft("hello"))
    guard = ComposerGuard(cli, "hello you")
    assert not guard.allows(SHOWN)
    assert not guard.allows(SHOWN)


def test_a_switch_may_have_written_anything_once_it_has_begun():
    cli = Cli(None, IDLE)
    guard = ComposerGuard(cli)
    assert guard.allows(SHOWN)
    cli.seen = draft("/model")
    assert guard.allows(SHOWN)
    assert not composing(draft("/model"), "").allows(SHOWN)


def test_a_composer_is_unmoved_while_it_holds_the_same_and_a_list_while_its_row_is_the_same():
    cli = Cli()
    guard = ComposerGuard(cli)
    one, same, other, none, menu, row = (Screen((name,)) for name in "abcdef")
    cli.states = {one: draft("a"), same: draft("a"), other: draft("b"), none: None}
    cli.forms = {menu: FORM, row: replace(FORM, selected="no")}
    assert guard.unmoved(one, same, cursor=True)
    for asked, now in ((one, other), (one, none), (none, one), (none, none)):
        assert not guard.unmoved(asked, now, cursor=True)
    assert guard.unmoved(menu, menu, cursor=True)
    for asked, now in ((menu, row), (menu, one), (one, menu)):
        assert not guard.unmoved(asked, now, cursor=True)


def test_a_message_left_when_the_cli_works_or_a_prompt_opens():
    assert composing(SeenState(SessionState.BUSY, "")).over(SHOWN)
    assert ComposerGuard(Cli(FORM), "hello").over(SHOWN)
    for seen in (None, SeenState(SessionState.BUSY, "hello"), SeenState(SessionState.WAITING)):
        assert not composing(seen).over(SHOWN)


@pytest.mark.parametrize(
    ("entered", "stands", "over"),
    [
        ("hello you", "a draft that was set aside", True),
        ("[Pasted text #1 +41 lines]", "a draft that was set aside", True),
        ("hello you", "hello you", False),
        ("hello you", "hello", False),
        ("hello you", "hello you and more", False),
        ("hello you", "helo you", False),
        ("[Pasted text #1 +41 lines]", "[Pasted text #1 +41 lines]", False),
        ("[Pasted text #1 +41 lines]", "and [Pasted text #1 +41 lines]", False),
    ],
)
def test_a_message_has_left_if_the_composer_holds_what_the_desk_had_set_aside(
    entered: str, stands: str, over: bool
) -> None:
    now, cli = [0.0], Cli(None, draft(entered))
    guard = ComposerGuard(cli, "hello you", clock=lambda: now[0])
    assert guard.landmark(SHOWN) == ""
    cli.seen = draft(stands)
    assert not guard.over(SHOWN)
    now[0] = DEFAULT_TIMINGS.screens.unclear_leaves
    assert guard.over(SHOWN) is over


def test_a_text_that_stays_away_left_and_one_that_comes_back_did_not():
    now, cli = [0.0], Cli(None, IDLE)
    guard = ComposerGuard(cli, "hello", clock=lambda: now[0])
    assert not guard.over(SHOWN)
    cli.seen, now[0] = draft("hello"), TAKEN_AFTER
    assert not guard.over(SHOWN)
    cli.seen = IDLE
    assert not guard.over(SHOWN)
    now[0] = 2 * TAKEN_AFTER
    assert guard.over(SHOWN)


@pytest.mark.parametrize("seen", [None, SeenState(SessionState.WAITING)])
def test_only_a_command_left_when_what_nobody_knows_stands_in_the_place_of_the_composer(seen):
    now = [0.0]
    command, message = (
        ComposerGuard(Cli(None, seen), text, clock=lambda: now[0]) for text in ("/list", "hello")
    )
    assert not command.over(SHOWN)
    assert not message.over(SHOWN)
    now[0] = DEFAULT_TIMINGS.screens.unclear_leaves
    assert command.over(SHOWN)
    assert not message.over(SHOWN)


def test_a_command_that_shows_again_has_not_left():
    now, cli = [0.0], Cli(None, None)
    guard = ComposerGuard(cli, "/list", clock=lambda: now[0])
    assert not guard.over(SHOWN)
    cli.seen, now[0] = draft("/list"), DEFAULT_TIMINGS.screens.unclear_leaves
    assert not guard.over(SHOWN)
    cli.seen = None
    assert not guard.over(SHOWN)


def test_an_interrupt_may_follow_a_key_of_the_desk_and_the_end_of_a_message_may_not():
    assert composing(IDLE).landmark(SHOWN) == ""
    assert BusyGuard(Cli()).landmark(SHOWN) is None


def test_a_message_and_an_interrupt_wait_for_what_the_desk_typed_and_an_answer_does_not():
    assert composing(IDLE).needs_quiet()
    assert BusyGuard(Cli()).needs_quiet()
    assert not answering(FORM).needs_quiet()


# What an interrupt may be typed into


def test_an_interrupt_goes_only_to_a_busy_cli_and_is_over_when_it_is_not():
    for seen, busy in ((BUSY, True), (IDLE, False), (None, False)):
        guard = BusyGuard(Cli(None, seen))
        assert guard.allows(SHOWN) is busy
        assert guard.over(SHOWN) is (not busy)
    asks = BusyGuard(Cli(FORM, BUSY))
    assert not asks.allows(SHOWN)


def test_whether_it_is_busy_goes_by_what_was_seen_before():
    cli, before = Cli(None, BUSY), Previous(BUSY, 3.0)
    BusyGuard(cli, before).allows(SHOWN)
    assert cli.previous is before


def test_a_busy_cli_may_write_anything_meanwhile():
    assert BusyGuard(Cli(None, BUSY)).unmoved(ASKS, SHOWN, cursor=True) is True
