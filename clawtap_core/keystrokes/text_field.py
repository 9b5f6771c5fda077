"""Writing free text: the field is reached, filled, read back, and only then is Enter pressed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_core.keystrokes.key_profile import KeyProfile, pause
from clawtap_core.keystrokes.selection import look_for, move_to, press
from clawtap_core.model import Paste, Pause, Press, Step, Steps, Type
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import Field, ParsedPrompt

_PATIENCE, _MOMENT = 5, 0.1
_TRIES = 3
_TAIL = 20
_AT_ONCE = 60


@dataclass(frozen=True)
class Writing:
    """How often the text was typed, whether it should be there, and how long it is waited for.

    `seen` is what the field held last: while it grows, the text is still on its way.
    """

    tries: int = 0
    typed: bool = False
    seen: str | None = None
    waited: int = 0


def write(now: ParsedPrompt, text: str, done: Writing | None, hands: KeyProfile) -> Steps | None:
    """The next steps of an answer in free text. None: there is no field for it, or it fails."""
    return _sent(fill(now, text, done or Writing(), hands), hands)


def write_beside(
    now: ParsedPrompt, label: str, text: str, done: Writing | None, hands: KeyProfile
) -> Steps | None:
    """The next steps of a text that goes along with an option: the cursor to its row first.

    None: the row or its field cannot be found.
    """
    row = now.row(label)
    if row is None:
        return look_for(now, hands, done)
    if not row.selected:
        return move_to(now, row, done)
    return _sent(fill(now, text, done or Writing(), hands), hands)


def fill(now: ParsedPrompt, text: str, done: Writing, hands: KeyProfile) -> Steps | None:
    """The next steps until the field holds the text; `done` when it does."""
    field, text = now.field, text if hands.lines else line(text)
    if field is None or not field.focused:
        return _reach(now, done, hands)
    if _filled(now, field, text, done):
        return Steps(progress=done, done=True)
    return put(field.text, text, done, hands)


def put(held: str | None, text: str, done: Writing, hands: KeyProfile) -> Steps | None:
    """The next steps until what holds something else, or nothing yet, holds the text.

    What is on its way is waited for. None: it does not arrive; nothing of it is left then.
    """
    if done.typed and (done.waited < _PATIENCE or held != done.seen):
        waited = done.waited + 1 if held == done.seen else 0
        return Steps((Pause(_MOMENT),), progress=replace(done, seen=held, waited=waited))
    if held:
        return empty(held, replace(done, typed=False), hands)
    if done.tries >= _TRIES:
        return None
    # A field that has just opened may not take keys yet; an empty one got none of them.
    typed = Writing(done.tries + 1, typed=True, seen=held)
    return Steps((typing(text), *pause(hands.after_text)), progress=typed)


def empty(held: str, done: object, hands: KeyProfile) -> Steps:
    """Keys that empty a field; a key that cancels might meet one that is empty already."""
    erase: tuple[Step, ...] = (Press("BSpace"),) * min(len(held) + 1, _AT_ONCE)
    return Steps((Press("End"), *erase, *pause(hands.after_text)), progress=done)


def typing(text: str) -> Step:
    """Text of one line as key presses, other text as a paste."""
    return Type(text) if text.isprintable() else Paste(text)


def line(text: str) -> str:
    """The text in one line: in most fields a newline would be Enter."""
    return " ".join(text.split())


def holds(shown: str, text: str) -> bool:
    """Whether what is shown is the text; of a long one, its end is shown."""
    held, wanted = squeeze(shown), squeeze(text)
    return held == wanted or (len(held) >= _TAIL and wanted.endswith(held))


def _sent(steps: Steps | None, hands: KeyProfile) -> Steps | None:
    return hands.decide() if steps and steps.done else steps


def _reach(now: ParsedPrompt, done: Writing, hands: KeyProfile) -> Steps | None:
    """The next key towards the field."""
    field = now.field
    if field is None:
        return look_for(now, hands, done)
    if field.key:
        return press(field.key, done)
    return move_to(now, field.row, done) if field.row else None


def _filled(now: ParsedPrompt, field: Field, text: str, done: Writing) -> bool:
    """Whether the field holds the text, as far as that is shown."""
    if field.text is None:
        return done.typed
    if now.secret and text:
        return done.typed and bool(field.text)
    if squeeze(field.text) == squeeze(text):
        return True
    return done.typed and holds(field.text, text)
