"""The prompt that stands on a session's screen, as broker, journal and stream know it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clawtap_core.model import Actor, Prompt, PromptForm, PromptState
from clawtap_core.runtime.panes.known_details import with_known
from clawtap_core.runtime.state.store import StateStore

DESK = Actor("someone", "desk")


class CurrentPrompt:
    """One session's prompt: it appears, changes and leaves under the store's lock."""

    def __init__(
        self, store: StateStore, session_id: str, keys_count: float, now: Callable[[], float]
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._keys_count, self._now = keys_count, now
        self._keys_by: tuple[Actor, float] | None = None
        self.prompt = next(iter(store.open_prompts(session_id)), None)

    def appeared(self, form: PromptForm) -> None:
        """A question was seen for the first time."""
        with self._store.exclusive():
            self.prompt = self._store.add_prompt(self._session_id, "terminal", form)

    def same(self, form: PromptForm) -> None:
        """The same question, as it looks now."""
        with self._store.exclusive():
            if self.prompt is None:
                return
            form = with_known(form, self.prompt.form)
            if replace(form, top=None) != replace(self.prompt.form, top=None):
                self.update(self.prompt.request_id, form)

    def update(self, request_id: str, form: PromptForm) -> Prompt | None:
        """More is known of this prompt; None when it stands there no more."""
        with self._store.exclusive():
            if self.prompt is None or self.prompt.request_id != request_id:
                return None
            if not self._store.find_prompt(request_id).state.open:
                return None
            self.prompt = self._store.update_prompt(request_id, form)
            return self.prompt

    def keys_pressed(self, actor: Actor) -> None:
        """Somebody pressed keys of the key pad: what they bring about is theirs."""
        self._keys_by = (actor, self._now())

    def left(self) -> None:
        """The question is gone, and not by an answer of ours."""
        by, at = self._keys_by or (DESK, 0.0)
        if self._keys_by and self._now() - at <= self._keys_count:
            self._end(PromptState.ANSWERED, by, "by keys on its screen")
        else:
            self._end(PromptState.ANSWERED_ELSEWHERE, DESK)

    def cancelled(self, reason: str) -> None:
        """The CLI is gone, and its question with it."""
        self._end(PromptState.CANCELLED, None, reason)

    def forget(self) -> None:
        """The prompt was ended by its answer."""
        with self._store.exclusive():
            self.prompt = None

    def _end(self, outcome: PromptState, actor: Actor | None, detail: str | None = None) -> None:
        with self._store.exclusive():
            prompt, self.prompt = self.prompt, None
            if prompt:
                self._store.end_prompt(prompt.request_id, outcome, actor=actor, detail=detail)
