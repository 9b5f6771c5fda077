"""From an answer to its outcome: taken once, journalled, typed, seen."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core.agent import events
from clawtap_core.agent.delivery import Delivered, Delivery
from clawtap_core.agent.guards import PromptGuard
from clawtap_core.agent.ledger import Ledger
from clawtap_core.agent.live import LiveSession
from clawtap_core.answers import checked
from clawtap_core.errors import ClawTapError, Conflict, Impossible, NotConfirmed
from clawtap_core.model import Actor, Effect, Prompt, PromptForm, PromptState, Response, Step

log = logging.getLogger(__name__)
TURN = 15.0
CONFIRM = 10.0
"""How long the outcome of a deciding key is waited for, in seconds."""


def answer(
    ledger: Ledger, live: LiveSession | None, prompt: Prompt, response: Response, actor: Actor
) -> Prompt:
    """Deliver an answer; the resolved prompt.

    Raises BadRequest or Impossible for an answer that does not fit, Conflict when somebody was
    first or the prompt changed (nothing was typed), NotConfirmed when the outcome was not seen.
    """
    with ledger.lock:
        prompt = ledger.broker.find(prompt.request_id)
        if prompt.state is PromptState.PENDING:
            response = checked(prompt.form, response)
            if live is None:
                raise Conflict("the session is not running", code="session_ended")
        taken = ledger.broker.begin(prompt, response, actor)
    assert live is not None  # noqa: S101 - an open prompt of a session that is not live ends above
    return _Answering(ledger, live, taken, response).run()


@dataclass
class _Answering:
    """One answer on its way. Whatever happens, the prompt is resolved or waits again."""

    ledger: Ledger
    live: LiveSession
    prompt: Prompt
    response: Response
    delivery: Delivery | None = None
    ended: Prompt | None = None

    def run(self) -> Prompt:
        if not self.live.turn.acquire(timeout=TURN):
            self._release()
            raise Conflict("something else is being typed into this session", code="session_busy")
        self.live.hold()
        try:
            outcome = self._deliver()
            self._conclude(outcome)
        except BaseException as error:
            self._broken_off(error)
            raise
        finally:
            self.live.turn.release()
            self.live.let_go(prompt_ended=self.ended is not None)
        if self.ended is None:
            raise self._refused(outcome)
        if outcome is Delivered.NOT_CONFIRMED:
            raise NotConfirmed(
                "the answer was typed, but the prompt did not leave the screen in time;"
                " look at the screen before you answer again",
                details={"requestId": self.prompt.request_id},
            )
        return self.ended

    def _deliver(self) -> Delivered:
        form, adapter = self.prompt.form, self.live.adapter
        self.delivery = Delivery(
            self.live.pane,
            PromptGuard(adapter, form, self.response.selected_option),
            lambda screen, progress: adapter.respond(form, self.response, screen, progress),
            self._journal,
            confirm=CONFIRM,
        )
        return self.delivery.run()

    def _journal(self, steps: Sequence[Step]) -> None:
        """Write the steps before the first key: a restart then knows what may have been typed."""
        event = events.updated(self.prompt, self.ledger.now(), steps)
        self.ledger.write([event], keep=[self.prompt])

    def _conclude(self, outcome: Delivered) -> None:
        if outcome is Delivered.DONE:
            self._resolve(self._outcome())
        elif outcome is Delivered.NOT_CONFIRMED:
            self._resolve(PromptState.FAILED, "the outcome was not seen in time")
        else:
            self._release()

    def _broken_off(self, error: BaseException) -> None:
        if self.ended:
            return
        if self.delivery and self.delivery.decided:
            self._resolve(PromptState.FAILED, f"broken off: {error}")
        else:
            self._release()

    def _outcome(self) -> PromptState:
        option = self.prompt.form.option(self.response.selected_option or "")
        denied = self.response.decision == "deny" or (option and option.effect is Effect.DENY)
        return PromptState.DENIED if denied else PromptState.ANSWERED

    def _resolve(self, outcome: PromptState, detail: str | None = None) -> None:
        with self.ledger.lock:
            self.ended = self.ledger.broker.resolve(self.prompt.request_id, outcome, detail=detail)
            self.ledger.write([events.resolved(self.ended, self.ledger.now())], keep=[self.ended])

    def _release(self) -> None:
        with self.ledger.lock:
            current = self.ledger.broker.find(self.prompt.request_id)
            if current.state is not PromptState.ANSWERING:
                return
            waiting = self.ledger.broker.release(self.prompt.request_id)
            if self.delivery and self.delivery.typed:
                self.ledger.write([events.updated(waiting, self.ledger.now())], keep=[waiting])

    def _refused(self, outcome: Delivered) -> ClawTapError:
        if outcome is Delivered.IMPOSSIBLE:
            return Impossible(
                f"{self.live.adapter.info.name} cannot be answered like this here",
                code="cannot_answer",
            )
        if outcome is Delivered.STUCK:
            return NotConfirmed(
                "the screen did not do as expected, and nothing was decided; the prompt waits on",
                code="not_delivered",
            )
        return self._changed()

    def _changed(self) -> Conflict:
        """Nothing was decided: the prompt is not the one that was seen."""
        now = self.ledger.broker.find(self.prompt.request_id)
        gone = "; it was answered elsewhere" if not now.state.open else ""
        return Conflict(
            f"the prompt changed before the answer was typed{gone}; nothing was decided",
            code="prompt_changed",
            details={"requestId": now.request_id, "state": now.state.value},
        )


def dismissal(form: PromptForm, *, trust_folders: str) -> str | None:
    """The option that settings or custom give to a start-up dialog without asking."""
    if form.dialog == "folder-trust":
        trusted = form.with_effect(Effect.ALLOW_ALWAYS) or form.with_effect(Effect.ALLOW_ONCE)
        return trusted.value if trusted and trust_folders == "always" else None
    return form.dismiss


def put_away(ledger: Ledger, live: LiveSession, form: PromptForm, option: str) -> None:
    """Answer a start-up dialog by itself; one that stays becomes a prompt."""
    response = Response("", selected_option=option)
    adapter = live.adapter
    with live.turn:
        live.hold()
        try:
            outcome = Delivery(
                live.pane,
                PromptGuard(adapter, form, option),
                lambda screen, progress: adapter.respond(form, response, screen, progress),
                lambda steps: ledger.write(
                    [
                        events.noted(
                            "dialog_dismissed",
                            live.id,
                            ledger.now(),
                            dialog=form.dialog,
                            option=option,
                            steps=events.described(steps),
                        )
                    ]
                ),
            ).run()
            log.info("dialog %s: %s", form.dialog, outcome.value, extra={"session": live.id})
        finally:
            live.let_go(prompt_ended=True)
