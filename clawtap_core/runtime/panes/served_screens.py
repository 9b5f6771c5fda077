"""The screens that users saw: whether what a pane shows now is still what they act on."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict

from clawtap_core.model import Screen

KEPT = 64
# Braille and the stars that terminals spin; marks of rows and boxes are not among them.
_SPINNER = re.compile(r"(?<!\S)[\u2800-\u28ff\u2722-\u273d·*](?= )")
_CLOCK = re.compile(r"\b(?:\d+h ?)?(?:\d+m ?)?\d+s\b")


class ServedScreens:
    """The last screens that were given out, by revision."""

    def __init__(self) -> None:
        self._screens: OrderedDict[int, Screen] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, screen: Screen) -> Screen:
        """Note a screen that a user gets."""
        with self._lock:
            self._screens[screen.revision] = screen
            while len(self._screens) > KEPT:
                self._screens.popitem(last=False)
        return screen

    def same(self, revision: int, now: Screen) -> bool:
        """Whether a user who saw this revision sees the same now, but for spinners and clocks."""
        if revision == now.revision:
            return True
        with self._lock:
            seen = self._screens.get(revision)
        return seen is not None and _standing(seen) == _standing(now)


def _standing(screen: Screen) -> tuple[object, ...]:
    """What of a screen does not move by itself."""
    text = _CLOCK.sub("", _SPINNER.sub("", screen.text))
    return (text, screen.cursor, screen.cols, screen.rows, screen.alternate)
