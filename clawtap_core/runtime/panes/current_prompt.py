"""The prompt on a session's screen, kept in step with the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clawtap_core.model import Actor, Prompt, PromptForm, PromptState
from clawtap_core.runtime.panes.known_details import with_known
from clawtap_core.runtime.state.store import StateStore

DESK = Actor("someone", "desk")


class CurrentPrompt:
    """A session's prompt; it changes under the store's lock."""

    def __init__(
        self, store: StateStore, session_id: str, keys_count: float, now: Callable[[], float]
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._keys_count, self._now = keys_count, now
        self._keys_by: tuple[Actor, float] | None = None
        self.prompt = next(iter(store.open_prompts(session_id)), None)

    def appeared(self, form: PromptForm) -> None:
        """Open a prompt."""
        with self._store.exclusive():
            self.prompt = self._store.add_prompt(self._session_id, "terminal", form)

    def same(self, form: PromptForm) -> None:
        """Update the prompt to the latest screen."""
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
        """Credit the next outcome to this user, who pressed keys of the key pad."""
        self._keys_by = (actor, self._now())

    def left(self) -> None:
        """End the prompt, which left without an answer of ours."""
        by, at = self._keys_by or (DESK, 0.0)
        if self._keys_by and self._now() - at <= self._keys_count:
            self._end(PromptState.ANSWERED, by, "by keys on its screen")
        else:
            self._end(PromptState.ANSWERED_ELSEWHERE, DESK)

    def cancelled(self, reason: str) -> None:
        """Cancel the prompt of a CLI that is gone."""
        self._end(PromptState.CANCELLED, None, reason)

    def forget(self) -> None:
        """Forget the prompt, which its answer ended."""
        with self._store.exclusive():
            self.prompt = None

    def _end(self, outcome: PromptState, actor: Actor | None, detail: str | None = None) -> None:
        with self._store.exclusive():
            prompt, self.prompt = self.prompt, None
            if prompt:
                self._store.end_prompt(prompt.request_id, outcome, actor=actor, detail=detail)
