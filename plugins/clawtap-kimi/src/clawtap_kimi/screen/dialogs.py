"""The dialog for the trust of a folder: a list without numbers, each row with its description."""

from __future__ import annotations

from clawtap_core import Effect, Kind, Option, PromptForm
from clawtap_core.screens import OptionRow, ParsedPrompt, slugs, unwrap
from clawtap_kimi.screen.panel import Panel
from clawtap_kimi.words import WORDS

_TRUST = WORDS.pattern("dialogs.trust")
_MARK, _LABEL = "❯", 4
_HEADING = 2


def read_trust(panel: Panel) -> ParsedPrompt | None:
    """Read the question whether the folder is trusted; its first row does."""
    if not panel.whole or not panel.rows or not _TRUST.fullmatch(panel.rows[0].strip()):
        return None
    rows = _options(panel)
    if len(rows) != 2 or sum(row.selected for row in rows) != 1:
        return None
    names = slugs(row.label for row in rows)
    effects = (Effect.ALLOW_ALWAYS, Effect.DENY)
    options = tuple(
        Option(name, row.label, effect)
        for name, row, effect in zip(names, rows, effects, strict=True)
    )
    about = unwrap(panel.rows[_HEADING : rows[0].first], panel.width, code=True)
    form = PromptForm(
        Kind.PERMISSION,
        panel.rows[0].strip(),
        "\n".join(line.strip() for line in about.split("\n")).strip("\n"),
        options=options,
        selected=next(o.value for o, row in zip(options, rows, strict=True) if row.selected),
        dialog="folder-trust",
        top=panel.top,
    )
    return ParsedPrompt(form, rows)


def _options(panel: Panel) -> tuple[OptionRow, ...]:
    """Return the first row of each of the last paragraphs."""
    at = next((at for at, row in enumerate(panel.rows) if row.lstrip().startswith(_MARK)), None)
    if at is None:
        return ()
    starts = [
        row
        for row in range(1, len(panel.rows))
        if panel.rows[row] and not panel.rows[row - 1] and _is_option(panel.rows[row])
    ]
    return tuple(
        OptionRow(
            None,
            panel.rows[row][_LABEL:],
            row == at,
            first=row,
            last=row,
            column=_LABEL,
        )
        for row in starts
    )


def _is_option(row: str) -> bool:
    return row[:_LABEL].strip() in ("", _MARK) and row[_LABEL : _LABEL + 1].strip() != ""
