"""Prompts that no pane shows: who asked takes the answer, and time counts (rule 8).

The machine protocols, hooks that wait, and other programs ask like this. Prompts on panes are
answered by `answering`, with keys.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol

from clawtap_core.agent import events
from clawtap_core.agent.clock import Clock
from clawtap_core.agent.ledger import Ledger
from clawtap_core.answers import checked, refuses
from clawtap_core.deadlines import deadline
from clawtap_core.errors import Conflict, NotConfirmed
from clawtap_core.model import Actor, Kind, Prompt, PromptForm, PromptState, Response

log = logging.getLogger(__name__)


class Taker(Protocol):
    """Who asked: it takes what becomes of its prompt, once."""

    def answered(self, prompt: Prompt, response: Response) -> None:
        """Deliver a checked answer; return when it is delivered.

        A ClawTapError says that it was not: the prompt waits on, or, after NotConfirmed, failed.
        """

    def ended(self, prompt: Prompt) -> None:
        """The prompt ended otherwise: expired (`resolution.detail` is the message), cancelled.

        The ledger's lock is held: hand it on, and do not wait.
        """


class Asked:
    """The prompts of all takers. `timeouts`: seconds for each kind of prompt, 0 for ever."""

    def __init__(self, ledger: Ledger, timeouts: Mapping[Kind, float]) -> None:
        self._ledger = ledger
        self._timeouts = timeouts
        self._takers: dict[str, Taker] = {}
        self._clock = Clock(ledger)
        ledger.on_end = self._ended

    def start(self) -> None:
        """Let time count: also for what was asked before a restart, and has its taker again."""
        self._clock.wind()

    def ask(
        self,
        session_id: str,
        channel: str,
        form: PromptForm,
        taker: Taker | None = None,
        *,
        seconds: float | None = None,
    ) -> Prompt:
        """A new prompt. `seconds`: another time than its kind has, 0 for ever.

        Without a taker, its answer is only kept, for who comes to read it.
        """
        ledger = self._ledger
        with ledger.lock:
            until = deadline(ledger.now(), self._seconds(form.kind, seconds))
            prompt = ledger.broker.appear(session_id, channel, form, until)
            if taker:
                self._takers[prompt.request_id] = taker
            try:
                ledger.write([events.appeared(prompt, ledger.now())], keep=[prompt])
            except BaseException:
                self._takers.pop(prompt.request_id, None)
                ledger.broker.forget(prompt.request_id)
                raise
        self._clock.wind()
        return prompt

    def take(self, request_id: str, taker: Taker) -> None:
        """Who takes the answer of a prompt that was open at a restart."""
        with self._ledger.lock:
            self._takers[request_id] = taker

    def answer(self, prompt: Prompt, response: Response, actor: Actor) -> Prompt:
        """Take an answer to its taker; the resolved prompt. The first one wins."""
        with self._ledger.lock:
            prompt = self._ledger.broker.find(prompt.request_id)
            if prompt.state is PromptState.PENDING:
                response = checked(prompt.form, response)
            prompt = self._ledger.broker.begin(prompt, response, actor)
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
        denied = refuses(prompt.form, response)
        return self._conclude(prompt, PromptState.DENIED if denied else PromptState.ANSWERED)

    def extend(self, name: str, seconds: float | None = None) -> Prompt:
        """Let a prompt wait for so many seconds from now, 0 for ever; else as long as its kind."""
        ledger = self._ledger
        with ledger.lock:
            prompt = ledger.broker.find(name)
            if not prompt.state.open:
                raise Conflict(
                    f"this prompt is no longer open: {prompt.state.value}", code="prompt_ended"
                )
            until = deadline(ledger.now(), self._seconds(prompt.form.kind, seconds))
            prompt = ledger.broker.extend(prompt.request_id, until)
            ledger.write([events.updated(prompt, ledger.now())], keep=[prompt])
        self._clock.wind()
        return prompt

    def close(self) -> None:
        """Stop the clock; what is open waits on."""
        self._clock.close()

    def _seconds(self, kind: Kind, wanted: float | None) -> float:
        return self._timeouts.get(kind, 0.0) if wanted is None else wanted

    def _conclude(self, prompt: Prompt, outcome: PromptState, detail: str | None = None) -> Prompt:
        with self._ledger.lock:
            if self._ledger.broker.find(prompt.request_id).state.open:
                self._takers.pop(prompt.request_id, None)
                return self._ledger.end_prompt(prompt.request_id, outcome, detail=detail)
            now = self._ledger.find_prompt(prompt.request_id)
        raise Conflict(
            f"the prompt ended before the answer arrived: {now.state.value.replace('_', ' ')}",
            code="prompt_changed",
            details={"requestId": now.request_id, "state": now.state.value},
        )

    def _release(self, prompt: Prompt) -> None:
        with self._ledger.lock:
            if self._ledger.broker.find(prompt.request_id).state.open:
                self._ledger.broker.release(prompt.request_id)
        self._clock.wind()

    def _ended(self, prompt: Prompt) -> None:
        """What ends by `_conclude` has no taker any more; all else is told."""
        taker = self._takers.pop(prompt.request_id, None)
        if taker:
            try:
                taker.ended(prompt)
            except Exception:
                log.warning("who asked could not be told", exc_info=True)
