"""What a session's screens tell: one appearance, one prompt; nothing waits unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawtap_core import Kind, Position, PromptForm, Screen, SeenState, SessionState
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_timings import SCREEN_TIMINGS as WAITS
from clawtap_core.prompts.screen_tracker import (
    PromptSighting,
    ScreenTracker,
)

ASK = PromptForm(Kind.PERMISSION, "Run?", "touch made.txt && ls", top=2)
IDLE = SeenState(SessionState.IDLE, draft="")
BUSY = SeenState(SessionState.BUSY)


def screen(text="hello", cols=80):
    return Screen.from_text(text, cols=cols, rows=24)


def see(watch, now, form=None, seen=None, shown=None, at_work=False):
    shown = shown or screen()
    watch.previous(shown, now)
    return watch.see(shown, form, seen, now, at_work=lambda: at_work)


def test_a_prompt_is_new_once():
    watch = ScreenTracker(0)
    assert see(watch, 1, ASK).new
    assert not see(watch, 2, ASK).new


def test_a_prompt_that_left_and_came_back_is_a_new_one():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    see(watch, 2, seen=BUSY)
    assert see(watch, 2 + WAITS.prompt_leaves, seen=BUSY).form is None
    assert see(watch, 3, ASK).new


def test_a_prompt_that_is_held_back_while_somebody_types_stays_the_same():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    typing = SeenState(SessionState.WAITING, draft="half a", holds_back=True)
    for seconds in (2, 5, 9):
        held = see(watch, seconds, seen=typing)
        assert (held.form, held.new, held.seen.state) == (ASK, False, SessionState.WAITING)
    assert not see(watch, 10, ASK).new


def test_a_prompt_that_is_held_back_from_the_beginning_reaches_the_user():
    watch = ScreenTracker(0)
    typing = SeenState(SessionState.WAITING, draft="half a", holds_back=True)
    assert see(watch, 1, seen=typing).form is None
    assert see(watch, 2 + WAITS.unknown_appears, seen=typing).form.kind is Kind.UNKNOWN
    assert see(watch, 6, ASK).new


def test_a_long_prompt_that_shows_more_of_the_same_rows_is_the_same_prompt():
    begins = replace(ASK, description="touch made.txt\necho 1", truncated=True)
    watch = ScreenTracker(0)
    assert see(watch, 1, begins).new
    more = replace(begins, description="touch made.txt\necho 1\necho 2")
    then = see(watch, 1.1, more)
    assert not then.new
    assert then.form == more


def test_other_rows_of_a_cut_prompt_are_another_prompt_at_once():
    # Two commands of 70 lines: the first is answered at the desk, and the second shows its end.
    begins = replace(ASK, description="touch made.txt\necho 1", truncated=True)
    watch = ScreenTracker(0)
    assert see(watch, 1, begins).new
    assert see(watch, 1.1, replace(begins, description="…\nrm made.txt")).new


def test_a_prompt_that_shows_nothing_of_its_text_is_another_unless_the_pane_was_resized():
    empty = replace(ASK, description="", truncated=True)
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    assert see(watch, 4, empty).new
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    assert not see(watch, 4, empty, shown=screen(cols=40)).new


def test_two_edits_of_one_file_are_distinguished_by_what_shows_of_them():
    first = replace(ASK, subject="Edit?\nmade.txt", description="1 +one\n2 +two", truncated=True)
    watch = ScreenTracker(0)
    assert see(watch, 1, first).new
    assert not see(watch, 1.1, replace(first, description="1 +one\n2 +two\n3 +three")).new
    assert see(watch, 1.2, replace(first, description="1 +four\n2 +five")).new


@pytest.mark.parametrize("name", ["made.txt.bak", "other.txt"])
def test_edits_of_two_files_are_two_prompts_however_little_of_them_shows(name):
    first = replace(ASK, subject="Edit?\n/work/made.txt", description="+one", truncated=True)
    second = replace(first, subject=f"Edit?\n/work/{name}")
    watch = ScreenTracker(0)
    assert see(watch, 1, first).new
    assert see(watch, 1.1, second).new


@pytest.mark.parametrize("changed", [{"title": "Write?"}, {"truncated": False}])
def test_another_question_or_a_whole_one_is_a_second_prompt_at_once(changed):
    begins = replace(ASK, description="touch made.txt\necho 1", truncated=True)
    watch = ScreenTracker(0)
    assert see(watch, 1, begins).new
    assert see(watch, 1.4, replace(begins, description="rm made.txt", **changed)).new


def test_a_frame_that_is_caught_without_its_prompt_does_not_end_it():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    torn = see(watch, 2, seen=IDLE)
    assert torn.form == ASK
    assert torn.recheck == pytest.approx(WAITS.prompt_leaves)
    assert torn.seen.state is SessionState.WAITING
    assert not see(watch, 2.05, ASK).new


def test_a_half_painted_redraw_keeps_the_prompt():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    sight = see(watch, 1.1)
    assert sight.form == ASK
    assert sight.recheck is not None
    assert not see(watch, 1.2, ASK).new


def test_a_screen_that_stays_unclear_ends_the_prompt():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    see(watch, 1.1)
    assert see(watch, 1.1 + WAITS.unclear_leaves).form is None


def test_a_cli_that_is_at_work_has_time_to_paint_the_rest():
    """At a load of 33 a redraw took longer than that: the prompt seemed to have been answered."""
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    see(watch, 1.1)
    sight = see(watch, 3, at_work=True)
    assert sight.form == ASK
    assert sight.recheck is not None
    assert not see(watch, 3.5, ASK).new
    see(watch, 4)
    assert see(watch, 4 + WAITS.rest_comes, at_work=True).form != ASK


def test_what_nobody_knows_is_a_prompt_within_three_seconds():
    watch = ScreenTracker(0)
    first = see(watch, 10)
    assert first.form is None
    assert first.recheck is not None
    assert first.recheck <= 3
    sight = see(watch, 10 + first.recheck)
    assert sight.new
    assert sight.form
    assert sight.form.kind is Kind.UNKNOWN
    assert sight.form.screen == "hello"
    assert sight.seen.state is SessionState.WAITING


def test_a_spinner_and_a_clock_do_not_make_a_still_screen_move():
    watch = ScreenTracker(0)
    see(watch, 10, shown=screen("⠙ what now 10s"))
    assert see(watch, 10 + WAITS.unknown_appears, shown=screen("⠴ what now 12s")).form


def test_frames_that_were_caught_half_painted_do_not_make_a_still_screen_move():
    watch = ScreenTracker(0)
    for tick in range(4):
        see(watch, 10 + tick / 2, shown=screen(f"⠙ what now {tick}s\nthe footer"))
        see(watch, 10.4 + tick / 2, shown=screen("⠙ what"))
        see(watch, 10.45 + tick / 2, shown=screen("⠙ what now"))
    assert see(watch, 10 + WAITS.unknown_appears, shown=screen("⠴ what now 2s\nthe footer")).form


def test_text_that_comes_and_goes_slowly_is_not_still():
    watch = ScreenTracker(0)
    for second in range(4):
        see(watch, 10 + second, shown=screen("one"))
        assert see(watch, 10.5 + second, shown=screen("one two")).form is None


def test_text_that_moves_is_not_an_unknown_prompt():
    watch = ScreenTracker(0)
    see(watch, 10, shown=screen("one"))
    assert see(watch, 12.5, shown=screen("one two")).form is None


def test_an_unknown_prompt_stays_the_same_while_its_screen_changes():
    watch = ScreenTracker(0)
    see(watch, 10)
    assert see(watch, 13).new
    assert not see(watch, 14, shown=screen("moved a cursor")).new
    assert see(watch, 15, seen=IDLE).form is None


def test_idle_busy_and_starting_screens_are_never_unknown_prompts():
    for state in (IDLE, BUSY, SeenState(SessionState.STARTING)):
        watch = ScreenTracker(0)
        see(watch, 1, seen=state)
        assert see(watch, 60, seen=state).form is None


def test_the_same_call_in_the_history_above_means_a_second_prompt():
    watch = ScreenTracker(0)
    see(watch, 1, ASK, shown=screen("go\n\nRun?\ntouch made.txt && ls"))
    after = PromptForm(Kind.PERMISSION, "Run?", ASK.description, top=3)
    shown = screen("go\n✓ touch made.txt && ls\n\nRun?\ntouch made.txt && ls")
    assert see(watch, 2, after, shown=shown).new


SHELL = replace(ASK, description="touch refused.txt")
# Qwen 0.24.4 at 80x24: its prompt came in fewer rows than it then took.
FEW_ROWS = """\
  > use a temporary folder                                                     │
                                                                               │
  ◆ all done 10                                                                │
                                                                               │
  > please do number 13                                                        │
  ? Shell touch refused.txt (Runs it) ←                                        █
                                                                               █
   Run?                                                                        █"""
REVEALED = """\
  > please do number 11                                                        │
  - Shell touch refused.txt (Runs it)                                          │
                                                                               │"""
ASKED_AGAIN = """\
  - Shell touch refused.txt (Runs it)                                          █
  ? Shell touch refused.txt (Runs it) ←                                        █
                                                                               █
   Run?                                                                        █"""


def test_older_calls_that_come_into_sight_at_the_top_are_not_a_second_prompt():
    before = PromptSighting(replace(SHELL, top=6), screen(FEW_ROWS))
    more_rows = f"{REVEALED}\n{FEW_ROWS.replace('█', '│')}"
    assert not before.answered(replace(SHELL, top=9), screen(more_rows))
    again = f"{REVEALED}\n{FEW_ROWS.rpartition('  ? Shell')[0]}{ASKED_AGAIN}"
    assert before.answered(replace(SHELL, top=10), screen(again))


def test_a_turn_that_reads_the_same_below_the_first_means_a_second_prompt():
    turn = "please make the file that we have been talking about\n? Shell touch refused.txt"
    before = PromptSighting(replace(SHELL, top=2), screen(f"{turn}\nRun?"))
    second = screen(f"{turn.replace('?', '-')}\n{turn}\nRun?")
    assert before.answered(replace(SHELL, top=4), second)


def test_the_words_of_an_answer_above_mean_a_second_prompt():
    asked = replace(ASK, title="Ready?", description="The plan")
    before = PromptSighting(asked, screen("work\n\nReady?"))
    reported = screen("work\nExit plan mode\nFeedback: Add a migration\n\nReady?")
    again = replace(asked, top=4)
    assert before.answered(again, reported, "Add a migration")
    assert not before.answered(again, reported)
    assert not before.answered(again, reported, "Add a test")


def test_a_resize_is_not_a_second_prompt():
    watch = ScreenTracker(0)
    see(watch, 1, ASK, shown=screen("a\nb\nRun?"))
    old_frame = screen("Run?\ntouch made.txt && ls\nb\nRun?\ntouch made.txt && ls", cols=60)
    assert not see(
        watch, 2, PromptForm(Kind.PERMISSION, "Run?", ASK.description, top=4), shown=old_frame
    ).new


def test_a_prompt_that_is_redrawn_after_a_resize_is_seen_in_pieces():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    narrow = screen("half", cols=60)
    piece = see(watch, 2, replace(ASK, description="touch ma"), shown=narrow)
    assert (piece.form, piece.new) == (ASK, False)
    assert piece.recheck == pytest.approx(WAITS.resize_grace)
    assert see(watch, 2.5, seen=IDLE, shown=narrow).form == ASK
    assert not see(watch, 3, ASK, shown=narrow).new


def test_after_a_resize_one_frame_may_show_the_end_and_the_next_the_beginning():
    def edit(*rows):
        shown = "\n".join(rows)
        return PromptForm(Kind.PERMISSION, "Apply?", shown, subject=shown, truncated=True)

    watch, low = ScreenTracker(0), screen(cols=60)
    see(watch, 1, edit("Write a", "…", "6", "7", "8", "Apply?"))
    assert not see(watch, 2, edit("…", "7", "8", "Apply?"), shown=low).new
    assert not see(watch, 2.3, seen=IDLE, shown=low).new
    whole = see(watch, 2.5, edit("Write a", "…", "8", "Apply?"), shown=low)
    assert (whole.form, whole.new) == (edit("Write a", "…", "8", "Apply?"), False)
    assert not see(watch, 6, edit("Write a", "…", "8", "Apply?"), shown=low).new
    assert see(watch, 7, edit("Write b", "…", "8", "Apply?"), shown=low).new


def test_another_prompt_after_a_resize_is_announced_a_little_later():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    other = replace(ASK, description="rm made.txt")
    assert see(watch, 2, other, shown=screen(cols=60)).form == ASK
    assert see(watch, 2 + WAITS.resize_grace, other, shown=screen(cols=60)).new


@pytest.mark.parametrize("missed", [True, False])
def test_what_is_above_may_have_been_painted_while_keys_were_typed_after_a_resize(missed):
    watch, words = ScreenTracker(0), ASK.description
    see(watch, 1, ASK, shown=screen(f"{words}\n\nRun?\n{words}"))
    see(watch, 2, replace(ASK), shown=screen(f"\n\nRun?\n{words}", cols=60))
    if missed:
        watch.missed_screens()
    whole = screen(f"{words}\n\nRun?\n{words}", cols=60)
    assert see(watch, 5, replace(ASK), shown=whole).new is not missed
    again = screen(f"{words}\n{words}\n\nRun?\n{words}", cols=60)
    assert see(watch, 6, replace(ASK, top=3), shown=again).new


def test_idle_time_starts_over_when_the_draft_changes():
    watch = ScreenTracker(0)
    see(watch, 1, seen=SeenState(SessionState.IDLE, draft="typing"))
    assert watch.idle_for(5) == 4
    see(watch, 6, seen=IDLE)
    assert watch.idle_for(7) == 1
    see(watch, 8, seen=BUSY)
    assert watch.idle_for(9) == 0


def test_wrapping_and_cutting_do_not_make_another_prompt():
    whole = PromptForm(Kind.PERMISSION, "Run?", "one two three four")
    wrapped = PromptForm(Kind.PERMISSION, "Run?", "one two\nthree  four")
    cut = PromptForm(Kind.PERMISSION, "Run?", "one two", truncated=True)
    other = PromptForm(Kind.PERMISSION, "Run?", "five")
    assert same_prompt(whole, wrapped)
    assert same_prompt(whole, cut)
    assert not same_prompt(whole, other)
    assert not same_prompt(cut, other)


def test_a_whole_text_is_no_part_of_a_longer_one():
    whole = PromptForm(Kind.PERMISSION, "Run?", "rm made.txt")
    longer = PromptForm(Kind.PERMISSION, "Run?", "rm made.txt.bak and so on", truncated=True)
    assert not same_prompt(whole, longer)


@pytest.mark.parametrize(
    ("cut", "same"),
    [
        ("…\nthree\nfour\nSure?", True),
        ("Run\none\n…\nfour\nSure?", True),
        ("Run\none\ntwo\n…", True),
        ("one\ntwo\n…", False),
        ("…\nthree\nfour", False),
        ("…\nfour\nthree\nSure?", False),
        ("Run\none\nthree", False),
    ],
)
def test_a_cut_subject_is_a_visible_part_of_the_whole_one(cut, same):
    whole = PromptForm(Kind.PERMISSION, "Run", subject="Run\none\ntwo\nthree\nfour\nSure?")
    part = PromptForm(Kind.PERMISSION, "Run", subject=cut, truncated=True)
    assert same_prompt(whole, part) is same
    assert same_prompt(part, whole) is same


def test_the_same_words_at_another_position_are_another_question():
    first = PromptForm(Kind.QUESTION, "Sure?", position=Position(1, 2))
    second = PromptForm(Kind.QUESTION, "Sure?", position=Position(2, 2))
    assert not same_prompt(first, second)


@pytest.mark.parametrize(
    ("seen", "patience"),
    [(BUSY, WAITS.busy_within), (SeenState(SessionState.STARTING), WAITS.starts_within)],
)
def test_a_cli_that_works_or_starts_and_stands_still_is_looked_at_again_for_a_while(seen, patience):
    watch = ScreenTracker(0)
    assert see(watch, 10, seen=seen).recheck == WAITS.busy_again
    assert see(watch, 9 + patience, seen=seen).recheck == WAITS.busy_again
    assert see(watch, 10 + patience, seen=seen).recheck is None


def test_the_call_that_was_answered_is_found_when_as_much_scrolled_away():
    watch = ScreenTracker(0)
    words = ASK.description
    filler = "\n".join(f"line {number} of what was said before" for number in range(6))
    see(watch, 1, replace(ASK, top=8), shown=screen(f"✓ {words}\n{filler}\n\nRun?\n{words}"))
    moved = screen(f"{filler}\n✓ {words}\n\n\nRun?\n{words}")
    assert see(watch, 2, replace(ASK, top=9), shown=moved).new


def test_a_scroll_of_what_stands_above_is_not_a_second_prompt():
    watch = ScreenTracker(0)
    words = ASK.description
    filler = "\n".join(f"line {number} of what was said before" for number in range(6))
    see(watch, 1, replace(ASK, top=8), shown=screen(f"✓ {words}\n{filler}\n\nRun?\n{words}"))
    moved = screen(f"{filler}\n\nRun?\n{words}")
    assert not see(watch, 2, replace(ASK, top=7), shown=moved).new


def test_a_blank_screen_is_a_prompt_about_to_be_painted_again():
    watch = ScreenTracker(0)
    see(watch, 1, ASK)
    assert see(watch, 1.1, seen=SeenState(SessionState.STARTING), shown=screen("")).form == ASK
    assert not see(watch, 1.2, ASK).new
    see(watch, 2, seen=SeenState(SessionState.STARTING), shown=screen(""))
    gone = see(
        watch,
        2 + WAITS.unclear_leaves,
        seen=SeenState(SessionState.STARTING),
        shown=screen(""),
    )
    assert gone.form is None


def test_an_unknown_screen_is_captured_again_only_when_it_stands_still():
    watch = ScreenTracker(0)
    see(watch, 10)
    known = see(watch, 13).form
    moved = see(watch, 14, shown=screen("something else"))
    assert moved.form == known
    assert moved.recheck == WAITS.unknown_changes
    assert (
        see(watch, 14 + WAITS.unknown_changes, shown=screen("something else")).form.screen
        == "something else"
    )


def test_a_call_is_known_in_the_history_by_what_it_was_given():
    ask = PromptForm(
        Kind.PERMISSION, "Run?", "Reason: why not\n$ date", tool_input={"command": "date"}, top=2
    )
    watch = ScreenTracker(0)
    see(watch, 1, ask, shown=screen("earlier\n\nRun?"))
    again = see(watch, 2, replace(ask, top=3), shown=screen("earlier\nYou approved date\n\nRun?"))
    assert again.new


def test_the_line_of_the_call_that_asks_may_be_painted_after_its_prompt():
    ask = PromptForm(Kind.PERMISSION, "Run?", "chmod a", tool_input={"command": "chmod a"}, top=3)
    watch = ScreenTracker(0)
    see(watch, 1, ask, shown=screen("  go\n  ⎿ $ touch a\n\nRun?"))
    assert not see(watch, 1.02, ask, shown=screen("● go\n  ⎿ $ chmod a\n\nRun?")).new
    later = screen("go\n  ⎿ $ chmod a\n  done\n  ⎿ $ chmod a\n\nRun?")
    assert see(watch, 2, replace(ask, top=5), shown=later).new


def test_after_a_message_was_sent_the_cli_counts_as_busy():
    watch = ScreenTracker(0)
    see(watch, 1, seen=IDLE)
    watch.sent(2)
    assert watch.previous(screen("an answer, and no sign of work"), 2.1).seen == replace(
        BUSY, draft=""
    )


def test_a_dialog_is_known_in_the_history_by_its_title():
    ask = PromptForm(Kind.PERMISSION, "Connect your editor?", "It shows diffs.", top=2)
    watch = ScreenTracker(0)
    see(watch, 1, ask, shown=screen("hello\n\nConnect"))
    shown = screen("hello\n✓ Connect your editor? Not now\n\nConnect")
    assert see(watch, 2, replace(ask, top=3), shown=shown).new


def test_a_half_painted_prompt_is_no_second_one_whatever_stands_above_it():
    watch = ScreenTracker(0)
    see(watch, 1, ASK, shown=screen("go\n\nRun?\ntouch made.txt && ls"))
    torn = screen("touch made.txt && ls\n\nRun?\ntou")
    assert not see(watch, 1.1, shown=torn).new


def test_the_remains_of_an_old_frame_after_a_resize_are_no_answered_call():
    watch = ScreenTracker(0)
    see(watch, 1, replace(ASK, top=0), shown=screen("Run?\ntouch made.txt && ls", cols=120))
    see(watch, 2, replace(ASK, top=0), shown=screen("Run?\ntouch made.txt\n&& ls", cols=80))
    torn = "Run?\ntouch made.txt && ls\n\nRun?\ntouch made.txt && ls"
    assert not see(watch, 2.1, replace(ASK, top=3), shown=screen(torn, cols=80)).new
    again = f"✓ touch made.txt && ls\n{torn}"
    assert see(watch, 2 + WAITS.resize_grace, replace(ASK, top=4), shown=screen(again, cols=80)).new
