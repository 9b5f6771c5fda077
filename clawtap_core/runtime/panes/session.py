"""One terminal session while it runs: its screens become prompts, states and deltas.

Locks are taken in this order: the turn to type, then the look at a screen, then the store's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode
from clawtap_core.host import Adapter
from clawtap_core.model import (
    HookReport,
    Prompt,
    PromptForm,
    Screen,
    SeenState,
    Session,
    SessionState,
)
from clawtap_core.prompts.screen_tracker import Observation, PromptSighting, ScreenTracker, unclear
from clawtap_core.prompts.settling import PromptSettling
from clawtap_core.runtime.delivery.executor import Delivered, Delivery, StepJournal
from clawtap_core.runtime.delivery.exit_reason import describe_exit, fate_of
from clawtap_core.runtime.delivery.guards import ComposerGuard
from clawtap_core.runtime.panes.current_prompt import CurrentPrompt
from clawtap_core.runtime.panes.served_screens import ServedScreens
from clawtap_core.runtime.panes.state_file import own_word
from clawtap_core.runtime.panes.streaming_text import StreamingText
from clawtap_core.runtime.panes.tool_calls import ToolCalls
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Scheduled, Scheduler, Timings
from clawtap_core.screens import drawn
from clawtap_core.terminal.api import Pane, Terminal

log = logging.getLogger(__name__)
SOONEST = 0.003
"""No look is repeated sooner, in seconds."""
_AT_WORK = (SessionState.BUSY, SessionState.WAITING)


class PaneSession:
    """A session's pane, its adapter, and what stands on its screen.

    `settled` is called (in a thread of its own) when messages wait and the session has been idle
    with an empty composer for a moment; `dismiss` when a start-up dialog that can be put away
    appears, and says whether it takes it; `over` when the pane is gone. `shown` are the screens
    that users saw, `sent` is the last message that went to the CLI; `env` is the CLI's.
    """

    def __init__(
        self,
        session: Session,
        adapter: Adapter,
        store: StateStore,
        *,
        env: Mapping[str, str],
        settled: Callable[[PaneSession], None],
        dismiss: Callable[[PaneSession, PromptForm], bool],
        over: Callable[[PaneSession, str], None],
        timings: Timings,
        scheduler: Scheduler,
    ) -> None:
        self.id = session.id
        self.timings = timings
        self._scheduler, self._now = scheduler, scheduler.now
        self.launched = session.origin == "launched"
        self.adapter = adapter.for_session(session.id)
        self.calls = ToolCalls(self.adapter)
        self.turn = threading.Lock()
        self.standing = CurrentPrompt(store, session.id, timings.keys_count, scheduler.now)
        self.shown = ServedScreens()
        self.sent = ""
        self.fate: Delivered | None = None
        self._store = store
        self._env = env
        self._settled, self._dismiss, self._over = settled, dismiss, over
        self._seeing = threading.RLock()
        self._timer: Scheduled | None = None
        known = self.standing.prompt
        self._settling = PromptSettling()
        self._watch = ScreenTracker(self._now(), known.form if known else None)
        self._deltas = StreamingText(store, session.id)
        self._was_busy = False
        self._rests_until = 0.0
        self._revision = 0
        self._delivering = 0
        self._closed = False
        self._ready = threading.Event()
        self._pane: Pane | None = None

    def attach(self, terminal: Terminal, pane_id: str) -> None:
        """Begin to watch the pane."""
        self._pane = terminal.watch(pane_id, self)
        self._ready.set()

    @property
    def pane(self) -> Pane:
        """The pane that is watched."""
        self._ready.wait(5)
        if self._pane is None:
            raise Conflict("the session is starting", code=ErrorCode.SESSION_STARTING)
        return self._pane

    @property
    def seen(self) -> SeenState:
        """The state last seen."""
        return self._watch.seen

    @property
    def in_turn(self) -> bool:
        """Whether the CLI is at work, or may be: while something is typed nobody looks."""
        return bool(self._delivering) or self.seen.state in _AT_WORK

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that stands there."""
        return self.standing.prompt

    @property
    def sighting(self) -> PromptSighting | None:
        """The prompt that stands there, as it was read last."""
        return self._watch.sighting

    @property
    def leftover(self) -> str:
        """A message of ours that stands in the composer, and was not sent yet."""
        typed = self._store.marker(self.id, "typed")
        return str(typed["text"]) if typed else ""

    @property
    def calm_for(self) -> float:
        """For how many seconds the session has been idle, with nothing of the desk's typed."""
        draft = self._watch.seen.draft
        mine = draft is not None and drawn(draft) in drawn(self.leftover)
        return self._watch.idle_for(self._now()) if mine else 0.0

    def own_word(self) -> HookReport | None:
        """What the CLI says of itself now, where it does; read from its file."""
        if self._pane is None or not self.adapter.has("state_file"):
            return None
        return own_word(self.adapter, self._env, self._pane)

    def close(self) -> None:
        """Stop watching; the pane stays. What is being typed gets a moment to end by itself."""
        if self.turn.acquire(timeout=self.timings.closing_grace):
            self.turn.release()
        self.fate = self.fate or Delivered.NOT_CONFIRMED
        self._stop()
        if self._pane:
            self._pane.close()

    # What the terminal tells

    def screen_changed(self, screen: Screen) -> None:
        """The pane shows something new."""
        if self._store.watches_screen(self.id):
            shown = self.shown.add(screen)
            self._store.publish_transient(events.screen_changed(self.id, shown, self._store.now()))
        with self._seeing:
            if not self._delivering and not self._closed:
                self._see(screen)

    def gone(self, reason: str, last: Screen | None) -> None:
        """The pane closed, or its CLI exited: what is being typed ends, then the session does."""
        self.fate = fate_of(reason)
        self._stop()
        if last and self.launched and self.fate is Delivered.GONE:
            reason = describe_exit(reason, last)
        self.standing.cancelled(reason)
        self._over(self, reason)

    def _stop(self) -> None:
        self.calls.close()
        mine = self.turn.acquire(timeout=self.timings.closing_grace)
        with self._seeing:
            self._closed = True
            self._stop_timer()
        if mine:
            self.turn.release()

    # While something is typed, who types reads the screen

    @contextmanager
    def typing(self, patience: float | None = None) -> Iterator[None]:
        """Type into the pane: nobody else does meanwhile, and screens are only read by you.

        It begins with a look, so that `prompt` is what stands there now; after it, and after the
        turn was given back, comes another: whoever was refused meanwhile is thought of then.
        """
        if not self.turn.acquire(
            timeout=self.timings.typing_turn if patience is None else patience
        ):
            raise Conflict(
                "something else is being typed into this session", code=ErrorCode.SESSION_BUSY
            )
        held = False
        try:
            self._hold()
            held = True
            yield
        finally:
            self.turn.release()
            if held:
                self._resume_watching()

    def rescan(self) -> None:
        """What stands there counts as not seen before."""
        with self._seeing:
            self.standing.forget()
            self._settling.clear()
            self.calls.left()
            self._watch.forget()
        self._again()

    def message_sent(self, text: str) -> None:
        """A message left the composer: the CLI is at work on it, whatever the next screen shows."""
        with self._seeing:
            self.sent = text
            self._watch.sent(self._now())

    def message_delivery(self, text: str, journal: StepJournal) -> Delivery:
        """Return the way of a message into the composer."""
        return Delivery(
            self.pane,
            ComposerGuard(self.adapter, text, begun=self.leftover == text),
            lambda screen, progress: self.adapter.compose(text, screen, progress),
            journal,
            fate=lambda: self.fate,
            confirm=self.timings.message_leaves,
        )

    def draft_removal(self, text: str, journal: StepJournal) -> Delivery:
        """Return the way to take a message of ours out of the composer again."""
        return Delivery(
            self.pane,
            ComposerGuard(self.adapter, text, begun=True),
            lambda screen, progress: self.adapter.compose("", screen, progress),
            journal,
            fate=lambda: self.fate,
        )

    def refresh(self) -> None:
        """More is known of what stands there, or may come to stand there: look at it anew."""
        self._again()

    def rest(self, seconds: float) -> None:
        """Think of the queue again after so many seconds, not before."""
        self._rests_until = self._now() + seconds

    def _hold(self) -> None:
        with self._seeing:
            if self._closed:
                raise Conflict("the session has ended", code=ErrorCode.SESSION_ENDED)
            self._see(self.pane.look())
            self._delivering += 1

    def _resume_watching(self) -> None:
        with self._seeing:
            self._delivering -= 1
        self._again()

    # What a screen means

    def _see(self, screen: Screen) -> None:
        if screen.revision < self._revision:
            return  # its teller waited while a later one was looked at
        self._revision = screen.revision
        now = self._now()
        previous = self._watch.previous(screen, now)
        form = self.adapter.detect_prompt(screen)
        seen = self.adapter.detect_state(screen, previous)
        if form is None and unclear(seen):
            if self._away():
                self._watch.away()
                return
            seen = self._at_work() or seen
        sight = self._watch.see(screen, form, seen, now)
        with self._store.exclusive():
            unsettled = self._prompts(sight, now)
            self._state(sight.seen)
        self._look_again(min(filter(None, (sight.recheck, unsettled)), default=None))

    def _away(self) -> bool:
        """Whether the shell of an adopted pane is in front: what it shows is not the CLI's."""
        return not self.launched and not self.pane.runs_cli()

    def _at_work(self) -> SeenState | None:
        """Whether the CLI itself says that it is busy, though its screen explains nothing."""
        told = self.own_word()
        return SeenState(SessionState.BUSY) if told and told.state is SessionState.BUSY else None

    def _prompts(self, sight: Observation, now: float) -> float | None:
        """Return after how many seconds a prompt that is held back should be looked at again."""
        seen = sight.form
        new = sight.new and not (seen and self.standing.prompt and self.calls.goes_on(seen))
        if seen is None or new:
            self.standing.left()
            self._settling.clear()
        if seen is None:
            self.calls.left()
            return None
        form = self.calls.shown(seen, new=new)
        if new:
            self._settling.begin(now)
        if not self._settling.pending:
            self.standing.same(form)
            return None
        if (left := self._settling.remaining(seen, form, now)) > 0:
            return left
        self._settling.clear()
        if not (form.dialog and self.launched and self._dismiss(self, form)):
            self.standing.appeared(form)
        return None

    # State, deltas, and looking again

    def _state(self, seen: SeenState) -> None:
        self._store.touch(self.id)
        known = {"mode": seen.mode, "model": seen.model}
        changes = {name: value for name, value in known.items() if value}
        self._store.change_session(self.id, state=seen.state, **changes)
        self._deltas.tell(seen)
        self._was_busy |= seen.state is SessionState.BUSY

    def _look_again(self, recheck: float | None) -> None:
        self._stop_timer()
        if recheck is None and self._watch.seen.state is SessionState.IDLE:
            left = self.timings.calm - self._watch.idle_for(self._now())
            recheck = left if left > 0 else self._calm()
        if recheck is not None and not self._closed:
            self._timer = self._scheduler.call_later(max(recheck, SOONEST), self._again)

    def _again(self) -> None:
        try:
            with self._seeing:
                if not self._delivering and not self._closed:
                    self._see(self.pane.look())
        except ClawTapError as error:
            log.debug("could not look again: %s", error.message, extra={"session": self.id})
        except Exception:
            log.warning("could not look again", exc_info=True, extra={"session": self.id})

    def _calm(self) -> float | None:
        """The session has been idle for a moment; in how many seconds to look again, if at all."""
        if self._was_busy:
            self._was_busy = False
            self._store.commit([events.session_event("done", self.id, self._store.now())])
        if (
            self.calm_for < self.timings.calm
            or self.turn.locked()
            or not (self._store.queue(self.id) or self.leftover)
        ):
            return None
        if (left := self._rests_until - self._now()) > 0:
            return left
        threading.Thread(target=self._settled, args=(self,), daemon=True).start()
        return None

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
