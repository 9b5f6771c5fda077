"""A pane on a clock that a test moves by hand: whoever waits moves it, and nothing takes time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clawtap_core import Screen
from clawtap_core.terminal.api import DeskKeys

PATIENCE = 2000


class TimedPane:
    """Keys go to the program, its text comes as screens; `time.call_later` changes it meanwhile."""

    def __init__(self, program, time):
        self.program, self.time = program, time
        self.there = True
        self.sent = []
        self.sent_at = 0.0
        self.opened = 0
        self.settles: Callable[[], float] = lambda: 0.0
        self.unread = False
        self.before_look: Callable[[], None] = lambda: None
        self.before_key: Callable[[str], None] = lambda key: None
        self._screen = Screen.from_text(program.text(), cols=80, rows=24)
        self._looks = 0

    def look(self):
        self._looks += 1
        assert self._looks < PATIENCE, "it looks for ever"
        self.before_look()
        if (text := self.program.text().rstrip()) != self._screen.text:
            screen = Screen.from_text(text, cols=80, rows=24)
            self._screen = replace(screen, revision=self._screen.revision + 1)
        return self._screen

    def wait(self, revision, seconds):
        end = self.time.seconds + seconds
        while self.look().revision <= revision and self.time.seconds < end:
            calls = [call.at for call in self.time.calls if call.at > self.time.seconds]
            self.time.advance(min([end, *calls]) - self.time.seconds)
        return self._screen

    def runs_cli(self):
        return self.there

    @property
    def desk_keys(self):
        return DeskKeys(self.program.keys_of_others)

    def desk_settles_in(self):
        return self.settles()

    def desk_unread(self):
        return self.unread

    def press_alone(self, key, since, shows):
        self.before_key(key)
        if since != self.desk_keys or shows not in self.program.text():
            return False
        self._send("alone", key)
        return True

    def press(self, key):
        self.before_key(key)
        self._send("press", key)

    def type(self, text):
        self._send("type", text)

    def paste(self, text):
        self._send("paste", text)

    def open_again(self):
        self.opened += 1

    def _send(self, way, keys):
        self.sent.append((way, keys))
        self.sent_at = self.time.seconds
        self.program.key(keys)
