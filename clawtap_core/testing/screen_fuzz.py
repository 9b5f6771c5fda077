"""Try an adapter on its recordings, altered at random, for as long as one likes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from clawtap_core.model import Press, PromptForm, Response, Screen, Steps
from clawtap_core.screens import drawn
from clawtap_core.testing.alterations import CELLS, KINDS, Alteration, altered
from clawtap_core.testing.recordings import Recording
from clawtap_core.testing.truth import labels
from clawtap_core.testing.use import asks, look, use

_SIDES = re.compile("[│┃]")
_QUOTES = ("> ", "    ", "│ ", "+ ", "# ", "  1. ")


Check = Callable[[Screen, PromptForm | None], str]


@dataclass(frozen=True)
class Tried:
    """A screen that was tried: how it was made, what is wrong, and the CPU seconds to read it."""

    how: str
    screen: Screen
    fault: str
    seconds: float


class ScreenFuzzer:
    """Makes screens of one adapter's recordings, and checks what its hooks say of them."""

    def __init__(self, hooks: Any, recordings: Sequence[Recording], dice: Random) -> None:
        self._hooks = hooks
        self._dice = dice
        self._recordings = recordings
        self._quiet = [each for each in recordings if each.truth.is_prompt is False]
        self._asking = [each for each in recordings if each.truth.is_prompt]

    def try_one(self) -> Tried:
        """Try one screen."""
        ways = [self._altered, self._altered, self._altered]
        if self._asking:
            ways.append(self._half_painted)
        if self._asking and self._quiet:
            ways.append(self._quoted)
        return self._dice.choice(ways)()

    def _altered(self) -> Tried:
        """However a screen is altered, no hook raises, and keys are those that it shows."""
        recording = self._dice.choice(self._recordings)
        changes = [self._change() for _ in range(self._dice.randint(1, 4))]
        screen = altered(recording.screen, changes)
        own = self._own_words(recording)

        def fault(screen: Screen, form: PromptForm | None) -> str:
            used = use(self._hooks, screen, form)
            faults = (keys_fault(form, *each, screen, own) for each in used if form)
            return next(filter(None, faults), "")

        return self._read(f"{recording.name} altered", screen, fault)

    def _half_painted(self) -> Tried:
        """A screen that is painted down to some cell asks what the whole one asks, or nothing."""
        recording = self._dice.choice(self._asking)
        rows = list(recording.screen.captured)
        at = self._dice.randrange(len(rows))
        cut = recording.screen.lines[at]
        rows[at:] = [cut[: self._dice.randint(0, len(cut))], *[""] * (len(rows) - at - 1)]
        whole = self._hooks.detect_prompt(screen=recording.screen)

        def fault(screen: Screen, form: PromptForm | None) -> str:
            if form is None or asks(form) == asks(whole) or _may_go_on(form, whole):
                return ""
            return f"a part was read as the whole of {form.title!r}"

        screen = replace(recording.screen, captured=tuple(rows))
        return self._read(f"{recording.name} painted to row {at}", screen, fault)

    def _quoted(self) -> Tried:
        """A prompt that is quoted above a screen without a prompt must not be read as one."""
        asking, quiet = self._dice.choice(self._asking), self._dice.choice(self._quiet)
        mark = self._dice.choice(_QUOTES)
        quoted = [mark + row for row in asking.screen.lines if row]
        painted = [at for at, row in enumerate(quiet.screen.lines) if row] or [0]
        below = quiet.screen.captured[painted[0] : painted[-1] + 1]
        rows = (*quoted, *below)[-quiet.screen.rows :]
        screen = replace(quiet.screen, captured=rows, cursor=None)

        def fault(screen: Screen, form: PromptForm | None) -> str:
            return f"a quoted prompt was read: {form.title!r}" if form else ""

        return self._read(f"{asking.name} quoted by {mark!r} above {quiet.name}", screen, fault)

    def _change(self) -> Alteration:
        dice = self._dice
        cells = "".join(dice.choices(CELLS, k=dice.randint(1, 6)))
        return Alteration(dice.choice(KINDS), dice.randrange(200), dice.randrange(200), cells)

    def _read(self, how: str, screen: Screen, check: Check) -> Tried:
        began = time.thread_time()
        seconds = 0.0
        try:
            form = look(self._hooks, screen)
            seconds = time.thread_time() - began
            fault = check(screen, form)
        except Exception as error:
            fault = f"a hook raised {error!r}"
        return Tried(how, screen, fault, seconds)

    def _own_words(self, recording: Recording) -> frozenset[str]:
        """Return the labels that the adapter has of its own, not of the screen."""
        form = self._hooks.detect_prompt(screen=recording.screen)
        options = form.options if form else ()
        return frozenset(each.label for each in options if not _shows(recording.screen, each.label))


def _may_go_on(part: PromptForm, whole: PromptForm) -> bool:
    """Return True if the core waits for the rest, or its last label is all that is painted in part.

    The end of a list with nothing below cannot be seen; the core reads whole frames.
    """
    shown, real = labels(part), labels(whole)
    at = len(shown) - 1
    return part.provisional or bool(shown and real[at:] and real[at].startswith(shown[at]))


def keys_fault(
    form: PromptForm,
    response: Response,
    steps: Steps,
    screen: Screen,
    own_words: Collection[str] = (),
) -> str:
    """Return what is wrong with the keys that decide, as this screen shows it.

    `own_words`: labels that the adapter need not find on the screen.
    """
    option = form.option(response.selected_option) if response.selected_option else None
    label = option.label if option else ""
    if label and label not in own_words and not _shows(screen, label):
        return f"the option {label!r} is not on the screen"
    for step in steps.steps:
        if not (isinstance(step, Press) and step.deciding):
            continue
        if len(step.key) == 1 and step.key.lower() not in screen.text.lower():
            return f"the key {step.key!r} is not on the screen"
        selected = form.option(form.selected) if form.selected else None
        if step.key == "Enter" and option and selected and selected.label != option.label:
            return f"Enter for {option.label!r}, while {selected.label!r} is selected"
    return ""


def _shows(screen: Screen, words: str) -> bool:
    """Return True if most words are there: an adapter may know a label of which a part is lost."""
    there = drawn(_SIDES.sub("", screen.text))
    each = _SIDES.sub("", words).split()
    return sum(drawn(word) in there for word in each) * 2 > len(each)
