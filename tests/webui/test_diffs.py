"""Reading changes, however a CLI draws them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webui.markup import diffs
from webui.markup.diff_colours import coloured
from webui.viewmodels.tool_change import named


def test_a_unified_diff_is_read_with_its_numbers() -> None:
    change = diffs.parse(
        "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ def f():\n a\n--- old\n+++ new\n c\n--- a/y\n+++ b/y\n"
        "@@ -1 +1,2 @@\n one\n+two"
    )
    assert change
    assert [(line.kind, line.number, line.text) for line in change.lines] == [
        ("file", "", "--- a/x"),
        ("file", "", "+++ b/x"),
        ("hunk", "", "@@ -3,3 +3,3 @@ def f():"),
        ("same", "3", "a"),
        ("del", "4", "-- old"),
        ("add", "4", "++ new"),
        ("same", "5", "c"),
        ("file", "", "--- a/y"),
        ("file", "", "+++ b/y"),
        ("hunk", "", "@@ -1 +1,2 @@"),
        ("same", "1", "one"),
        ("add", "2", "two"),
    ]


def test_numbered_lines_are_read_and_wrapped_ones_go_on() -> None:
    change = diffs.parse("12   same\n13 - old text\n13 + new text\n   that is wrapped\n14")
    assert change
    assert [(line.kind, line.number) for line in change.lines] == [
        ("same", "12"),
        ("del", "13"),
        ("add", "13"),
        ("add", ""),
        ("same", "14"),
    ]


def test_what_differs_within_a_line_is_marked() -> None:
    change = diffs.between("port = 80 # web\n", "port = 8080 # web\n")
    old, new = change.lines[1:]
    assert "".join(text for text, _ in old.pieces) == old.text
    assert [text for text, differs in new.pieces if differs] == ["80"]


def test_ordinary_text_is_no_change() -> None:
    for text in ("git push", "1. one\n2. two", "12 monkeys", "", "- a\n+ b", "ls -la\n1 + 1\nls"):
        assert diffs.parse(text) is None, text


@given(st.text(alphabet="+-@ 123,\n\tab", max_size=200))
def test_whatever_is_read_nothing_is_lost(text: str) -> None:
    change = diffs.parse(text)
    if change:
        kept = "".join(line.text for line in change.lines)
        for letter in "ab\t":
            assert kept.count(letter) == text.count(letter) or letter == "\t"


def test_a_change_has_the_colours_of_its_language() -> None:
    change = coloured(diffs.between("x = 1\n", "x = 'a'\n", "app.py"))
    removed, added = change.lines[-2:]
    assert "".join(text for _, text, _ in added.runs) == added.text
    assert ("s1", "a") in [(css, text) for css, text, _ in added.runs]
    assert [text for _, text, differs in removed.runs if differs] == ["1"]
    assert coloured(diffs.between("x", "y", "notes.unknown")).lines[-1].runs == ()


def test_a_string_over_several_lines_is_one() -> None:
    change = coloured(diffs.between("a = 1\n", 'a = """\nfor\n"""\n', "app.py"))
    (line,) = [line for line in change.lines if line.text == "for"]
    assert {css for css, _, _ in line.runs} == {"s2"}


def test_a_numbered_list_is_no_change() -> None:
    # Gemini 0.61.0 draws a command like this.
    assert diffs.parse("touch x && echo '❯ 1. Yes\n  2. No'") is None


def test_a_new_file_with_lists_has_no_removed_lines() -> None:
    # Gemini 0.61.0 draws a new file without signs.
    change = diffs.parse("Writing to a.md\n1 hello\n2   1. Yes\n3 - minus\n4 + plus\n5     deep")
    assert change
    assert (change.added, change.removed) == (5, 0)
    assert [line.text for line in change.lines[1:]] == [
        "hello",
        "  1. Yes",
        "- minus",
        "+ plus",
        "    deep",
    ]


def test_a_sign_may_stand_close_to_its_line() -> None:
    # Codex 0.171.0 draws a patch like this, Claude Code 2.1.332 an edit.
    drawn = "Destination: /p/n.txt\n  1 +hello\n  2 +  1. Yes\n  3 +- minus\n  4  same"
    change = diffs.parse(drawn)
    assert change
    assert [(line.kind, line.text) for line in change.lines[1:]] == [
        ("add", "hello"),
        ("add", "  1. Yes"),
        ("add", "- minus"),
        ("same", "same"),
    ]
    headed = diffs.parse(f"Description: Apply edits\n{drawn}")
    assert headed
    assert named(headed, "").path == "/p/n.txt"


def test_what_stands_below_a_change_is_no_part_of_it() -> None:
    # Claude Code 2.1.332 empties a file.
    change = diffs.parse(" 1 -x\n 2 -y\nfull.txt\nDo you want to overwrite full.txt?")
    assert change
    assert (change.added, change.removed) == (0, 2)


def test_a_long_change_comes_in_parts() -> None:
    change = diffs.between("", "\n".join(f"line {number}" for number in range(5000)))
    assert change.part_end(0, goes_on=True) == 200
    assert change.part_end(200, goes_on=True) == 2200
    assert change.part_end(4200, goes_on=True) == 5000
    # Where the others cannot be had, as in a conversation, more of them come at once.
    assert change.part_end(0, goes_on=False) == 2000
