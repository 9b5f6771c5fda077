"""A pane, and deliveries into it, on a clock by hand: waiting moves it, and takes no time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

from fake_terminal import Toy
from manual_time import ManualTime

from clawtap_core import Press, Response, Screen, Steps
from clawtap_core.runtime.delivery.executor import Delivery
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.terminal.api import DeskKeys

PATIENCE = 2000
ENTER = Press("Enter", deciding=True)


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
        self.at_work = False
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

    ended_clis = 0
    shows_terminal = False

    def runs_cli(self):
        return self.there

    @property
    def desk_keys(self):
        return DeskKeys(self.program.keys_of_others)

    def desk_settles_in(self):
        return self.settles()

    def desk_unread(self):
        return self.unread

    def cli_at_work(self):
        return self.at_work

    def press_alone(self, key, since, shows, *, shut=True):
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


class Room:
    """A program that asks, its pane, and one delivery into it, on a clock that nobody waits for."""

    def __init__(self, adapter, toy=None):
        self.adapter, self.toy = adapter, toy or Toy("touch a")
        self.time = ManualTime()
        self.pane = TimedPane(self.toy, self.time)
        self.written = []
        self.form = adapter.detect_prompt(self.pane.look())

    def journal(self, steps, *, withheld=""):
        self.written.append((tuple(steps), withheld, len(self.pane.sent)))

    def withheld(self):
        """What was written to be withheld, with its reason."""
        return [(steps, reason) for steps, reason, _ in self.written if reason]

    def answer(self, option="yes", **more):
        """Deliver an answer as the adapter says it."""
        response = Response("p", selected_option=option)
        return self.run(
            lambda screen, progress: self.adapter.respond(self.form, response, screen, progress),
            **more,
        )

    def give(self, *rounds, **more):
        """Deliver these rounds; the last one is given again whenever one more is asked for."""
        left = [each if isinstance(each, Steps) else Steps(each) for each in rounds]
        return self.run(lambda *_: left.pop(0) if len(left) > 1 else left[0], **more)

    def run(self, next_steps, *, guard=None, **more):
        guard = guard or PromptGuard(self.adapter, self.form, clock=lambda: self.time.seconds)
        self.delivery = Delivery(
            self.pane, guard, next_steps, self.journal, scheduler=self.time.scheduler, **more
        )
        self.began = self.time.seconds
        return self.delivery.run()

    @property
    def took(self):
        return self.time.seconds - self.began

    def meanwhile(self, seconds, change):
        """Change something after so many seconds."""
        self.time.call_later(seconds, change)


def a_guard(**more):
    """A guard that allows everything, and sees the end once something was decided."""
    return SimpleNamespace(
        **{
            "allows": lambda screen: True,
            "unmoved": lambda asked, now, cursor: False,
            "over": lambda screen: True,
            "another": lambda screen: False,
            "held_back": lambda screen: False,
            "landmark": lambda screen: None,
            "lost_sight": lambda: False,
            "may_ask": lambda screen: False,
            "needs_quiet": lambda: False,
            **more,
        }
    )
