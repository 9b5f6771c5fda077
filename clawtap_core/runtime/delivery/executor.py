"""Carrying out steps on a pane: the screen is read before every key and after it.

An adapter says the next steps for each fresh screen; the guard says whether this screen may be
typed into, and whether what was to be decided has been decided. Nothing is typed in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from clawtap_core.errors import ClawTapError, Conflict, NotFound
from clawtap_core.model import Expect, Paste, Pause, Press, PromptForm, Screen, Step, Steps, Type
from clawtap_core.prompts.identity import squeeze
from clawtap_core.runtime.delivery.api import Delivered, Guard, Next, StepJournal
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, REAL_TIME, Scheduler, Timings
from clawtap_core.terminal.api import DeskKeys, Pane

ROUNDS = 40  # of keys; a delivery may look three times as often, since some rounds only wait
STEPS = (Press, Type, Paste, Pause, Expect)
_BY_CURSOR = ("Enter", "Space")
DESK_TYPES = "somebody else typed in the pane at the same moment"
# After so many looks at a CLI that is not at work, its screen is not late.
_LOOKS_AT_REST = 2


class Delivery:
    """One answer, message or action on its way to a pane.

    `journal` writes the steps of each round before the first of its keys, and those that were
    withheld with the reason. `confirm` is how many seconds to wait for the outcome.
    `exit_outcome` returns what an exit of the CLI means for a deciding key, or None while it runs;
    `concluded` returns True once the CLI has ended what was asked about. `contested` is True if a
    person kept typing, so that our deciding key may have come after one of theirs; `taken` then
    returns whose key counted, and a delivery whose key did not is `crossed`.
    """

    def __init__(
        self,
        pane: Pane,
        guard: Guard,
        next_steps: Next,
        journal: StepJournal,
        *,
        exit_outcome: Callable[[], Delivered | None] = lambda: None,
        concluded: Callable[[], bool] = lambda: False,
        confirm: float = 10.0,
        taken: Callable[[Delivery], bool] = lambda _: True,
        timings: Timings = DEFAULT_TIMINGS,
        scheduler: Scheduler = REAL_TIME,
    ) -> None:
        self._pane = pane
        self._guard = guard
        self._next = next_steps
        self._journal = journal
        self._exit_outcome = exit_outcome
        self._concluded = concluded
        self._confirm = confirm
        self._taken = taken
        self._timings = timings
        self._scheduler = scheduler
        self._desk = DeskKeys()
        self._screen: Screen | None = None
        self.typed = False
        self.decided = False
        self.contested = False
        self.journalled = False
        self.unheard = False
        self.crossed = False
        self.key = ""
        self.withheld = ""
        self.form: PromptForm | None = None
        self.wrote_text = False
        self.reason_given = self.reason_left = False
        self.refused = ""

    def run(self) -> Delivered:
        """Type until done, and return the outcome."""
        progress: Any = None
        spans = False
        looks = rounds = 0
        paused: tuple[Pause, ...] = ()
        moved_by = 0.0
        now = self._scheduler.now()
        until, quiet_by = now + self._timings.delivery, now + self._timings.desk_quiet
        while looks < 3 * ROUNDS and self._scheduler.now() < until:
            screen = self._readable(spans, quiet_by)
            if screen is None:
                return self._unreadable()
            # Read with the screen: keys that others send later are newer than what it shows.
            self._desk, self._screen = self._pane.desk_keys, screen
            steps = self._next(screen, progress)
            if steps is None or not all(isinstance(step, STEPS) for step in steps.steps):
                return self._without_steps(screen, spans=spans, first=looks == 0)
            if _keys(steps.steps):
                if rounds >= ROUNDS:
                    break
                # The screen that the first key is for is read after the pauses before it.
                pauses, steps = _split_pauses(steps)
                if pauses and pauses != paused:
                    self._pause(*pauses)
                    paused = pauses
                    continue
                wait = self._desk_wait(steps, screen, quiet_by)
                if wait is None:
                    self._withhold(steps.steps, DESK_TYPES)
                    return self._desk_was_first() or self._stopped(Delivered.STUCK)
                if wait:
                    self._scheduler.sleep(wait)
                    continue
                self._journal(steps.steps)
                self.journalled = True
                if objection := self._moved(screen, steps):
                    self._withhold(steps.steps, objection)
                    # A screen that keeps moving is given up sooner than the whole delivery.
                    moved_by = moved_by or self._scheduler.now() + self._timings.moving
                    until = min(until, moved_by)
                    self._scheduler.sleep(self._timings.look_moving)
                    continue
                rounds += 1
            looks += 1
            paused = ()
            progress, spans = steps.progress, steps.spans
            if ended := self._round(steps, screen):
                return ended
        return self._stopped(Delivered.STUCK)

    def _without_steps(self, screen: Screen, *, spans: bool, first: bool) -> Delivered:
        """Return the outcome where the adapter has no next steps, on the first screen or later."""
        if spans and self.decided and self._guard.may_ask(screen):
            # Of several pages one is still open: that others left proves nothing.
            return Delivered.DONE if self._concluded() else Delivered.NOT_CONFIRMED
        return self._stopped(Delivered.IMPOSSIBLE if first else Delivered.STUCK)

    def _desk_wait(self, steps: Steps, screen: Screen, quiet_by: float) -> float | None:
        """Return for how many seconds to wait until the screen shows what somebody else typed.

        None if they do not stop, and the key would choose the row that they move to, or if the
        CLI has not read theirs yet: it would apply ours to whatever comes next.
        """
        if self._guard.needs_quiet() and not self.typed:
            left = min(self._pane.desk_settles_in(), quiet_by - self._scheduler.now())
            return max(min(left, self._timings.look_at_desk), 0.0)
        deciding = steps.deciding
        if deciding is None or self._guard.landmark(screen) is None:
            return 0.0
        if not (wait := self._pane.desk_settles_in()):
            return 0.0
        if (left := quiet_by - self._scheduler.now()) > 0:
            return min(wait, left, self._timings.look_at_desk)
        self.contested = True
        return None if deciding.key in _BY_CURSOR or self._pane.desk_unread() else 0.0

    def _round(self, steps: Steps, screen: Screen) -> Delivered | None:
        """Carry out one round; None when another is needed."""
        carried = self._carry_out(steps)
        self.wrote_text |= carried and any(isinstance(step, Type | Paste) for step in steps.steps)
        self.reason_given |= carried and steps.reason_given
        self.reason_left |= carried and steps.reason_left
        if carried and steps.refused:
            self.refused = steps.refused
            return self._stopped(Delivered.REFUSED)
        if self.decided and not steps.spans:
            return self._confirmed()
        if steps.done and carried:
            self.form = steps.form
            return self._stopped(Delivered.DONE)
        if carried:
            self._pane.wait(screen.revision, self._timings.keys_show)
            return None
        return self._desk_was_first()

    def _desk_was_first(self) -> Delivered | None:
        """End a message whose Enter was withheld: the composer holds words of others, too."""
        mixed = self.withheld == DESK_TYPES and self._guard.needs_quiet()
        return self._stopped(Delivered.CHANGED) if mixed else None

    def _moved(self, asked: Screen, steps: Steps) -> str:
        """Return why steps no longer fit the screen; the adapter may have taken long.

        Steps that span screens may meet a changed one, but a deciding key must meet exactly the
        screen that it was meant for.
        """
        now = self._pane.look()
        if objection := self._objection(now, steps.spans):
            return objection
        first = steps.steps[0]
        decides = isinstance(first, Press) and first.deciding
        cursor = not (decides and first.key not in _BY_CURSOR)  # type: ignore[union-attr]
        if (
            (steps.spans and not decides)
            or now.revision == asked.revision
            or self._guard.unmoved(asked, now, cursor=cursor)
        ):
            return ""
        return "what the keys were meant for moved on the screen"

    def _carry_out(self, steps: Steps) -> bool:
        for index, step in enumerate(steps.steps):
            reason = ""
            if isinstance(step, Pause):
                self._pause(step)
            elif isinstance(step, Expect):
                reason = "" if self._seen(step) else "the screen did not show what was expected"
            else:
                reason = self._objection(self._pane.look(), steps.spans) if index else ""
                try:
                    reason = reason or self._send(step)
                except Conflict as error:
                    self._withhold(steps.steps[index:], error.message)
                    if not self.decided:
                        raise
                    # A key before has decided, and what came of that will show.
                    return False
                self.withheld = ""
            if reason:
                self._withhold(steps.steps[index:], reason)
                return False
        return True

    def _withhold(self, steps: Sequence[Step], reason: str) -> None:
        """Write that these steps were not carried out, where there are keys among them."""
        if _keys(steps):
            self.withheld = reason
            self._journal(steps, withheld=reason)

    def _send(self, step: Press | Type | Paste) -> str:
        """Send keys, or return why they were withheld."""
        before = self.typed, self.decided
        # An error may come after the key: only a Conflict says that nothing was sent.
        self.typed = True
        self.decided |= isinstance(step, Press) and step.deciding
        try:
            sent = self._send_to_pane(step)
        except Conflict:
            self.typed, self.decided = before
            raise
        if not sent:
            self.typed, self.decided = before
        return "" if sent else DESK_TYPES

    def _send_to_pane(self, step: Press | Type | Paste) -> bool:
        if isinstance(step, Press) and step.deciding and self._screen:
            landmark = self._guard.landmark(self._screen)
            self.key = step.key
            if landmark is not None:
                # What others type next into a composer is theirs.
                shut = not self._guard.needs_quiet()
                return self._pane.press_alone(step.key, self._desk, landmark, shut=shut)
        if isinstance(step, Press):
            self._pane.press(step.key)
        # As a key a tab would complete a word or move on.
        elif isinstance(step, Type) and "\t" not in step.text:
            self._pane.type(step.text)
        else:
            self._pane.paste(step.text)
        return True

    def _pause(self, *pauses: Pause) -> None:
        for pause in pauses:
            self._scheduler.sleep(min(pause.seconds, self._timings.pause))

    def _readable(self, spans: bool, quiet_by: float) -> Screen | None:
        """Return a screen that may be typed into.

        A half-painted one gets a moment to complete, and somebody who types while the CLI holds
        its prompt back gets time to finish.
        """

        def fits(screen: Screen) -> bool:
            return not self._objection(screen, spans)

        screen = self._look_until(fits, self._timings.repaint)
        while screen is None and self._guard.held_back(self._pane.look()):
            if (left := quiet_by - self._scheduler.now()) <= 0:
                break
            screen = self._look_until(fits, min(left, self._timings.repaint))
        return screen

    def _unreadable(self) -> Delivered:
        """Return the outcome of a delivery whose prompt is not on the screen."""
        if not self._guard.held_back(self._pane.look()):
            return self._stopped(Delivered.CHANGED)
        self.withheld = DESK_TYPES
        return self._stopped(Delivered.STUCK)

    def _objection(self, screen: Screen, spans: bool) -> str:
        """Return why nothing may be typed now; empty where it may."""
        if self._exit_outcome():
            return "the CLI is gone"
        if not (spans or self._guard.allows(screen)):
            return "the screen no longer shows what the keys were meant for"
        return "" if self._pane.runs_cli() else "the CLI is not in front"

    def _seen(self, step: Expect) -> bool:
        def fits(screen: Screen) -> bool:
            return (squeeze(step.text) in squeeze(screen.text)) is not step.gone

        return self._look_until(fits, step.within) is not None

    def _look_until(self, fits: Callable[[Screen], bool], seconds: float) -> Screen | None:
        return look_until(self._pane, fits, seconds, self._exit_outcome, self._scheduler)

    def _stopped(self, otherwise: Delivered) -> Delivered:
        """Stop typing; if a deciding key was sent, wait for its outcome."""
        return self._confirmed() if self.decided else otherwise

    def _confirmed(self) -> Delivered:
        outcome = confirmed(
            self._pane,
            self._guard,
            self._exit_outcome,
            self._confirm,
            self._concluded,
            self._scheduler,
            late=self._timings.screen_late,
        )
        if outcome is Delivered.DONE:
            self._let_desk_in()
        if outcome is Delivered.DONE and not self._taken(self):
            self.decided, self.crossed = False, True
            return Delivered.CHANGED
        return outcome

    def _let_desk_in(self) -> None:
        """Take keys of the desk again, unless they would reach a prompt that nobody has seen."""
        # The answer has arrived, whatever happens to the pane.
        with suppress(ClawTapError):
            if not self._guard.another(self._pane.look()):
                self._pane.open_again()


def reason_withheld(delivery: Delivery) -> str:
    """Return a note for an error on keys that a guard withheld, or ""."""
    return f" (keys were withheld: {delivery.withheld})" if delivery.withheld else ""


def look_until(
    pane: Pane,
    fits: Callable[[Screen], bool],
    seconds: float,
    exit_outcome: Callable[[], Delivered | None] = lambda: None,
    scheduler: Scheduler = REAL_TIME,
) -> Screen | None:
    """Return the first screen that fits, from now on, or None if none does in time."""
    until = scheduler.now() + seconds
    screen = pane.look()
    while not fits(screen):
        if (left := until - scheduler.now()) <= 0 or exit_outcome():
            return None
        screen = pane.wait(screen.revision, left)
    return screen


def confirmed(
    pane: Pane,
    guard: Guard,
    exit_outcome: Callable[[], Delivered | None],
    seconds: float,
    concluded: Callable[[], bool],
    scheduler: Scheduler = REAL_TIME,
    *,
    late: float,
) -> Delivered:
    """Wait until the guard or another source confirms the decision.

    The screen may not show it: a prompt with the same text may be there already. Or the screen is
    `late`, for some seconds, while its CLI is at work: what it shows then is the answered prompt.
    """
    until = scheduler.now() + seconds
    late_until, at_rest = None, 0
    try:
        screen = pane.look()
        while not guard.over(screen):
            now = scheduler.now()
            if concluded():
                late_until = late_until or now + late
                at_rest = 0 if pane.cli_at_work() else at_rest + 1
                # What is back after it was away is another prompt, which reads the same.
                if guard.lost_sight() or at_rest >= _LOOKS_AT_REST or now >= late_until:
                    return Delivered.DONE
            if ended := exit_outcome():
                return ended
            if (left := until - now) <= 0:
                return Delivered.DONE if late_until else Delivered.NOT_CONFIRMED
            screen = pane.wait(screen.revision, min(left, 0.05))
    except NotFound:
        return exit_outcome() or Delivered.GONE
    return Delivered.DONE


def _keys(steps: Sequence[Step]) -> bool:
    return any(not isinstance(step, Pause | Expect) for step in steps)


def _split_pauses(steps: Steps) -> tuple[tuple[Pause, ...], Steps]:
    """Return the pauses that come first, and the steps without them."""
    count = next(at for at, step in enumerate(steps.steps) if not isinstance(step, Pause))
    pauses = tuple(step for step in steps.steps[:count] if isinstance(step, Pause))
    return pauses, replace(steps, steps=steps.steps[count:])
