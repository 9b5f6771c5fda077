"""The prompt on a session's screen, kept in step with the store."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from clawtap_core.model import Actor, Kind, Prompt, PromptForm, PromptState
from clawtap_core.runtime.panes.known_details import with_known
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.terminal.api import DeskKeys

DESK = Actor("someone", "desk")
_UNKNOWN = Actor("unknown", "elsewhere")
# In seconds; when a terminal typed is known to the second.
_LATELY = 3.0


@dataclass(frozen=True)
class _Keys:
    """Keys of ours that answer no prompt by themselves; `action` is empty for the key pad.

    `desk_keys` are those that others had sent by then.
    """

    actor: Actor | None
    action: str
    at: float
    desk_keys: DeskKeys


class CurrentPrompt:
    """A session's prompt; it changes under the store's lock."""

    def __init__(
        self, store: StateStore, session_id: str, keys_count: float, now: Callable[[], float]
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._keys_count, self._now = keys_count, now
        self._keys: _Keys | None = None
        self._appeared: tuple[DeskKeys, float] | None = None
        self._appeared_on_clock = float("-inf")
        self.prompt = next(iter(store.open_prompts(session_id)), None)

    def appeared(self, form: PromptForm, desk_keys: DeskKeys) -> None:
        """Open a prompt."""
        with self._store.exclusive():
            self._appeared, self._appeared_on_clock = (desk_keys, time.time()), self._now()
            self.prompt = self._store.add_prompt(self._session_id, "terminal", form)

    def same(self, form: PromptForm, *, resized: bool = True) -> None:
        """Update the prompt to the latest screen, in a pane `resized` since one showed it whole."""
        with self._store.exclusive():
            if self.prompt is None:
                return
            form = with_known(form, self.prompt.form, resized=resized)
            if _without_place(form) != _without_place(self.prompt.form):
                self.update(self.prompt.request_id, form)

    def update(self, request_id: str, form: PromptForm) -> Prompt | None:
        """Update the prompt with what has become known; None if it has left the screen."""
        with self._store.exclusive():
            if self.prompt is None or self.prompt.request_id != request_id:
                return None
            if not self._store.find_prompt(request_id).state.open:
                return None
            self.prompt = self._store.update_prompt(request_id, form)
            return self.prompt

    def keys_pressed(self, desk_keys: DeskKeys, actor: Actor | None, action: str = "") -> None:
        """Credit the next outcome to this user: to keys of the key pad, or to another action."""
        self._keys = _Keys(actor, action, self._now(), desk_keys)

    def left(
        self, desk_keys: DeskKeys, seen: PromptForm | None = None, *, explained: bool = True
    ) -> None:
        """End the prompt, which left without an answer of ours; now `seen` is on the screen.

        It may still wait behind a screen that is not `explained`.
        """
        outcome, actor, detail = self._how_it_left(desk_keys)
        if outcome is PromptState.ANSWERED_ELSEWHERE and not explained:
            outcome, actor, detail = PromptState.CANCELLED, None, "nothing shows why it left"
        elif outcome is PromptState.ANSWERED_ELSEWHERE and self._is_unread():
            # A list that somebody opened and closed asked nothing.
            outcome, actor = PromptState.CANCELLED, DESK if actor is DESK else None
            detail = "its screen was closed, and nothing shows whether it asked anything"
        page = self.prompt.form.position if self.prompt else None
        if page and seen and page.index in seen.unanswered:
            outcome, detail = PromptState.CANCELLED, "left unanswered for another page of its form"
        self._end(outcome, actor, detail)

    def _is_unread(self) -> bool:
        return self.prompt is not None and self.prompt.form.kind is Kind.UNKNOWN

    def _how_it_left(self, desk_keys: DeskKeys) -> tuple[PromptState, Actor | None, str | None]:
        elsewhere = (PromptState.ANSWERED_ELSEWHERE, *self.who_answered(desk_keys))
        keys = self._keys
        if keys is None or self._now() - keys.at > self._keys_count:
            return elsewhere
        before = keys.desk_keys
        typed = desk_keys.count != before.count or desk_keys.typed_at > before.typed_at
        # Keys from before the prompt may end it; if somebody typed since, it may be the desk's.
        if keys.at <= self._appeared_on_clock and typed:
            return elsewhere
        if keys.action:
            return PromptState.CANCELLED, keys.actor, f"ended by {keys.action}"
        return PromptState.ANSWERED, keys.actor, "by keys on its screen"

    def who_answered(self, desk_keys: DeskKeys) -> tuple[Actor, str | None]:
        """Return who ended a prompt that no key of ours ended, and why that is not known."""
        somebody = self.somebody_typed(desk_keys)
        return (DESK, None) if somebody else (_UNKNOWN, "nothing shows who answered")

    @property
    def appeared_at(self) -> float:
        """When the prompt appeared, in seconds since 1970; 0 before a restart."""
        return self._appeared[1] if self._appeared else 0.0

    def somebody_typed(self, desk_keys: DeskKeys) -> bool:
        """Return True if others typed since the prompt appeared."""
        if self._appeared is None:  # before a restart
            return self.prompt is not None and (
                desk_keys.typed_at >= self.prompt.created_at.timestamp()
            )
        before, at = self._appeared
        return desk_keys.count != before.count or desk_keys.typed_at >= int(at)

    def typed_lately(self, desk_keys: DeskKeys) -> bool:
        """Return True if others typed since the prompt appeared, and a moment ago if at all known.

        What an attached terminal typed as it appeared would have ended it long before.
        """
        counted = self._appeared is not None and desk_keys.count != self._appeared[0].count
        lately = time.time() - desk_keys.typed_at < _LATELY
        return self.somebody_typed(desk_keys) and (counted or lately)

    def cancelled(self, reason: str) -> None:
        """Cancel the prompt, which cannot be answered any more for this reason."""
        self._end(PromptState.CANCELLED, None, reason)

    def forget(self) -> None:
        """Forget the prompt, which its answer ended."""
        with self._store.exclusive():
            # The CLI has read the keys that came before those of the answer.
            self.prompt = self._keys = None

    def _end(self, outcome: PromptState, actor: Actor | None, detail: str | None = None) -> None:
        with self._store.exclusive():
            prompt, self.prompt = self.prompt, None
            if prompt:
                self._store.end_prompt(prompt.request_id, outcome, actor=actor, detail=detail)


def _without_place(form: PromptForm) -> PromptForm:
    """Return the prompt without what changes while it stays the same."""
    return replace(form, top=None, unanswered=())
