"""Carrying out steps on a pane: the screen is read before every key and after it.

An adapter says the next steps for each fresh screen; the guard says whether this screen may be
typed into, and whether what was to be decided has been decided. Nothing is typed in doubt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, Protocol

from clawtap_core.errors import Conflict, NotFound
from clawtap_core.model import Expect, Paste, Pause, Press, PromptForm, Screen, Step, Steps, Type
from clawtap_core.prompts.identity import squeeze
from clawtap_core.terminal.api import Pane

ROUNDS = 40
LOOKS = 3 * ROUNDS
"""How many rounds of keys a delivery may take, and how many in all: some only wait."""
LONGEST = 45.0
"""For how many seconds keys are pressed, at most: whoever waits for the outcome hears of it."""
SETTLE = 1.0
REPAINT = 0.3
MOVES = 0.1
"""How long a screen that moves under the steps is given to stand still."""
LONGEST_PAUSE = 2.0
STEPS = (Press, Type, Paste, Pause, Expect)


class Delivered(Enum):
    """How a delivery ended. `gone`: its CLI did, after a deciding key, and nothing says why."""

    DONE = "done"
    CHANGED = "changed"
    IMPOSSIBLE = "impossible"
    STUCK = "stuck"
    NOT_CONFIRMED = "not_confirmed"
    GONE = "gone"


class Guard(Protocol):
    """What a delivery may type into, and when it is over."""

    def allows(self, screen: Screen) -> bool:
        """Whether keys may be sent while this screen stands."""

    def unmoved(self, asked: Screen, now: Screen) -> bool:
        """Whether steps that were meant for one screen fit another that is allowed."""

    def over(self, screen: Screen) -> bool:
        """After a deciding key: whether the screen shows that it was taken."""


class StepJournal(Protocol):
    """Where the steps of a delivery are written."""

    def __call__(self, steps: Sequence[Step], *, withheld: str = "") -> None:
        """Write steps that are about to be typed, or why these were not typed after all."""


Next = Callable[[Screen, Any], Steps | None]


class Delivery:
    """One answer, message or action on its way to a pane.

    `journal` is called with the steps of each round, before the first of its keys: what it
    writes is on disk by then. It is called again with those that were not typed after all, and
    why; `withheld` is that reason for the last ones. `confirm` is how long an outcome is waited
    for, in seconds.
    `fate` tells that the CLI is gone or let go of, and what that makes of a deciding key;
    `concluded` that what was asked about has come to its end.
    """

    def __init__(
        self,
        pane: Pane,
        guard: Guard,
        next_steps: Next,
        journal: StepJournal,
        *,
        fate: Callable[[], Delivered | None] = lambda: None,
        concluded: Callable[[], bool] = lambda: False,
        confirm: float = 10.0,
    ) -> None:
        self._pane = pane
        self._guard = guard
        self._next = next_steps
        self._journal = journal
        self._fate = fate
        self._concluded = concluded
        self._confirm = confirm
        self.typed = False
        self.decided = False
        self.withheld = ""
        self.form: PromptForm | None = None

    def run(self) -> Delivered:
        """Type until done; what came of it."""
        progress: Any = None
        spans = False
        rounds = 0
        until = time.monotonic() + LONGEST
        for look in range(LOOKS):
            if time.monotonic() > until:
                break
            screen = self._readable(spans)
            if screen is None:
                return self._stopped(Delivered.CHANGED)
            steps = self._next(screen, progress)
            if steps is None or not all(isinstance(step, STEPS) for step in steps.steps):
                return self._stopped(Delivered.STUCK if look else Delivered.IMPOSSIBLE)
            if any(not isinstance(step, Pause | Expect) for step in steps.steps):
                if rounds >= ROUNDS:
                    break
                rounds += 1
                self._journal(steps.steps)
                steps = _paused(steps)
                if objection := self._moved(screen, steps):
                    self._withhold(steps.steps, objection)
                    self._pane.wait(self._pane.look().revision, MOVES)
                    continue
            progress, spans = steps.progress, steps.spans
            if ended := self._take(steps, screen):
                return ended
        return self._stopped(Delivered.STUCK)

    def _take(self, steps: Steps, screen: Screen) -> Delivered | None:
        """Carry out one round; None when another is needed."""
        carried = self._carry_out(steps)
        if self.decided and not steps.spans:
            return self._confirmed()
        if steps.done and carried:
            self.form = steps.form
            return self._stopped(Delivered.DONE)
        if carried:
            self._pane.wait(screen.revision, SETTLE)
        return None

    def _moved(self, asked: Screen, steps: Steps) -> str:
        """Why steps fit no more: an adapter may have thought for long, and the desk typed.

        Who says that the steps span screens goes by those himself, but what decides meets the
        very screen that it was meant for.
        """
        now = self._pane.look()
        if objection := self._objection(now, steps.spans):
            return objection
        first = steps.steps[0]
        decides = isinstance(first, Press) and first.deciding
        trusted = steps.spans and not decides
        if trusted or now.revision == asked.revision or self._guard.unmoved(asked, now):
            return ""
        return "what the keys were meant for moved on the screen"

    def _carry_out(self, steps: Steps) -> bool:
        for index, step in enumerate(steps.steps):
            if isinstance(step, Pause):
                time.sleep(min(step.seconds, LONGEST_PAUSE))
            elif isinstance(step, Expect):
                if not self._seen(step):
                    self._withhold(steps.steps[index:], "the screen did not show what was expected")
                    return False
            else:
                if index and (objection := self._objection(self._pane.look(), steps.spans)):
                    self._withhold(steps.steps[index:], objection)
                    return False
                try:
                    self._send(step)
                except Conflict as error:
                    self._withhold(steps.steps[index:], error.message)
                    raise
                self.withheld = ""
        return True

    def _withhold(self, steps: Sequence[Step], reason: str) -> None:
        """Write that these steps were not carried out, where there are keys among them."""
        if any(not isinstance(step, Pause | Expect) for step in steps):
            self.withheld = reason
            self._journal(steps, withheld=reason)

    def _send(self, step: Press | Type | Paste) -> None:
        before = self.typed, self.decided
        # An error may come after the key: only a Conflict says that nothing was sent.
        self.typed = True
        self.decided |= isinstance(step, Press) and step.deciding
        try:
            self._put(step)
        except Conflict:
            self.typed, self.decided = before
            raise

    def _put(self, step: Press | Type | Paste) -> None:
        if isinstance(step, Press):
            self._pane.press(step.key)
        elif isinstance(step, Type) and "\t" not in step.text:
            self._pane.type(step.text)
        else:
            self._pane.paste(step.text)

    def _readable(self, spans: bool) -> Screen | None:
        """A screen that may be typed into; one caught half painted gets a moment."""
        return look_until(self._pane, lambda screen: not self._objection(screen, spans), self._fate)

    def _objection(self, screen: Screen, spans: bool) -> str:
        """Why nothing may be typed now; empty where it may."""
        if self._fate():
            return "the CLI is gone"
        if not (spans or self._guard.allows(screen)):
            return "the screen no longer shows what the keys were meant for"
        return "" if self._pane.runs_cli() else "the CLI is not in front"

    def _seen(self, step: Expect) -> bool:
        def fits(screen: Screen) -> bool:
            return (squeeze(step.text) in squeeze(screen.text)) is not step.gone

        return look_until(self._pane, fits, self._fate, step.within) is not None

    def _stopped(self, otherwise: Delivered) -> Delivered:
        """No more is typed: a deciding key that was sent is seen to its end."""
        return self._confirmed() if self.decided else otherwise

    def _confirmed(self) -> Delivered:
        return confirmed(self._pane, self._guard, self._fate, self._confirm, self._concluded)


def reason_withheld(delivery: Delivery) -> str:
    """Return what an error says of the last keys, where a guard withheld them; or nothing."""
    return f" (keys were withheld: {delivery.withheld})" if delivery.withheld else ""


def look_until(
    pane: Pane,
    fits: Callable[[Screen], bool],
    fate: Callable[[], Delivered | None] = lambda: None,
    seconds: float = REPAINT,
) -> Screen | None:
    """The first screen that fits, from now on; None when none does in time."""
    until = time.monotonic() + seconds
    screen = pane.look()
    while not fits(screen):
        if (left := until - time.monotonic()) <= 0 or fate():
            return None
        screen = pane.wait(screen.revision, left)
    return screen


def confirmed(
    pane: Pane,
    guard: Guard,
    fate: Callable[[], Delivered | None],
    seconds: float,
    concluded: Callable[[], bool],
) -> Delivered:
    """Whether what decides was taken: the guard sees its end in time, or others tell of it.

    A screen may not tell: what reads the same may stand there already.
    """
    until = time.monotonic() + seconds
    try:
        screen = pane.look()
        while not (guard.over(screen) or concluded()):
            if ended := fate():
                return ended
            if (left := until - time.monotonic()) <= 0:
                return Delivered.NOT_CONFIRMED
            screen = pane.wait(screen.revision, min(left, MOVES / 2))
    except NotFound:
        return fate() or Delivered.GONE
    return Delivered.DONE


def _paused(steps: Steps) -> Steps:
    """The steps without the pauses that come first, which are over then."""
    for index, step in enumerate(steps.steps):
        if not isinstance(step, Pause):
            return replace(steps, steps=steps.steps[index:])
        time.sleep(min(step.seconds, LONGEST_PAUSE))
    return steps
