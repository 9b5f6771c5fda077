"""Words in a field that wraps them a column earlier than a label are read whole."""

from __future__ import annotations

from clawtap_claude.screen.prompt import parse_prompt

from clawtap_core import Screen

WIDTH = 60
RULE = "─" * WIDTH
# The second word would have fitted on the first row of a label, to its last column.
LONG = f"{'a' * 49} then and so on"
ROWS = (f"{'a' * 49}", "     then and so on")
QUESTION = (" ☐ Database", "", "Which database?", "", "  1. PostgreSQL", "     About PostgreSQL")
CHAT = (RULE, "  3. Chat about this", "", "Enter to select · ↑/↓ to navigate · Esc to cancel")
PLAN = (" Ready to code?", "", " Here is Claude's plan:", RULE, "   1. Test it", RULE)
ASKS = (" Claude has written up a plan. Would you like to proceed?", "")
CHOICES = ("   1. Yes, and use auto mode", "   2. Yes, manually approve edits")
HINT = ("      shift+tab to approve with this feedback", "", " ctrl+g to edit in Vim")


def written(*rows: str, field: int, cursor: bool = True) -> str | None:
    """What is read in the field that begins in this row."""
    at = (20, field + 1) if cursor else (0, 0)
    parsed = parse_prompt(Screen((RULE, *rows), WIDTH, 30, cursor=at, cursor_visible=cursor))
    assert parsed
    assert parsed.field
    assert parsed.field.focused == cursor
    return parsed.field.text


def test_words_in_the_field_of_a_question() -> None:
    rows = (*QUESTION, f"❯ 2. {ROWS[0]}", *ROWS[1:], *CHAT)
    assert written(RULE, *rows, field=len(QUESTION) + 1) == LONG


def test_words_in_the_field_of_a_question_that_the_cursor_has_left() -> None:
    grey = "\x1b[38;5;246m"
    about = f"{grey}     About PostgreSQL\x1b[39m"
    shown = (*QUESTION[:-2], "❯ 1. PostgreSQL", about)
    left = (*shown, f"  2. {ROWS[0]}", *ROWS[1:], *CHAT)
    assert written(RULE, *left, field=0, cursor=False) == LONG


def test_words_in_the_field_of_a_plan() -> None:
    above = (*PLAN, *ASKS, *CHOICES)
    rows = (*above, f" ❯ 3. {ROWS[0][1:]}", f" {ROWS[1]}", *HINT)
    assert written(*rows, field=len(above)) == LONG[1:]
