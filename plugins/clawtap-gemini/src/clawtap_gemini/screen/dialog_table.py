"""The CLI's dialogs that are known by their words, and what their options do."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clawtap_core import Effect, Kind
from clawtap_core.screens import OptionRow

_YES, _NO = re.compile(r"(Yes|Allow|Trust)\b"), re.compile(r"(No|Don't|Deny|Cancel)\b")


@dataclass(frozen=True, slots=True)
class Known:
    """A dialog known by its words, in the text or in the list. `last`: its question is the
    paragraph above the list, not the first line; `title` stands for one that has left the
    screen. `digits`: recordings prove that a digit chooses at once."""

    words: re.Pattern[str]
    kind: Kind
    effects: tuple[Effect, ...] = ()
    dialog: str | None = None
    last: bool = False
    digits: bool = True
    dismissed_by: str | None = None
    title: str = ""


_ONCE, _ALWAYS, _DENY = Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS, Effect.DENY
_KNOWN = (
    Known(
        re.compile(r"Do you trust the files in this folder|Trust folder \("),
        Kind.PERMISSION,
        (_ALWAYS, _ALWAYS, _DENY),
        dialog="folder-trust",
        title="Do you trust the files in this folder?",
    ),
    Known(re.compile(r"outside your workspace"), Kind.PERMISSION, (_ONCE, _DENY), last=True),
    Known(
        re.compile(r"potential loop was detected|Keep loop detection enabled"),
        Kind.LOOP,
        (_DENY, _ALWAYS),
        title="A potential loop was detected",
    ),
    Known(
        re.compile(r"Do you want to connect .* to Gemini CLI\?"),
        Kind.PERMISSION,
        (_ONCE, _DENY, _DENY),
        dialog="ide-nudge",
        dismissed_by="esc",
    ),
    Known(
        re.compile(r"like to authenticate"), Kind.QUESTION, dialog="login", last=True, digits=False
    ),
    Known(re.compile(r"have access to |Usage limit reached"), Kind.QUESTION),
)
NEW = Known(re.compile(""), Kind.QUESTION, digits=False)


def known_dialog(text: str, rows: tuple[OptionRow, ...]) -> Known:
    """What is known of the dialog with this text above this list."""
    joined = " ".join([*text.split(), *(row.label for row in rows)])
    for known in _KNOWN:
        if known.words.search(joined):
            return known
    if len(rows) > 1 and _YES.match(rows[0].label) and _NO.match(rows[-1].label):
        return replace(NEW, kind=Kind.PERMISSION)
    return NEW


def effect_of(known: Known, at: int, label: str) -> Effect:
    """What choosing this option means."""
    if known.kind is Kind.QUESTION:
        return Effect.OTHER
    if known.effects:
        return known.effects[at] if at < len(known.effects) else Effect.OTHER
    if _NO.match(label):
        return Effect.DENY
    return Effect.ALLOW_ONCE if _YES.match(label) and at == 0 else Effect.OTHER
