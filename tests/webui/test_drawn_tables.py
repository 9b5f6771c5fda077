"""Tables and code that a CLI drew become tables and code of the page."""

from __future__ import annotations

from webui.markup.drawn_code import code_as_markdown
from webui.markup.drawn_tables import tables_as_markdown

DRAWN = """The steps:

┌────────┬────────────┬───────────┐
│  step  │   takes    │  can be   │
│        │            │  undone   │
├────────┼────────────┼───────────┤
│ copy   │ 10 minutes │ yes       │
├────────┼────────────┼───────────┤
│ a|b    │ 1 minute   │           │
└────────┴────────────┴───────────┘

Then rest."""


def test_a_drawn_table_is_a_table_again_with_its_wrapped_cells_joined() -> None:
    assert tables_as_markdown(DRAWN).split("\n\n") == [
        "The steps:",
        "\n| step | takes | can be undone |\n|---|---|---|\n| copy | 10 minutes | yes |"
        "\n| a\\|b | 1 minute |  |",
        "\nThen rest.",
    ]


def test_a_table_with_one_line_across_has_a_row_in_each_line() -> None:
    drawn = "┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n│   │ 3 │\n│ 4 │ 5 │\n└───┴───┘"
    assert tables_as_markdown(drawn).strip() == "| a | b |\n|---|---|\n| 1 | 2 3 |\n| 4 | 5 |"


def test_an_incomplete_table_stays_as_it_is() -> None:
    for text in ("│ a │", "┌──┐\n│ a", DRAWN.replace("└", "")):
        assert tables_as_markdown(text) == text


CODE = """ 1. Copy
 2. Switch
  9 ATTACH DATABASE 'shop.db'
    AS shop;
 10
 11 INSERT INTO `shop`.orders;

 3 minutes later"""


def test_rows_with_numbers_are_code_without_them() -> None:
    assert code_as_markdown(CODE).split("\n") == [
        *(" 1. Copy", " 2. Switch", "", "```", "ATTACH DATABASE 'shop.db' AS shop;", ""),
        *("INSERT INTO `shop`.orders;", "```", "", "", " 3 minutes later"),
    ]


def test_a_fence_is_longer_than_those_in_the_code() -> None:
    assert code_as_markdown(" 1 ```sh").split("\n") == ["", "````", "```sh", "````", ""]


def test_a_number_in_a_sentence_or_a_list_is_no_code() -> None:
    for text in ("1 minute\n2 minutes", " 1. a\n 2. b", " 7 days", "", " 1.\n", " 5 a\n 5 b"):
        assert code_as_markdown(text) == text
