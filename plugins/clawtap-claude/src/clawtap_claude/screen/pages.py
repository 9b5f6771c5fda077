"""Parse the pages that MCP servers ask to open: a text, an address, two buttons in one row."""

from __future__ import annotations

from clawtap_claude.screen.block import CUT, Block
from clawtap_claude.words import WORDS
from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.screens import OptionRow, ParsedPrompt, cells, slugs, unwrap

_TITLE = WORDS.pattern("pages.title")
_BUTTONS = WORDS.pattern("pages.buttons")
_MARGIN = 4
_CUT_MARGIN = 6
# A page that is opened once more stays on the screen: nothing would show that the answer arrived.
_EFFECTS = {
    "Accept": Effect.ALLOW_ONCE,
    "Decline": Effect.DENY,
    "Skip confirmation": Effect.OTHER,
}


def read_page(block: Block) -> ParsedPrompt | None:
    """Parse a page to open, or an open one whose server has not said yet that it is done."""
    drawn = enumerate(map(_BUTTONS.fullmatch, block.rows))
    at, row = next(((at, row) for at, row in drawn if row), (0, None))
    about = [line.strip() for line in block.rows[:at]]
    joined = unwrap(about, block.width - _MARGIN).split("\n")
    first, *paragraphs = [text for text in joined if text] or [""]
    title = _TITLE.fullmatch(first)
    if title is None or row is None:
        return None
    buttons = tuple(
        OptionRow(
            None, row[name], bool(row[f"at_{name}"]), first=at, last=at, column=row.start(name)
        )
        for name in ("left", "right")
    )
    if sum(button.selected for button in buttons) != 1:
        return None
    offered = [button for button in buttons if button.label in _EFFECTS]
    names = slugs(button.label for button in offered)
    options = tuple(
        Option(name, button.label, _EFFECTS[button.label])
        for name, button in zip(names, offered, strict=True)
    )
    form = PromptForm(
        Kind.QUESTION,
        title["title"],
        "\n".join(paragraphs),
        # Without the server's words, of which a narrow pane shows less.
        subject="\n".join((title["title"], *paragraphs[1:])),
        truncated=any(_is_cut(line, block.width - _CUT_MARGIN) for line in about),
        options=options,
        selected=next((o.value for o, b in zip(options, offered, strict=True) if b.selected), None),
        top=block.first - 1,
    )
    denies = any(option.effect is Effect.DENY for option in options)
    return ParsedPrompt(form, buttons, escape_denies=denies, axis="across")


def _is_cut(line: str, width: int) -> bool:
    return line.endswith(CUT) and cells(line) >= width
