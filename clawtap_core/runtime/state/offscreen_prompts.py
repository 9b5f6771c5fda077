"""Prompts that no pane shows; each has a deadline, and an owner that takes the answer.

Protocols, waiting hooks and other programs ask like this. Prompts on panes are answered with
keys by `actions.answer`.
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
from clawtap_core.prompts.validation import FormCheck, any_form, is_denial
from clawtap_core.runtime.channel import TERMINAL
from clawtap_core.runtime.state.expiry import ExpiryTimer
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import DEFAULT_TIMINGS, Timings


class PromptOwner(Protocol):
    """The source of a prompt, which is called once with its outcome."""

    def answered(self, prompt: Prompt, response: Response) -> None:
        """Deliver a checked answer, and return when it is delivered.

        A ClawTapError keeps the prompt open, except NotConfirmed, after which it has failed.
        """

    def ended(self, prompt: Prompt) -> None:
        """Handle the end of an expired (`resolution.detail` says how) or cancelled prompt.

        The store's lock is held: do not wait.
        """


class OffscreenPrompts:
    """The prompts of all owners; `timeouts` in seconds by kind, 0 to wait indefinitely."""

    def __init__(
        self, store: StateStore, timeouts: Mapping[Kind, float], timings: Timings = DEFAULT_TIMINGS
    ) -> None:
        self._store = store
        self._timeouts = timeouts
        self._owners: dict[str, PromptOwner] = {}
        self._clock = ExpiryTimer(store, timings)
        store.subscribe(self._on_event)

    def start(self) -> None:
        """Start the timer, also for prompts from before a restart that have their owner again."""
        self._clock.wind()

    def ask(
        self,
        session_id: str,
        channel: str,
        form: PromptForm,
        owner: PromptOwner | None = None,
        *,
        seconds: float | None = None,
        default: str | None = None,
        happened: bool = True,
    ) -> Prompt:
        """Add a prompt; `seconds` replaces its kind's timeout, 0 to wait indefinitely.

        After that time it expires, or is answered by the valid `default`. One that has not
        `happened` yet is refused while the disk is full.

        Without an owner, the answer is only kept, to be read later.
        """
        store = self._store
        with store.exclusive():
            # Within the lock: nobody may answer the prompt before it has its owner.
            until = deadline(store.now(), self._seconds(form.kind, seconds))
            prompt = store.add_prompt(session_id, channel, form, until, default, happened=happened)
            if owner:
                self._owners[prompt.request_id] = owner
        self._clock.wind()
        return prompt

    def take(self, request_id: str, owner: PromptOwner) -> None:
        """Set the owner of a prompt that was open at a restart."""
        with self._store.exclusive():
            self._owners[request_id] = owner

    def answer(
        self, prompt: Prompt, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Deliver an answer to its owner and return the resolved prompt; the first answer wins."""
        with self._store.exclusive():
            if not fits(self._store.find_prompt(prompt.request_id).form):
                raise Conflict(
                    "the prompt changed before it was answered", code=ErrorCode.PROMPT_CHANGED
                )
            prompt, response = self._store.begin_answer(prompt.request_id, response, actor)
            owner = self._owners.get(prompt.request_id)
        try:
            if owner:
                # Outside the lock, since an owner may wait for its CLI.
                owner.answered(prompt, response)
        except NotConfirmed as error:
            self._conclude(prompt, PromptState.FAILED, error.message)
            raise
        except BaseException:
            self._store.release_prompt(prompt.request_id)
            self._clock.wind()
            raise
        denied = is_denial(prompt.form, response)
        return self._conclude(prompt, PromptState.DENIED if denied else PromptState.ANSWERED)

    def extend(self, name: str, seconds: float | None = None) -> Prompt:
        """Extend a prompt by seconds from now (0: indefinitely), by default its kind's timeout.

        A prompt on a pane never expires: it would stay on the screen while no page shows it.
        """
        store = self._store
        with store.exclusive():
            prompt = store.find_prompt(name)
            if not prompt.state.open:
                raise Conflict(
                    f"this prompt is no longer open: {prompt.state.value}",
                    code=ErrorCode.PROMPT_ENDED,
                )
            if prompt.channel == TERMINAL:
                return prompt
            until = deadline(store.now(), self._seconds(prompt.form.kind, seconds))
            prompt = store.extend_prompt(prompt.request_id, until)
        self._clock.wind()
        return prompt

    def close(self) -> None:
        """Stop the timer; open prompts stay open."""
        self._clock.close()

    def _seconds(self, kind: Kind, override: float | None) -> float:
        return self._timeouts.get(kind, 0.0) if override is None else override

    def _conclude(self, prompt: Prompt, outcome: PromptState, detail: str | None = None) -> Prompt:
        with self._store.exclusive():
            if self._store.find_prompt(prompt.request_id).state.open:
                self._owners.pop(prompt.request_id, None)
                return self._store.end_prompt(prompt.request_id, outcome, detail=detail)
            # The CLI withdrew it while the answer was on its way.
            ended = self._store.find_prompt(prompt.request_id)
        raise Conflict(
            f"the prompt ended before the answer arrived: {ended.state.value.replace('_', ' ')}",
            code=ErrorCode.PROMPT_CHANGED,
            details={"requestId": ended.request_id, "state": ended.state.value},
        )

    def _on_event(self, event: Event, session: Session) -> None:
        if event.type == "prompt_resolved":
            request_id = event.data["requestId"]
            if owner := self._owners.pop(request_id, None):
                owner.ended(self._store.find_prompt(request_id))
