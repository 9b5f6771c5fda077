"""One terminal session while it runs: its screens become prompts, states and deltas.

Locks are taken in this order: typing, observing, then the store's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, NotFound
from clawtap_core.host import Adapter
from clawtap_core.model import (
    Actor,
    HookReport,
    Prompt,
    PromptForm,
    Screen,
    SeenState,
    Session,
    SessionState,
)
from clawtap_core.prompts.screen_tracker import PromptSighting, ScreenTracker, unclear
from clawtap_core.prompts.settling import PromptSettling
from clawtap_core.runtime.delivery.api import Delivered, Guard, Next, StepJournal
from clawtap_core.runtime.delivery.executor import Delivery
from clawtap_core.runtime.delivery.exit_reason import describe_exit, outcome_of_exit
from clawtap_core.runtime.delivery.guards import ComposerGuard
from clawtap_core.runtime.panes.composer_text import ComposerText
from clawtap_core.runtime.panes.current_prompt import CurrentPrompt
from clawtap_core.runtime.panes.foreground import Foreground
from clawtap_core.runtime.panes.prompt_announcer import PromptAnnouncer
from clawtap_core.runtime.panes.served_screens import ServedScreens
from clawtap_core.runtime.panes.state_file import read_state_file
from clawtap_core.runtime.panes.streaming_text import StreamingText
from clawtap_core.runtime.panes.tool_calls import Call, ToolCalls
from clawtap_core.runtime.panes.turn import Turn
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Scheduled, Scheduler, Timings
from clawtap_core.terminal import errors
from clawtap_core.terminal.api import EndCause, Pane, PaneEnd, Terminal

log = logging.getLogger(__name__)
_AT_WORK = (SessionState.BUSY, SessionState.WAITING)
_PLAIN = (SessionState.BUSY, SessionState.IDLE)
COMPOSER_COVERED = "something else than the composer is open in the terminal; close it there"


class PaneSession:
    """A session's pane, its adapter, and what its screen shows.

    `on_calm` is called in a thread of its own when messages wait and the session has been idle
    with an empty composer for a moment. `dismiss` is called when a start-up dialog appears, and
    returns whether it deals with it. `on_exit` is called when the pane is gone, with the reason and
    how it ended. `env` is the CLI's environment, `sent` its last message.
    """

    def __init__(
        self,
        session: Session,
        adapter: Adapter,
        store: StateStore,
        *,
        env: Mapping[str, str],
        on_calm: Callable[[PaneSession], None],
        dismiss: Callable[[PaneSession, PromptForm], bool],
        on_exit: Callable[[PaneSession, str, PaneEnd], None],
        timings: Timings,
        scheduler: Scheduler,
    ) -> None:
        self.id = session.id
        self.timings = timings
        self._scheduler, self._now = scheduler, scheduler.now
        self.launched = session.origin == "launched"
        self.adapter = adapter.for_session(session.id)
        self.calls = ToolCalls(self.adapter)
        self.typing_lock = threading.Lock()
        self.current_prompt = CurrentPrompt(store, session.id, timings.keys_count, scheduler.now)
        self.composer = ComposerText(store, session.id, self.adapter, timings)
        self.shown = ServedScreens()
        self.sent = ""
        self.exit_outcome: Delivered | None = None
        self._store = store
        self._env = env
        self._on_calm, self._on_exit = on_calm, on_exit
        self._observing = threading.RLock()
        self._timer: Scheduled | None = None
        stored = self.current_prompt.prompt
        if stored and stored.form.tool_input:
            # After a restart nobody reports again the call that is asked about.
            self.calls.learn(stored.form)
        self._watch = ScreenTracker(
            self._now(), stored.form if stored else None, timings.screens, adapter.info.name
        )
        self._prompts = PromptAnnouncer(
            self.current_prompt,
            self.calls,
            PromptSettling(timings.screens, reports_questions=adapter.info.reports_questions),
            lambda form: self.launched and dismiss(self, form),
            timings.screens.call_outlived,
        )
        self._foreground = Foreground(timings, launched=self.launched)
        self._deltas = StreamingText(store, session.id)
        self._turn = Turn(store, session.id)
        self._queue_waits_until, self._queue_held_up = 0.0, ""
        self._revision = 0
        self._delivering = 0
        self._delivery: Delivery | None = None
        self._own_key = ""
        self._closed = False
        self._ready = threading.Event()
        self._pane: Pane | None = None

    def attach(self, terminal: Terminal, pane_id: str) -> None:
        """Start watching the pane."""
        self._pane = terminal.watch(pane_id, self)
        self._ready.set()

    @property
    def pane(self) -> Pane:
        """The watched pane."""
        self._ready.wait(self.timings.pane_attached)
        if self._pane is None:
            raise Conflict("the session is starting", code=ErrorCode.SESSION_STARTING)
        return self._pane

    @property
    def desk_typed_at(self) -> float:
        """When others last typed in the pane, in seconds since 1970; 0 if never."""
        return self._pane.desk_typed_at if self._pane else 0.0

    @property
    def seen(self) -> SeenState:
        """The state of the last screen."""
        return self._watch.seen

    @property
    def in_turn(self) -> bool:
        """Whether the CLI is working, or may be."""
        # While something is typed the state is not updated.
        return bool(self._delivering) or self.seen.state in _AT_WORK

    @property
    def prompt(self) -> Prompt | None:
        """The open prompt."""
        return self.current_prompt.prompt

    @property
    def sighting(self) -> PromptSighting | None:
        """The open prompt as the last screen showed it."""
        return self._watch.sighting

    @property
    def leftover(self) -> str:
        """Our text in the composer that has not been sent, or ""."""
        return self.composer.leftover

    @property
    def calm_for(self) -> float:
        """For how many seconds the session has been idle, without a draft from the desk."""
        ready = self.composer.holds_only_ours(self.seen) and not self._command_settles_in()
        return self._watch.idle_for(self._now()) if ready else 0.0

    @property
    def keys_taken_in(self) -> float:
        """After how many seconds the open prompt takes keys; 0 or less if it does."""
        return self.composer.keys_taken_in(self._now())

    def read_state_file(self) -> HookReport | None:
        """Return what the CLI's own state file says, or None without one."""
        if self._pane is None or not self.adapter.has("state_file"):
            return None
        return read_state_file(self.adapter, self._env, self._pane.group)

    def close(self) -> None:
        """Stop watching, once what is being typed has had a moment to finish; the pane stays."""
        if self.typing_lock.acquire(timeout=self.timings.closing_grace):
            self.typing_lock.release()
        self.exit_outcome = self.exit_outcome or Delivered.NOT_CONFIRMED
        self._stop()
        if self._pane:
            self._pane.close()

    # Called by the terminal

    def screen_changed(self, screen: Screen) -> None:
        """Handle a new screen of the pane."""
        if self._store.watches_screen(self.id):
            shown = self.shown.add(screen)
            self._store.publish_transient(events.screen_changed(self.id, shown, self._store.now()))
        with self._observing:
            if not self._delivering and not self._closed:
                self._observe(screen)

    def gone(self, end: PaneEnd, last: Screen | None) -> None:
        """Handle a closed pane or an exited CLI: end what is being typed, then the session."""
        self.exit_outcome, reason = outcome_of_exit(end), end.reason
        self._stop()
        left_words = end.cause is EndCause.EXITED and self.exit_outcome is Delivered.GONE
        if last and self.launched and left_words:
            reason = describe_exit(reason, last)
        self.current_prompt.cancelled(reason)
        self._on_exit(self, reason, end)

    def _stop(self) -> None:
        self.calls.close()
        mine = self.typing_lock.acquire(timeout=self.timings.closing_grace)
        with self._observing:
            self._closed = True
            self._stop_timer()
        if mine:
            self.typing_lock.release()

    # Typing: only the holder of the lock reads the screen

    @contextmanager
    def typing(self, patience: float | None = None, actor: Actor | None = None) -> Iterator[None]:
        """Lock out other typing, and start from a fresh screen."""
        if not self.typing_lock.acquire(
            timeout=self.timings.typing_turn if patience is None else patience
        ):
            raise Conflict(
                "something else is being typed into this session", code=ErrorCode.SESSION_BUSY
            )
        held = False
        self._delivery = None
        try:
            with self._observing:
                if self._closed:
                    raise Conflict("the session has ended", code=ErrorCode.SESSION_ENDED)
                self._observe(self.pane.look())
                self._delivering += 1
                held = True
            yield
        except NotFound as error:
            if error.code != ErrorCode.PANE_NOT_FOUND:
                raise
            # The pane is gone, and the session is about to end.
            raise Conflict("the session has ended", code=ErrorCode.SESSION_ENDED) from error
        finally:
            if self._delivery and self._delivery.typed and self._own_key:
                self.current_prompt.keys_pressed(self.pane.desk_keys, actor, self._own_key)
            self.typing_lock.release()
            if held:
                with self._observing:
                    self._delivering -= 1
                    self._watch.missed_screens()
                self.refresh()

    def awaited_call(self) -> Call | None:
        """Return the call that the prompt is about, if something waits for its answer."""
        call = self.calls.current
        return call if call and call.held and call.held.waits else None

    def rescan(self) -> None:
        """Forget what was read, and read the screen again."""
        with self._observing:
            self._prompts.forget()
            self._watch.forget()
        self.refresh()

    def message_sent(self, text: str, message_id: str) -> None:
        """Count the CLI as busy with a message that left the composer, until a screen says more."""
        with self._observing:
            self.started_with(text, message_id)
            self._queue_held_up = ""
            self.composer.sent(text, self._now())
            self._watch.sent(self._now())

    def started_with(self, text: str, message_id: str = "") -> None:
        """Note the message that the CLI works on next."""
        self.sent = text
        self._turn.sent(text, message_id)

    def delivery(
        self,
        guard: Guard,
        next_steps: Next,
        journal: StepJournal,
        *,
        own_key: str = "",
        **more: Any,
    ) -> Delivery:
        """Return a delivery into this pane, to be run within `typing`.

        `own_key` names its keys in the journal, for a prompt that they end without answering it.
        """
        self._delivery = Delivery(
            self.pane,
            guard,
            next_steps,
            journal,
            exit_outcome=lambda: self.exit_outcome,
            timings=self.timings,
            **more,
        )
        self._own_key = own_key
        return self._delivery

    def message_delivery(self, text: str, journal: StepJournal) -> Delivery:
        """Return the delivery of a message into the composer."""
        return self.delivery(
            ComposerGuard(self.adapter, text, begun=self.leftover == text, timings=self.timings),
            lambda screen, progress: self.adapter.compose(text, screen, progress),
            journal,
            own_key="a message",
            confirm=self.timings.message_leaves,
        )

    def draft_removal(self, text: str, journal: StepJournal) -> Delivery:
        """Return a delivery that removes a message of ours from the composer."""
        return self.delivery(
            ComposerGuard(self.adapter, text, begun=True, timings=self.timings),
            lambda screen, progress: self.adapter.compose("", screen, progress),
            journal,
            own_key="the removal of a message",
        )

    def refresh(self) -> None:
        """Look at the screen again: more has become known, or something may have changed."""
        try:
            with self._observing:
                if not self._delivering and not self._closed:
                    self._observe(self.pane.look())
        except ClawTapError as error:
            log.debug("could not look again: %s", error.message, extra={"session": self.id})
            with self._observing:
                # No event of the pane may follow: what it shows can have been there before.
                self._look_again(self.timings.screen_unread)
        except Exception:
            log.warning("could not look again", exc_info=True, extra={"session": self.id})

    def postpone_queue(self, seconds: float, why: str = "") -> None:
        """Leave the queue of messages alone for this long; `why` it waits is shown to the user."""
        self._queue_waits_until, self._queue_held_up = self._now() + seconds, why

    # Reading a screen

    def _observe(self, screen: Screen) -> None:
        if screen.revision < self._revision:
            return  # a later screen was read while this one waited for the lock
        self._revision = screen.revision
        now = self._now()
        if self._foreground.cli_ended(self.pane, now, asks=self.prompt is not None):
            self.current_prompt.cancelled("its CLI ended, and its script runs on")
            self._prompts.forget()
            self._watch.forget()
        if rest := self._foreground.left_behind_for(now):
            self._look_again(rest)
            return
        previous = self._watch.previous(screen, now)
        form = self.adapter.detect_prompt(screen)
        seen = self.adapter.detect_state(screen, previous)
        if seen and seen.state.over and not self.pane.shows_terminal:
            seen = None  # its process tells: the last words of a CLI may be quoted
        owner = self._foreground.observe(self.pane, screen, form, seen, self.prompt, now)
        if owner.away:
            if owner.runs_cli:  # nothing may tell that it is back
                self._look_again(self.timings.look_away)
            self._watch.away()
            away = errors.not_in_front().message if self._store.queue(self.id) else None
            self._store.change_session(self.id, detail=away)
            return
        if owner.lent:
            seen = None
        elif unclear(seen) and not owner.cli_shown:
            report = self.read_state_file()
            if report and report.state is SessionState.BUSY:
                seen = SeenState(SessionState.BUSY)
        self._take_in(screen, form, seen, now)

    def _take_in(
        self, screen: Screen, form: PromptForm | None, seen: SeenState | None, now: float
    ) -> None:
        """Let the prompt and the state of the session follow a screen of its CLI."""
        overlaid = seen is not None and seen.overlaid
        if seen and overlaid:
            # The menu hides the state, which the CLI's own file may tell.
            report = self.read_state_file()
            if report and report.state in _PLAIN:
                seen = replace(seen, state=report.state)
        sight = self._watch.see(screen, form, seen, now, at_work=self.pane.cli_at_work)
        self.composer.observe(sight, self.pane.desk_keys, now)
        with self._store.exclusive():
            unsettled = self._prompts.update(sight, self.pane.desk_keys, now)
            self._update_state(sight.seen)
        # What happens below a menu changes nothing on the screen.
        below = self.timings.look_overlaid if overlaid else None
        self._look_again(min(filter(None, (sight.recheck, unsettled, below)), default=None))

    # State, deltas, and the next look

    def _update_state(self, seen: SeenState) -> None:
        self._store.touch(self.id)
        known = {"mode": seen.mode, "model": seen.model}
        changes = {name: value for name, value in known.items() if value}
        detail = self._queue_waits_for(seen)
        self._store.change_session(self.id, state=seen.state, detail=detail, **changes)
        self._deltas.publish_new(seen)
        self._turn.update(seen)

    def _queue_waits_for(self, seen: SeenState) -> str | None:
        """Return why messages stay in the queue although the session is idle."""
        if seen.state is not SessionState.IDLE or not self._store.queue(self.id):
            return None
        if seen.draft is None:
            return COMPOSER_COVERED
        if not self.composer.holds_only_ours(seen):
            return "the composer in the terminal holds text; send or delete it there"
        return self._queue_held_up or None

    def _look_again(self, recheck: float | None) -> None:
        self._stop_timer()
        if recheck is None and self._watch.seen.state is SessionState.IDLE:
            left = self.timings.calm - self._watch.idle_for(self._now())
            recheck = left if left > 0 else self._calm()
        if recheck is not None and not self._closed:
            self._timer = self._scheduler.call_later(
                max(recheck, self.timings.look_again), self.refresh
            )

    def _calm(self) -> float | None:
        """Report the end of a turn, start on the queue; return the seconds until the next look."""
        self._turn.end()
        if self.typing_lock.locked():
            return None
        # A message may come while a command settles: then nothing else makes us look again.
        if settles := self._command_settles_in():
            return settles
        if not (self._store.queue(self.id) or self.leftover):
            return None
        if (postponed := self._queue_waits_until - self._now()) > 0:
            return postponed
        if self.calm_for < self.timings.calm:
            return None
        threading.Thread(target=self._on_calm, args=(self,), daemon=True).start()
        return None

    def _command_settles_in(self) -> float:
        return self.composer.settles_in(self._now(), lambda: self.pane.cli_at_work())

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
