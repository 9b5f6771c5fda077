"""Answer on the last line: type it, see it there, then Enter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import (
    Action,
    Interrupt,
    Press,
    PromptForm,
    Response,
    Screen,
    SessionState,
    Steps,
    Type,
    hookimpl,
)
from clawtap_core.keystrokes import ComposerProfile, KeyProfile, draft_of
from clawtap_core.keystrokes import compose as compose_message
from clawtap_core.prompts.identity import squeeze
from clawtap_generic.last_line import LastLine, cursor_line, nothing_below, text_above
from clawtap_generic.screen import Asked, detect_state, read_prompt
from clawtap_generic.words import WORDS

KEYS = KeyProfile(WORDS.seconds("keys.settled"), WORDS.seconds("keys.after_text"))
_PATIENCE = 10
# What never shows, and a list that appears below, are waited for less.
_LESS_PATIENCE = 3
_HIDDEN, _TAKEN_OUT = "hidden", "taken out"


@dataclass(frozen=True)
class _Typing:
    """What was typed after which line, whether Enter followed, and the looks since."""

    before: str
    text: str
    secret: bool = False
    looks: int = 0
    entered: bool = False


@dataclass(frozen=True)
class _FirstKey:
    """The first key of an answer, for a program that gets each key and may want no other.

    Such a program may show the key and work on: Enter would reach what it asks next. One that
    edits a line lets the key be taken `back`, and gets the whole answer then. The key `says_all`
    if no other option begins with it. `above`: what is above the line.
    """

    typing: _Typing
    above: str
    key: str
    says_all: bool
    back: bool = False
    looks: int = 0


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Type the answer, then Enter; a program that takes a single key at once gets no Enter."""
    if progress is None:
        asked = read_prompt(screen)
        if asked is None:
            return Steps()
        return _typed(asked, _answer(asked, response), screen)
    if isinstance(progress, _FirstKey):
        return _edited(progress, screen)
    if not isinstance(progress, _Typing):
        # Enter was withheld from what does not show, or an answer was taken out: it ends here.
        return _cleared() if progress == _HIDDEN else None
    return _continued(progress, cursor_line(screen), alone=nothing_below(screen))


def _edited(first: _FirstKey, screen: Screen) -> Steps | None:
    """Return the whole answer once the program lets its first key be taken back."""
    line = cursor_line(screen)
    before = squeeze(first.typing.before)
    shown = squeeze(line.text) if line else ""
    stands, gone = shown == before + squeeze(first.key), shown == before
    in_place = line is not None and text_above(screen, line) == first.above
    if screen.takes_keys and in_place and gone and first.back:
        return Steps((Type(first.typing.text),), progress=first.typing, spans=True)
    if screen.takes_keys and in_place and stands and first.looks and not first.back:
        back = replace(first, back=True, looks=0)
        return Steps((Press("BSpace"),), progress=back, spans=True)
    # Where the program asks again, further down, it has taken the key.
    asks_again = line is not None and not in_place and read_prompt(screen) is not None
    patience = _PATIENCE if gone or stands else _LESS_PATIENCE
    if screen.takes_keys and not asks_again and first.looks < patience:
        return Steps(progress=replace(first, looks=first.looks + 1), spans=True)
    if screen.takes_keys and in_place and not (stands or gone) and shown.startswith(before):
        # Somebody else typed into the same line.
        return _taken_out(first.key) if shown.endswith(squeeze(first.key)) else None
    # The program took the key. What it makes of the first of several is not known.
    return Steps(done=True) if first.says_all else None


def _continued(typing: _Typing, line: LastLine | None, *, alone: bool) -> Steps | None:
    """Press Enter where the answer stands alone, and see it leave; None in doubt."""
    shown, before = squeeze(line.text) if line else "", squeeze(typing.before)
    later = replace(typing, looks=typing.looks + 1)
    if shown == before + squeeze(typing.text) or (typing.secret and _masks(shown, before, typing)):
        # What was typed made the prompt unreadable for the core: this continues it.
        if not typing.entered and alone:
            pressed = replace(typing, looks=0, entered=True)
            return replace(KEYS.decide(), progress=pressed, done=False, spans=True)
        if typing.looks < (_PATIENCE if typing.entered else _LESS_PATIENCE):
            return Steps(progress=later, spans=True)
        # Enter could pick a row of the list below.
        return None if typing.entered else _taken_out(typing.text)
    if typing.entered and (shown == before or not shown.startswith(before)):
        return Steps(done=True)
    if shown == before:
        if typing.looks < (_LESS_PATIENCE if typing.secret else _PATIENCE):
            return Steps(progress=later, spans=True)
        if typing.secret:
            # Nothing of it shows.
            return replace(KEYS.decide(), progress=_HIDDEN)
        return _taken_out(typing.text)
    if not shown.startswith(before):
        # It was painted over, as by what else prints there: Enter could meet something else.
        if typing.looks < _LESS_PATIENCE:
            return Steps(progress=later, spans=True)
        return _cleared() if typing.secret else _taken_out(typing.text)
    if typing.entered:
        return None
    rest_may_come = typing.secret or squeeze(typing.text).startswith(shown.removeprefix(before))
    if rest_may_come and len(shown) < len(before + typing.text) and typing.looks < _PATIENCE:
        return Steps(progress=later, spans=True)
    # Somebody else typed into the same line; after Enter another key would be in doubt.
    if typing.secret:
        return _cleared()
    return _taken_out(typing.text) if shown.endswith(squeeze(typing.text)) else None


def _masks(shown: str, before: str, typing: _Typing) -> bool:
    """Return whether the line shows one sign such as an asterisk for each letter of a secret."""
    signs = shown.removeprefix(before)
    same = len({*signs}) == 1 and not signs[0].isalnum()
    return shown.startswith(before) and same and len(signs) == len(typing.text)


def _taken_out(text: str) -> Steps:
    return Steps((Press("BSpace"),) * len(text), progress=_TAKEN_OUT, spans=True)


def _cleared() -> Steps:
    return Steps((Press("C-u"),), progress=_TAKEN_OUT)


def _answer(asked: Asked, response: Response) -> str | None:
    """Return what is typed for this answer."""
    if option := asked.form.option(response.selected_option or ""):
        return asked.word(option.label)
    labels = response.labels()
    if not labels and not any(question.required for question in asked.form.questions):
        return ""
    if len(labels) != 1 or not asked.form.questions:
        return None
    return asked.word(labels[0]) if asked.words else labels[0]


def _typed(asked: Asked, text: str | None, screen: Screen) -> Steps | None:
    line = cursor_line(screen)
    if text is None or not text.isprintable() or line is None:
        return None
    if not text:
        # Enter takes the default.
        return KEYS.decide()
    if screen.hides_input:
        # It is not shown, so it cannot be read back.
        return Steps((Type(text), *KEYS.decide().steps), progress=_HIDDEN, done=True)
    secret = any(question.secret for question in asked.form.questions)
    typing = _Typing(line.text, text, secret)
    words = [word for _, word in asked.words]
    key = text[0]
    if screen.takes_keys and not secret and not key.isspace():
        if text != key and key.isalpha() and key in words:
            # A program that takes one key would take it for another option.
            return None
        says_all = text == key or sum(word.startswith(key) for word in words) == 1
        # Of a text nobody knows whether one key is an answer.
        step = Press(key, deciding=True) if words or text == key else Type(key)
        return Steps(
            (step,), progress=_FirstKey(typing, text_above(screen, line), key, says_all), spans=True
        )
    return Steps((Type(text),), progress=typing, spans=True)


_COMPOSER_PROFILE = ComposerProfile(
    lambda screen: draft_of(detect_state(screen)), after_text=KEYS.after_text
)


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Type a message of one line: a line break may be an Enter to this program."""
    if "\n" in text.strip():
        return None
    return compose_message(text, screen, progress, _COMPOSER_PROFILE)


@hookimpl
def control(action: Action, screen: Screen) -> Steps | None:
    """Press Ctrl+C for an interrupt; nothing else is known of the program."""
    seen = detect_state(screen)
    if not isinstance(action, Interrupt) or seen is None or seen.state is not SessionState.BUSY:
        return None
    return Steps((Press("C-c", deciding=True),), done=True)
