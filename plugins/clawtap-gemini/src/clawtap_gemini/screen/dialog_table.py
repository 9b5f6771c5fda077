"""The dialogs that are known by their words, and what their options do."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clawtap_core import Effect, Kind
from clawtap_core.screens import OptionRow
from clawtap_core.screens.purchases import sells
from clawtap_core.words import Matcher
from clawtap_gemini.words import WORDS

_YES, _NO = WORDS.pattern("dialog_table.yes"), WORDS.pattern("dialog_table.no")


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that is known by words in its text or its list.

    `asks_last`: its question is the paragraph above the list, not the first line. `title` is used
    when that has left the screen. `digits`: recordings prove that a digit chooses at once.
    """

    words: Matcher
    kind: Kind
    effects: tuple[Effect, ...] = ()
    dialog: str | None = None
    asks_last: bool = False
    digits: bool = True
    dismissed_by: str | None = None
    title: str = ""


_ONCE, _ALWAYS, _DENY = Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS, Effect.DENY
_DIALOGS = (
    Dialog(
        WORDS.pattern("dialogs.folder_trust"),
        Kind.PERMISSION,
        (_ALWAYS, _ALWAYS, _DENY),
        dialog="folder-trust",
        title="Do you trust the files in this folder?",
    ),
    Dialog(
        WORDS.pattern("dialogs.added_folders"),
        Kind.PERMISSION,
        (_ONCE, _ALWAYS, _DENY),
        title="Do you trust the following folders being added to this workspace?",
    ),
    Dialog(
        WORDS.pattern("dialogs.outside_workspace"), Kind.PERMISSION, (_ONCE, _DENY), asks_last=True
    ),
    Dialog(
        WORDS.pattern("dialogs.loop"),
        Kind.LOOP,
        (_DENY, _ALWAYS),
        title="A potential loop was detected",
    ),
    Dialog(
        WORDS.pattern("dialogs.ide_nudge"),
        Kind.PERMISSION,
        (_ONCE, _DENY, _DENY),
        dialog="ide-nudge",
        dismissed_by="esc",
    ),
    Dialog(
        WORDS.pattern("dialogs.login"),
        Kind.QUESTION,
        dialog="login",
        asks_last=True,
        digits=False,
    ),
    Dialog(WORDS.pattern("dialogs.usage_limit"), Kind.QUESTION),
)
UNKNOWN = Dialog(re.compile(""), Kind.QUESTION, digits=False)


def known_dialog(text: str, rows: tuple[OptionRow, ...]) -> Dialog:
    """Return the table's entry for a dialog with this text and list, or UNKNOWN."""
    joined = " ".join([*text.split(), *(row.label for row in rows)])
    for dialog in _DIALOGS:
        if dialog.words.search(joined):
            return dialog
    if sells(joined):
        return UNKNOWN
    if len(rows) > 1 and _YES.match(rows[0].label) and _NO.match(rows[-1].label):
        return replace(UNKNOWN, kind=Kind.PERMISSION)
    return UNKNOWN


def effect_of(dialog: Dialog, at: int, label: str) -> Effect:
    """Return what choosing this option means."""
    if dialog.kind is Kind.QUESTION:
        return Effect.OTHER
    if dialog.effects:
        return dialog.effects[at] if at < len(dialog.effects) else Effect.OTHER
    if _NO.match(label):
        return Effect.DENY
    return Effect.ALLOW_ONCE if _YES.match(label) and at == 0 else Effect.OTHER
