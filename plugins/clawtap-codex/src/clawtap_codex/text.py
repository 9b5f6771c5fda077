"""The CLI's own words: what an option does, and labels that the screen shows damaged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from clawtap_codex.words import WORDS
from clawtap_core import Effect, Option
from clawtap_core.screens import OptionRow, slugs, split_hint

_DENIES = WORDS.pattern("text.denies")
_LEAVES = WORDS.pattern("text.leaves")
_ALWAYS = WORDS.pattern("text.always")
_ALLOWS = WORDS.pattern("text.allows")
_CUT = "…"
# What 0.169 puts after an argument of an MCP tool that it shows in part.
CUT_ARGUMENT = "..."
_LABELS = (
    "Yes, proceed (y)",
    "Yes, and don't ask again for these files (a)",
    "No, and tell Codex what to do differently (esc)",
    "Keep current model (never show again)",
)
_PERMISSIONS = {
    "read-only": ("Read Only",),
    "ask": ("Ask for approval", "Default"),
    "approve-for-me": ("Approve for me",),
    "full-access": ("Full Access",),
}
_OVERPAINTED = WORDS.pattern("text.overpainted")
USAGE_LIMIT_TEXT = WORDS.pattern("text.usage_limit")
_REMEMBERED = re.compile(r"commands that start with `(.+?)`")


def remembered_commands(options: Iterable[Option]) -> list[str]:
    """Return how commands begin that an option offers to allow for good."""
    return _REMEMBERED.findall(" ".join(option.label for option in options))


def effect_of(label: str) -> Effect:
    """Return what choosing an option does, judged by its label."""
    if _DENIES.match(label) or _LEAVES.match(label):
        return Effect.DENY
    if not _ALLOWS.match(label):
        return Effect.OTHER
    return Effect.ALLOW_ALWAYS if _ALWAYS.search(label) else Effect.ALLOW_ONCE


def dialog_effect(label: str) -> Effect:
    """Return what an option of a dialog does; only a refusal is certain."""
    return Effect.DENY if effect_of(label) is Effect.DENY else Effect.OTHER


def to_options(
    rows: Iterable[OptionRow], means: Callable[[str], Effect] = effect_of
) -> tuple[Option, ...]:
    """Turn rows into options; a key named at the end of a label becomes its hint."""
    rows = tuple(rows)
    shown = [restore_cut_label(row.label) for row in rows]
    # A list that scrolls may end within its last row.
    hinted = [*map(split_hint, shown[:-1]), *map(split_hint, map(_restore_end, shown[-1:]))]
    names = slugs(label for label, _ in hinted)
    return tuple(
        Option(name, label, means(label), hint, row.description or None)
        for name, (label, hint), row in zip(names, hinted, rows, strict=True)
    )


def label_rows(rows: Sequence[OptionRow], options: Sequence[Option]) -> tuple[OptionRow, ...]:
    """Give each row the label of its option."""
    pairs = zip(rows, options, strict=True)
    return tuple(replace(row, label=option.label) for row, option in pairs)


def with_effect(options: Iterable[Option], old: Effect, new: Effect) -> tuple[Option, ...]:
    """Give the options of one effect another."""
    return tuple(
        replace(option, effect=new) if option.effect is old else option for option in options
    )


def restore_cut_label(label: str) -> str:
    """Restore a label cut in a narrow column, if it is one of the CLI's own."""
    if not label.endswith(_CUT):
        return label
    labels = [known for known in _LABELS if known.startswith(label[:-1])]
    return labels[0] if len(labels) == 1 else label


def _restore_end(label: str) -> str:
    """Restore a label that ends with the name of its key, if most of its words are shown."""
    for full in _LABELS:
        whole, hint = split_hint(full)
        most = 2 * len(label.split()) > len(whole.split())
        if hint and most and whole.startswith(f"{label} "):
            return full
    return label


def repair_overpainted(rows: Sequence[str]) -> tuple[str, ...]:
    """Repair option rows that 0.116 painted over the text of a diff."""
    return tuple(map(_repair_row, rows))


def _repair_row(row: str) -> str:
    match = _OVERPAINTED.fullmatch(row)
    if not match or match["rest"].startswith("  "):
        return row
    for known in _LABELS:
        label = f" {known}"
        shown = match["rest"].ljust(len(label))
        # The CLI skips blanks, so older text shows through them; every letter must be in place.
        in_place = all(char in (" ", seen) for char, seen in zip(label, shown, strict=False))
        if in_place and not shown[len(label) :].strip():
            return f"{match['lead']}{match['number']}{label}"
    return row


def mode_from_label(name: str) -> str | None:
    """Return the mode id for the CLI's name of some permissions."""
    words = name.split(" (")[0].strip().rstrip(".")
    return next((mode for mode, names in _PERMISSIONS.items() if words in names), None)


def labels_of_mode(mode: str) -> tuple[str, ...]:
    """Return the CLI's names for a mode id."""
    return _PERMISSIONS.get(mode, ())
