"""One terminal session while it runs: its screens become prompts, states and deltas."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from clawtap_core.agent import events
from clawtap_core.agent.known import with_known
from clawtap_core.agent.ledger import Ledger
from clawtap_core.fingerprint import squeeze
from clawtap_core.host import Adapter
from clawtap_core.model import (
    Actor,
    Prompt,
    PromptForm,
    PromptState,
    Screen,
    SeenState,
    Session,
    SessionState,
)
from clawtap_core.sessions import Sight, Watch
from clawtap_core.terminal.api import Pane, Terminal

log = logging.getLogger(__name__)
DESK = Actor("someone", "desk")
CALM = 0.3
KEYS_COUNT = 3.0
"""A prompt that leaves this many seconds after somebody's keys was answered by them."""


class LiveSession:
    """A session's pane, its adapter, and what stands on its screen.

    `settled` is called (in a thread of its own) when the session has been idle with an empty
    composer for a moment; `dismiss` when a start-up dialog that can be put away appears, and
    says whether it takes it; `over` when the pane is gone.
    """

    def __init__(
        self,
        session: Session,
        adapter: Adapter,
        ledger: Ledger,
        *,
        settled: Callable[[LiveSession], None],
        dismiss: Callable[[LiveSession, PromptForm], bool],
        over: Callable[[LiveSession, str], None],
    ) -> None:
        self.id = session.id
        self.launched = session.origin == "launched"
        self.adapter = adapter
        self.turn = threading.Lock()
        self.leftover = ""
        self._ledger = ledger
        self._settled, self._dismiss, self._over = settled, dismiss, over
        self._seeing = threading.RLock()
        self._timer: threading.Timer | None = None
        self._prompt = next(iter(ledger.broker.open(session.id)), None)
        self._watch = Watch(time.monotonic(), self._prompt.form if self._prompt else None)
        self._streaming = SeenState(SessionState.STARTING)
        self._was_busy = False
        self._keys_by: tuple[Actor, float] | None = None
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
            raise RuntimeError("the session's pane is not watched yet")
        return self._pane

    @property
    def seen(self) -> SeenState:
        """The state last seen."""
        return self._watch.seen

    @property
    def calm_for(self) -> float:
        """For how many seconds the session has been idle, with nothing of the desk's typed."""
        draft = self._watch.seen.draft
        mine = draft is not None and squeeze(draft) in ("", squeeze(self.leftover))
        return self._watch.idle_for(time.monotonic()) if mine else 0.0

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that stands there."""
        return self._prompt

    def close(self) -> None:
        """Stop watching; the pane stays."""
        self._closed = True
        self._stop_timer()
        if self._pane:
            self._pane.close()

    # What the terminal tells

    def screen_changed(self, screen: Screen) -> None:
        """The pane shows something new."""
        if self._ledger.stream.watches_screen(self.id):
            self._ledger.say(events.screen_changed(self.id, screen, self._ledger.now()))
        with self._seeing:
            if not self._delivering and not self._closed:
                self._see(screen)

    def gone(self, reason: str, last: Screen | None) -> None:
        """The pane closed, or its CLI exited."""
        with self._seeing:
            self._closed = True
            self._stop_timer()
            self._end_prompt(PromptState.CANCELLED, detail=reason)
        self._over(self, reason)

    # While something is typed, the delivery reads the screen itself

    def hold(self) -> None:
        """Screens are not looked at until `let_go`: a delivery does."""
        with self._seeing:
            self._delivering += 1

    def let_go(self, *, prompt_ended: bool = False) -> None:
        """The delivery is over; look at what stands there now."""
        with self._seeing:
            self._delivering -= 1
            if prompt_ended:
                self._prompt = None
                self._watch.forget()
            if not self._closed and not self._delivering:
                self._see(self.pane.look())

    def keys_pressed(self, actor: Actor) -> None:
        """Somebody pressed keys of the key pad: what they bring about is theirs."""
        self._keys_by = (actor, time.monotonic())

    # What a screen means

    def _see(self, screen: Screen) -> None:
        now = time.monotonic()
        previous = self._watch.previous(screen, now)
        form = self.adapter.detect_prompt(screen)
        seen = self.adapter.detect_state(screen, previous)
        sight = self._watch.see(screen, form, seen, now)
        with self._ledger.lock:
            self._prompts(sight)
            self._state(sight.seen)
        self._look_again(sight.recheck)

    def _prompts(self, sight: Sight) -> None:
        form = sight.form
        if form is None or sight.new:
            self._left()
        if form is not None and sight.new:
            self._appeared(form)
        elif form is not None and self._prompt:
            self._same(self._prompt, form)

    def _appeared(self, form: PromptForm) -> None:
        if form.dialog and self.launched and self._dismiss(self, form):
            return
        self._prompt = self._ledger.broker.appear(self.id, "terminal", form)
        self._ledger.write([events.appeared(self._prompt, self._ledger.now())], keep=[self._prompt])

    def _same(self, prompt: Prompt, form: PromptForm) -> None:
        form = with_known(form, prompt.form)
        if replace(form, top=None) != replace(prompt.form, top=None):
            self.update(form)

    def update(self, form: PromptForm) -> Prompt | None:
        """More is known of the prompt that stands there."""
        with self._ledger.lock:
            if self._prompt is None:
                return None
            self._prompt = self._ledger.broker.update(self._prompt.request_id, form)
            self._ledger.write(
                [events.updated(self._prompt, self._ledger.now())], keep=[self._prompt]
            )
            return self._prompt

    def _left(self) -> None:
        by, at = self._keys_by or (DESK, 0.0)
        if self._keys_by and time.monotonic() - at <= KEYS_COUNT:
            self._end_prompt(PromptState.ANSWERED, by, "by keys on its screen")
        else:
            self._end_prompt(PromptState.ANSWERED_ELSEWHERE, DESK)

    def _end_prompt(
        self, outcome: PromptState, actor: Actor | None = None, detail: str | None = None
    ) -> None:
        with self._ledger.lock:
            prompt, self._prompt = self._prompt, None
            if prompt and self._ledger.broker.find(prompt.request_id).state.open:
                ended = self._ledger.broker.resolve(
                    prompt.request_id, outcome, actor=actor, detail=detail
                )
                self._ledger.write([events.resolved(ended, self._ledger.now())], keep=[ended])

    # State, deltas, and looking again

    def _state(self, seen: SeenState) -> None:
        self._ledger.touch(self.id)
        changes = {"state": seen.state}
        known = {"mode": seen.mode, "model": seen.model}
        changes |= {name: value for name, value in known.items() if value}  # type: ignore[misc]
        self._ledger.change_session(self.id, **changes)
        self._deltas(seen)
        self._was_busy |= seen.state is SessionState.BUSY

    def _deltas(self, seen: SeenState) -> None:
        for kind, old, new in (
            ("text_delta", self._streaming.streaming, seen.streaming),
            ("thinking", self._streaming.thinking, seen.thinking),
        ):
            if new and new != old:
                delta = new[len(old) :] if new.startswith(old) else None
                data = {"text": new} if delta is None else {"text": new, "delta": delta}
                self._ledger.say(events.noted(kind, self.id, self._ledger.now(), **data))
        self._streaming = seen

    def _look_again(self, recheck: float | None) -> None:
        self._stop_timer()
        if recheck is None and (calm := self.calm_for) > 0:
            recheck = CALM - calm
        if recheck is not None and recheck <= 0:
            self._calm()
        elif recheck is not None and not self._closed:
            self._timer = threading.Timer(max(recheck, 0.01), self._again)
            self._timer.daemon = True
            self._timer.start()

    def _again(self) -> None:
        try:
            screen = self.pane.look()
            with self._seeing:
                if not self._delivering and not self._closed:
                    self._see(screen)
        except Exception:
            log.warning("could not look again", exc_info=True, extra={"session": self.id})

    def _calm(self) -> None:
        if self._was_busy:
            self._was_busy = False
            self._ledger.write([events.noted("done", self.id, self._ledger.now())])
        if self._ledger.queue(self.id):
            threading.Thread(target=self._settled, args=(self,), daemon=True).start()

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
