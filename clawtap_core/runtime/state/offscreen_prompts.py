"""Prompts that no pane shows: who asked takes the answer, and time counts (rule 8).

The machine protocols, hooks that wait, and other programs ask like this. Prompts on panes are
answered by `answering`, with keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from clawtap_core.errors import Conflict, ErrorCode, NotConfirmed
from clawtap_core.model import (
    Actor,
    Event,
    Kind,
    Prompt,
    PromptForm,
    PromptState,
    Response,
    Session,
)
from clawtap_core.prompts.deadlines import deadline
from clawtap_core.prompts.validation import is_denial
from clawtap_core.runtime.state.expiry import ExpiryTimer
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, Timings


class PromptOwner(Protocol):
    """Who asked: it takes what becomes of its prompt, once."""

    def answered(self, prompt: Prompt, response: Response) -> None:
        """Deliver a checked answer; return when it is delivered.

        A ClawTapError says that it was not: the prompt waits on, or, after NotConfirmed, failed.
        """

    def ended(self, prompt: Prompt) -> None:
        """The prompt ended otherwise: expired (`resolution.detail` is the message), cancelled.

        The store's lock is held: hand it on, and do not wait.
        """


class OffscreenPrompts:
    """The prompts of all takers. `timeouts`: seconds for each kind of prompt, 0 for ever."""

    def __init__(
        self, store: StateStore, timeouts: Mapping[Kind, float], timings: Timings = DEFAULT_TIMINGS
    ) -> None:
        self._store = store
        self._timeouts = timeouts
        self._takers: dict[str, PromptOwner] = {}
        self._clock = ExpiryTimer(store, timings)
        store.subscribe(self._on_event)

    def start(self) -> None:
        """Let time count: also for what was asked before a restart, and has its taker again."""
        self._clock.wind()

    def ask(
        self,
        session_id: str,
        channel: str,
        form: PromptForm,
        taker: PromptOwner | None = None,
        *,
        seconds: float | None = None,
    ) -> Prompt:
        """A new prompt. `seconds`: another time than its kind has, 0 for ever.

        Without a taker, its answer is only kept, for who comes to read it.
        """
        store = self._store
        with store.exclusive():
            until = deadline(store.now(), self._seconds(form.kind, seconds))
            prompt = store.add_prompt(session_id, channel, form, until)
            if taker:
                self._takers[prompt.request_id] = taker
        self._clock.wind()
        return prompt

    def take(self, request_id: str, taker: PromptOwner) -> None:
        """Who takes the answer of a prompt that was open at a restart."""
        with self._store.exclusive():
            self._takers[request_id] = taker

    def answer(self, prompt: Prompt, response: Response, actor: Actor) -> Prompt:
        """Take an answer to its taker; the resolved prompt. The first one wins."""
        with self._store.exclusive():
            prompt, response = self._store.begin_answer(prompt.request_id, response, actor)
            taker = self._takers.get(prompt.request_id)
        try:
            if taker:
                taker.answered(prompt, response)
        except NotConfirmed as error:
            self._conclude(prompt, PromptState.FAILED, error.message)
            raise
        except BaseException:
            self._release(prompt)
            raise
        denied = is_denial(prompt.form, response)
        return self._conclude(prompt, PromptState.DENIED if denied else PromptState.ANSWERED)

    def extend(self, name: str, seconds: float | None = None) -> Prompt:
        """Let a prompt wait for so many seconds from now, 0 for ever; else as long as its kind."""
        store = self._store
        with store.exclusive():
            prompt = store.find_prompt(name)
            if not prompt.state.open:
                raise Conflict(
                    f"this prompt is no longer open: {prompt.state.value}",
                    code=ErrorCode.PROMPT_ENDED,
                )
            until = deadline(store.now(), self._seconds(prompt.form.kind, seconds))
            prompt = store.extend_prompt(prompt.request_id, until)
        self._clock.wind()
        return prompt

    def close(self) -> None:
        """Stop the clock; what is open waits on."""
        self._clock.close()

    def _seconds(self, kind: Kind, override: float | None) -> float:
        return self._timeouts.get(kind, 0.0) if override is None else override

    def _conclude(self, prompt: Prompt, outcome: PromptState, detail: str | None = None) -> Prompt:
        with self._store.exclusive():
            if self._store.find_prompt(prompt.request_id).state.open:
                self._takers.pop(prompt.request_id, None)
                return self._store.end_prompt(prompt.request_id, outcome, detail=detail)
            now = self._store.find_prompt(prompt.request_id)
        raise Conflict(
            f"the prompt ended before the answer arrived: {now.state.value.replace('_', ' ')}",
            code=ErrorCode.PROMPT_CHANGED,
            details={"requestId": now.request_id, "state": now.state.value},
        )

    def _release(self, prompt: Prompt) -> None:
        self._store.release_prompt(prompt.request_id)
        self._clock.wind()

    def _on_event(self, event: Event, session: Session) -> None:
        """Tell an owner whose prompt ended by anything but its answer."""
        if event.type == "prompt_resolved":
            request_id = event.data["requestId"]
            if owner := self._takers.pop(request_id, None):
                owner.ended(self._store.find_prompt(request_id))
