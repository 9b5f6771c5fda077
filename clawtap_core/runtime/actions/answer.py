"""From an answer to its outcome: taken once, journalled, typed, seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible, NotConfirmed
from clawtap_core.model import Actor, Prompt, PromptState, Response, Step
from clawtap_core.prompts.validation import is_denial
from clawtap_core.runtime.actions.answer_by_hook import HookDelivery
from clawtap_core.runtime.delivery.executor import Delivered, Delivery, reason_withheld
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.panes.current_prompt import DESK
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore


def answer(
    store: StateStore, live: PaneSession | None, prompt: Prompt, response: Response, actor: Actor
) -> Prompt:
    """Deliver an answer; the resolved prompt.

    Raises BadRequest or Impossible for an answer that does not fit, Conflict when somebody was
    first or the prompt changed (nothing was typed), NotConfirmed when the outcome was not seen.
    """
    taken, response = store.begin_answer(prompt.request_id, response, actor)
    if live is None:
        store.release_prompt(taken.request_id)
        raise Conflict("the session is not running", code=ErrorCode.SESSION_ENDED)
    return _Answering(store, live, taken, response).run()


@dataclass
class _Answering:
    """One answer on its way. Whatever happens, the prompt is resolved or waits again."""

    store: StateStore
    live: PaneSession
    prompt: Prompt
    response: Response
    delivery: Delivery | HookDelivery | None = None
    written: bool = False
    ended: Prompt | None = None
    _via: str = "hook"

    def run(self) -> Prompt:
        outcome = Delivered.CHANGED
        try:
            with self.live.typing():
                try:
                    outcome = self._deliver()
                finally:
                    self._conclude(outcome)
        except BaseException as error:
            self._release()
            if self.ended is None or not isinstance(error, ClawTapError):
                raise
        if self.ended is None:
            raise self._refused(outcome)
        if self.ended.state is PromptState.FAILED:
            raise NotConfirmed(
                "the answer was typed, but the prompt did not leave the screen in time;"
                " check the screen before you answer again",
                details={"requestId": self.prompt.request_id},
            )
        return self.ended

    def _deliver(self) -> Delivered:
        standing = self.live.prompt
        if standing is None or standing.request_id != self.prompt.request_id:
            return Delivered.CHANGED
        if self._by_hook():
            outcome = self.delivery.run() if self.delivery else Delivered.CHANGED
            if not (isinstance(self.delivery, HookDelivery) and self.delivery.unheard):
                return outcome
        form, adapter, call = self.prompt.form, self.live.adapter, self.live.calls.standing
        self.delivery = delivery = Delivery(
            self.live.pane,
            self._guard(),
            lambda screen, progress: adapter.respond(form, self.response, screen, progress),
            self._journal,
            fate=lambda: self.live.fate,
            concluded=lambda: call is not None and call.concluded,
            confirm=self.live.timings.answer_leaves,
        )
        outcome = delivery.run()
        undecided = outcome is Delivered.DONE and not delivery.decided
        return Delivered.STUCK if undecided else outcome

    def _guard(self) -> PromptGuard:
        """What is on the screen decides: not what is known beside."""
        sighting = self.live.sighting
        seen = sighting.form if sighting else self.prompt.form
        option = self.response.selected_option
        answer_text = self.response.text_value or self.response.reason or ""
        return PromptGuard(
            self.live.adapter, seen, option, sighting=sighting, answer_text=answer_text
        )

    def _by_hook(self) -> bool:
        """Whether a hook waits for this answer, and can carry it: then no key is typed."""
        live, call = self.live, self.live.calls.standing
        if call is None or call.held is None or not call.held.waits:
            return False
        answer = call.held.carries(live.adapter, self.prompt.form, self.response)
        if answer is None:
            return False
        self._via = call.held.via
        self.delivery = HookDelivery(
            live.pane,
            self._guard(),
            call,
            answer,
            self._journal_hook,
            lambda screen: live.adapter.detect_state(screen, None),
            lambda: live.fate,
            allows=not is_denial(self.prompt.form, self.response),
            confirm=self.live.timings.answer_leaves,
        )
        return True

    def _journal(self, steps: Sequence[Step], *, withheld: str = "") -> None:
        """Write the steps before the first key: a restart then knows what may have been typed."""
        self.written = True
        self.store.record_delivery(self.prompt.request_id, steps=steps, withheld=withheld)

    def _journal_hook(self) -> None:
        self.written = True
        self.store.record_delivery(self.prompt.request_id, via=self._via)

    def _conclude(self, outcome: Delivered) -> None:
        """Say what became of it; also of an answer that an error broke off."""
        decided = self.delivery is not None and self.delivery.decided
        chosen = self._outcome()
        # A CLI that exits when it is refused may say so by its status: it does nothing any more.
        left = outcome is Delivered.GONE and chosen is PromptState.DENIED
        if decided and (outcome is Delivered.DONE or left):
            self._end(chosen)
        elif decided:
            self._end(PromptState.FAILED, "the outcome was not seen in time")
        elif isinstance(self.delivery, HookDelivery) and self.delivery.crossed:
            elsewhere = PromptState.ANSWERED_ELSEWHERE
            self.store.end_prompt(self.prompt.request_id, elsewhere, actor=DESK)
            self.live.rescan()
        else:
            self._release()

    def _outcome(self) -> PromptState:
        denied = is_denial(self.prompt.form, self.response)
        return PromptState.DENIED if denied else PromptState.ANSWERED

    def _end(self, outcome: PromptState, detail: str | None = None) -> None:
        self.ended = self.store.end_prompt(self.prompt.request_id, outcome, detail=detail)
        self.live.rescan()

    def _release(self) -> None:
        if self.delivery is None or not self.delivery.decided:
            self.store.release_prompt(self.prompt.request_id, announce=self.written)

    def _refused(self, outcome: Delivered) -> ClawTapError:
        if outcome is Delivered.IMPOSSIBLE:
            return Impossible(
                f"{self.live.adapter.info.name} cannot be given this answer here",
                code=ErrorCode.CANNOT_ANSWER,
            )
        if outcome is Delivered.STUCK:
            return NotConfirmed(
                "the screen did not react as expected and nothing was decided"
                f"{self._withheld()}; the prompt is still open",
                code=ErrorCode.NOT_DELIVERED,
            )
        return self._changed()

    def _withheld(self) -> str:
        """What the error says of keys that a guard kept back."""
        delivery = self.delivery
        return reason_withheld(delivery) if isinstance(delivery, Delivery) else ""

    def _changed(self) -> Conflict:
        """Nothing was decided: the prompt is not the one that was seen."""
        now = self.store.find_prompt(self.prompt.request_id)
        if isinstance(self.delivery, HookDelivery) and self.delivery.crossed:
            return Conflict(
                "somebody at the terminal answered at the same moment, or stopped the call",
                code=ErrorCode.PROMPT_CHANGED,
                details={"requestId": now.request_id, "state": now.state.value},
            )
        gone = "" if now.state.open else f"; it was {now.state.value.replace('_', ' ')}"
        return Conflict(
            f"the prompt changed before the answer was typed{gone}; nothing was decided"
            f"{self._withheld()}",
            code=ErrorCode.PROMPT_CHANGED,
            details={"requestId": now.request_id, "state": now.state.value},
        )
