"""The screens that users saw, to check that they act on what the pane still shows."""

from __future__ import annotations

import re
import threading

from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import Screen

KEPT = 64
# Spinners are braille patterns and stars; the marks of rows and boxes are not among these.
_SPINNER = re.compile(r"(?<!\S)[\u2800-\u28ff\u2722-\u273d·*](?= )")
_CLOCK = re.compile(r"\b(?:\d+h ?)?(?:\d+m ?)?\d+s\b")


class ServedScreens:
    """The latest screens that users got, by revision."""

    def __init__(self) -> None:
        self._screens: LimitedDict[int, Screen] = LimitedDict(KEPT)
        self._lock = threading.Lock()

    def add(self, screen: Screen) -> Screen:
        """Record a screen that a user gets."""
        with self._lock:
            self._screens[screen.revision] = screen
        return screen

    def same(self, revision: int, now: Screen) -> bool:
        """Return True if only spinners and clocks differ from this revision."""
        if revision == now.revision:
            return True
        with self._lock:
            seen = self._screens.get(revision)
        return seen is not None and _standing(seen) == _standing(now)


def _standing(screen: Screen) -> tuple[object, ...]:
    """Return the parts of a screen that do not move by themselves."""
    text = _CLOCK.sub("", _SPINNER.sub("", screen.text))
    return (text, screen.cursor, screen.cols, screen.rows, screen.alternate)
