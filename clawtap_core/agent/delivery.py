"""Carrying out steps on a pane: the screen is read before every key and after it.

An adapter says the next steps for each fresh screen; the guard says whether this screen may be
typed into, and whether what was to be decided has been decided. Nothing is typed in doubt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, Protocol

from clawtap_core.fingerprint import squeeze
from clawtap_core.model import Expect, Paste, Pause, Press, PromptForm, Screen, Step, Steps, Type
from clawtap_core.terminal.api import Pane

ROUNDS = 40
SETTLE = 1.0
REPAINT = 0.3
LONGEST_PAUSE = 2.0


class Delivered(Enum):
    """How a delivery ended."""

    DONE = "done"
    CHANGED = "changed"
    IMPOSSIBLE = "impossible"
    STUCK = "stuck"
    NOT_CONFIRMED = "not_confirmed"


class Guard(Protocol):
    """What a delivery may type into, and when it is over."""

    def allows(self, screen: Screen) -> bool:
        """Whether keys may be sent while this screen stands."""

    def over(self, screen: Screen) -> bool:
        """After a deciding key: whether the screen shows that it was taken."""


Next = Callable[[Screen, Any], Steps | None]


class Delivery:
    """One answer, message or action on its way to a pane.

    `before` is called with the steps of each round, before the first of its keys: what it
    writes is on disk by then. `confirm` is how long an outcome is waited for, in seconds.
    """

    def __init__(
        self,
        pane: Pane,
        guard: Guard,
        next_steps: Next,
        before: Callable[[Sequence[Step]], None],
        *,
        confirm: float = 10.0,
    ) -> None:
        self._pane = pane
        self._guard = guard
        self._next = next_steps
        self._before = before
        self._confirm = confirm
        self.typed = False
        self.decided = False
        self.form: PromptForm | None = None

    def run(self) -> Delivered:
        """Type until done; what came of it."""
        progress: Any = None
        spans = False
        for turn in range(ROUNDS):
            screen = self._readable(spans)
            if screen is None:
                return Delivered.CHANGED
            steps = self._next(screen, progress)
            if steps is None:
                return Delivered.STUCK if turn else Delivered.IMPOSSIBLE
            progress, spans = steps.progress, steps.spans
            if ended := self._take(steps, screen):
                return ended
        return Delivered.NOT_CONFIRMED if self.decided else Delivered.STUCK

    def _take(self, steps: Steps, screen: Screen) -> Delivered | None:
        """Carry out one round; None when another is needed."""
        if steps.steps:
            self._before(steps.steps)
            if not self._carry_out(steps):
                return self._stopped(steps.spans)
        if self.decided and not steps.spans:
            return self._confirmed(screen)
        if steps.done:
            self.form = steps.form
            return self._confirmed(screen) if self.decided else Delivered.DONE
        self._pane.wait(screen.revision, SETTLE)
        return None

    def _carry_out(self, steps: Steps) -> bool:
        for index, step in enumerate(steps.steps):
            if isinstance(step, Pause):
                time.sleep(min(step.seconds, LONGEST_PAUSE))
            elif isinstance(step, Expect):
                if not self._seen(step):
                    return False
            else:
                if index and not self._may_type(self._pane.look(), steps.spans):
                    return False
                self._send(step)
        return True

    def _send(self, step: Press | Type | Paste) -> None:
        self.typed = True
        if isinstance(step, Press):
            self.decided |= step.deciding
            self._pane.press(step.key)
        elif isinstance(step, Type):
            self._pane.type(step.text)
        else:
            self._pane.paste(step.text)

    def _readable(self, spans: bool) -> Screen | None:
        """A screen that may be typed into; one caught half painted gets a moment."""
        until = time.monotonic() + REPAINT
        screen = self._pane.look()
        while not self._may_type(screen, spans):
            if (left := until - time.monotonic()) <= 0:
                return None
            screen = self._pane.wait(screen.revision, left)
        return screen

    def _may_type(self, screen: Screen, spans: bool) -> bool:
        return (spans or self._guard.allows(screen)) and self._pane.runs_cli()

    def _seen(self, step: Expect) -> bool:
        until = time.monotonic() + step.within
        screen = self._pane.look()
        while (squeeze(step.text) in squeeze(screen.text)) is step.gone:
            if (left := until - time.monotonic()) <= 0:
                return False
            screen = self._pane.wait(screen.revision, left)
        return True

    def _stopped(self, spans: bool) -> Delivered | None:
        """A round was broken off: by a changed screen, or by something that did not appear."""
        if self.decided and not spans:
            return self._confirmed(self._pane.look())
        return None

    def _confirmed(self, screen: Screen) -> Delivered:
        until = time.monotonic() + self._confirm
        screen = self._pane.look()
        while not self._guard.over(screen):
            if (left := until - time.monotonic()) <= 0:
                return Delivered.NOT_CONFIRMED
            screen = self._pane.wait(screen.revision, min(left, SETTLE / 4))
        return Delivered.DONE
