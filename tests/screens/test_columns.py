"""Lists in two columns."""

from __future__ import annotations

from clawtap_core.screens import numbered_rows
from clawtap_core.screens.columns import in_columns, in_one_column


def read(*rows: str) -> list[tuple[str, str]]:
    found = in_columns(rows, numbered_rows(rows, 40))
    return [(option.label, option.description) for option in found]


def test_a_description_beside_its_label_is_distinguished() -> None:
    assert read("> 1. Keep   As it is", "  2. Drop   For ever") == [
        ("Keep", "As it is"),
        ("Drop", "For ever"),
    ]


def test_both_columns_may_be_wrapped() -> None:
    assert read(
        "> 1. A label that   Its own",
        "     goes on        words, which",
        "                    go on longer",
        "  2. Short          Brief",
    ) == [("A label that goes on", "Its own words, which go on longer"), ("Short", "Brief")]


def test_an_option_without_a_description_is_all_label() -> None:
    assert read("> 1. Keep   As it is", "  2. Drop  ") == [("Keep", "As it is"), ("Drop", "")]


def test_a_list_without_a_second_column_keeps_its_wrapped_labels() -> None:
    assert read("> 1. Yes, and never ask", "     again", "  2. No") == [
        ("Yes, and never ask again", ""),
        ("No", ""),
    ]


def test_a_label_that_was_cut_keeps_its_ellipsis() -> None:
    assert read(
        "> 1. Switch     Cheaper, faster",
        "  2. Keep (nev… Hide this",
        "                reminder",
    ) == [("Switch", "Cheaper, faster"), ("Keep (nev…", "Hide this reminder")]


def test_wide_characters_count_as_two_columns() -> None:
    assert read("> 1. 漢字   about", "  2. Kanji  signs") == [("漢字", "about"), ("Kanji", "signs")]


def test_two_blanks_within_one_label_are_no_column() -> None:
    assert read("> 1. one  two", "  2. a longer label") == [
        ("one  two", ""),
        ("a longer label", ""),
    ]


def test_without_a_second_column_all_is_label() -> None:
    rows = ["> 1. run `a  b`", "     again", "  2. No"]
    found = in_one_column(rows, numbered_rows(rows, 40))
    assert [option.label for option in found] == ["run `a  b` again", "No"]


def test_a_word_longer_than_its_column_is_below_its_number() -> None:
    word = "w" * 20
    rows = (f"{'> 1.':29}About it.", f"     {word} A", f"{'  2. None':29}Notes")
    assert read(*rows) == [(f"{word} A", "About it."), ("None", "Notes")]


def test_paths_compounds_and_chinese_are_joined_without_a_blank() -> None:
    assert read(
        "> 1. /home/me/very-  One or the",
        "     long/name/      other and so",
        "     a.py            on",
        "  2. 把订单迁移到新  的",
        "     的数据库        那个",
    ) == [
        ("/home/me/very-long/name/a.py", "One or the other and so on"),
        ("把订单迁移到新的数据库", "的那个"),
    ]


def test_options_of_a_command_keep_their_blank() -> None:
    rows = ("> 1. Yes, for `git checkout --", "     main -", "     f`", "  2. No")
    (first, _) = in_one_column(rows, numbered_rows(rows, 40))
    assert first.label == "Yes, for `git checkout -- main - f`"
