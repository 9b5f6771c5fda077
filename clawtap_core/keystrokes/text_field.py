"""Write free text: reach the field, fill it, read it back, then press Enter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_core.keystrokes.key_profile import KeyProfile, pause
from clawtap_core.keystrokes.selection import look_for, move_to, press
from clawtap_core.model import Paste, Pause, Press, Step, Steps, Type
from clawtap_core.screens import Field, ParsedPrompt, drawn

# How many looks, a moment apart, a field that does not change is waited for.
_PATIENCE, _MOMENT = 5, 0.1
# After so many it is at rest, and what it shows of a long text is all that it shows.
_STILL = 2
# How often the text is typed before the field counts as misbehaving.
_TRIES = 3
# So many characters in a field are enough to tell a text by.
_TAIL = 20
# The narrowest row holds so many without blanks: a field that hides less of a text has lost it.
_ROW = 25
# Characters that are erased before the field is read again.
_AT_ONCE = 60


@dataclass(frozen=True)
class TextProgress:
    """How often the text was typed, whether it should be there, and the looks since.

    `seen` is what the field held last: while it grows, the text is on its way.
    """

    tries: int = 0
    typed: bool = False
    seen: str | None = None
    waited: int = 0

    def has_seen_still(self, shown: str) -> bool:
        """Return True if the field has shown this for several looks since the text was typed."""
        return self.typed and self.waited >= _STILL and shown == self.seen


def write(
    parsed: ParsedPrompt, text: str, progress: TextProgress | None, profile: KeyProfile
) -> Steps | None:
    """Return the next steps of an answer in free text, or None without a field or on failure."""
    return _sent(fill(parsed, text, progress or TextProgress(), profile), profile)


def write_with_option(
    parsed: ParsedPrompt, label: str, text: str, progress: TextProgress | None, profile: KeyProfile
) -> Steps | None:
    """Return the next steps of a text that is sent with an option, or None if that is missing."""
    row = parsed.row(label)
    if row is None:
        return look_for(parsed, profile, progress)
    if not row.selected:
        return move_to(parsed, row, progress)
    return _sent(fill(parsed, text, progress or TextProgress(), profile), profile)


def fill(
    parsed: ParsedPrompt, text: str, progress: TextProgress, profile: KeyProfile
) -> Steps | None:
    """Return the next steps until the field holds the text; `done` when it does."""
    field = parsed.field
    if field is None:
        return look_for(parsed, profile, progress)
    if not field.focused:
        if field.key:
            return press(field.key, progress)
        return move_to(parsed, field.row, progress) if field.row else None
    text = text if profile.lines else line(text)
    text = f"{text} " if text.endswith(profile.continued) else text
    if _filled(parsed, field, text, progress):
        return Steps(progress=progress, done=True)
    return put(field.text, text, progress, profile)


def put(held: str | None, text: str, progress: TextProgress, profile: KeyProfile) -> Steps | None:
    """Return the next steps until the field holds the text, or None if it does not arrive."""
    # The text may still be on its way: nothing is erased while the field changes.
    if progress.typed and (progress.waited < _PATIENCE or held != progress.seen):
        waited = progress.waited + 1 if held == progress.seen else 0
        return Steps((Pause(_MOMENT),), progress=replace(progress, seen=held, waited=waited))
    if held:
        return empty(held, replace(progress, typed=False), profile)
    if progress.tries >= _TRIES:
        return None
    # A field that has just opened may take no keys yet: an empty one received none.
    typed = TextProgress(progress.tries + 1, typed=True, seen=held)
    return Steps(_placing(text, profile), progress=typed)


def _placing(text: str, profile: KeyProfile) -> tuple[Step, ...]:
    size = profile.piece or len(text)
    if len(text) > size:
        pieces = (text[at : at + size] for at in range(0, len(text), size))
        return tuple(step for each in pieces for step in (Paste(each), *pause(profile.after_text)))
    pasted = bool(profile.pasted) and text.startswith(profile.pasted)
    return (Paste(text) if pasted else typing(text), *pause(profile.after_text))


def empty(held: str, progress: object, profile: KeyProfile) -> Steps:
    """Empty a field with Backspace; a key that cancels might meet an empty one."""
    # Not all of a long text at once: the field is read again in between.
    erase: tuple[Step, ...] = (Press("BSpace"),) * min(len(held) + 1, _AT_ONCE)
    return Steps((Press("End"), *erase, *pause(profile.after_text)), progress=progress)


def typing(text: str) -> Step:
    """Type one line as keys, other text as a paste."""
    return Type(text) if text.isprintable() else Paste(text)


def line(text: str) -> str:
    """Return the text in one line: in most fields a newline is Enter."""
    return " ".join(text.split())


def holds(shown: str, text: str, writing: TextProgress | None = None) -> bool:
    """Return True if the shown text is the text, or the visible end of a long one.

    A field of one row shows the last row, which may be a word: it counts once it stands still.
    """
    held, expected = drawn(shown), drawn(text)
    if held == expected:
        return True
    still = bool(shown) and writing is not None and writing.has_seen_still(shown)
    hides_row = still and len(expected) - len(held) >= _ROW
    return (hides_row or len(held) >= _TAIL) and expected.endswith(held)


def begins(shown: str, text: str) -> bool:
    """Return True if the shown text is the first row of a long one: a field without the cursor."""
    held = drawn(shown)
    return len(held) >= _TAIL and drawn(text).startswith(held)


def _sent(steps: Steps | None, profile: KeyProfile) -> Steps | None:
    return profile.decide() if steps and steps.done else steps


def _filled(parsed: ParsedPrompt, field: Field, text: str, progress: TextProgress) -> bool:
    """Return True if the field holds the text, as far as it is shown."""
    if field.text is None:
        return progress.typed
    if parsed.secret and text:
        return progress.typed and bool(field.text)
    if drawn(field.text) == drawn(text):
        return True
    return progress.typed and holds(field.text, text, progress)
