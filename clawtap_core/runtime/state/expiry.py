"""The timer that expires prompts at their deadlines."""

from __future__ import annotations

import logging
import threading

from clawtap_core.model import BY_DEFAULT, Actor, PromptState
from clawtap_core.prompts.deadlines import default_message, timeout_message
from clawtap_core.prompts.default_answers import default_response
from clawtap_core.prompts.validation import is_denial
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Timings

log = logging.getLogger(__name__)
CLOCK = Actor("clawtap", "clock")


class ExpiryTimer:
    """A timer that expires prompts in a thread, started with the first deadline."""

    def __init__(self, store: StateStore, timings: Timings) -> None:
        self._store = store
        self._timings = timings
        self._changed = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def wind(self) -> None:
        """Look at the deadlines again."""
        with self._starting:
            if self._closed:
                return
            if self._thread is None and self._store.next_deadline():
                self._thread = threading.Thread(target=self._run, name="clawtap-clock", daemon=True)
                self._thread.start()
        self._changed.set()

    def close(self) -> None:
        """Stop; no prompt expires any more."""
        with self._starting:
            self._closed = True
        self._changed.set()
        if self._thread:
            self._thread.join(2)

    def _run(self) -> None:
        while not self._closed:
            self._changed.wait(self._seconds_left())
            self._changed.clear()
            try:
                if not self._closed:
                    self._expire()
            except Exception:
                log.warning("prompts could not be expired", exc_info=True)
                self._changed.wait(self._timings.expiry_retry)

    def _expire(self) -> None:
        """End the prompts whose deadline has passed, by their default answer if they have one."""
        store = self._store
        with store.exclusive():
            for prompt in store.expired_prompts():
                outcome, why, actor = PromptState.EXPIRED, timeout_message(prompt), CLOCK
                if prompt.default is not None:
                    response = default_response(prompt.form, prompt.default, prompt.request_id)
                    actor = Actor(BY_DEFAULT, CLOCK.device)
                    _, response = store.begin_answer(prompt.request_id, response, actor)
                    denied = is_denial(prompt.form, response)
                    outcome = PromptState.DENIED if denied else PromptState.ANSWERED
                    why = default_message(prompt)
                store.end_prompt(prompt.request_id, outcome, actor=actor, detail=why)

    def _seconds_left(self) -> float | None:
        if (moment := self._store.next_deadline()) is None:
            return None
        left = (moment - self._store.now()).total_seconds()
        return min(max(left, 0.0), self._timings.expiry_longest)
