"""Tables that a CLI drew become tables of the page."""

from __future__ import annotations

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
