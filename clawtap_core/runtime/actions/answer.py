"""Answer a prompt: accept one answer, journal it, deliver it, and wait for its outcome."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible, NotConfirmed
from clawtap_core.model import (
    Actor,
    Prompt,
    PromptForm,
    PromptState,
    Response,
    Screen,
    Step,
    Steps,
)
from clawtap_core.prompts.labels import indistinct_label
from clawtap_core.prompts.validation import FormCheck, any_form, is_denial
from clawtap_core.runtime.actions.answer_by_hook import HookDelivery, took_this_answer
from clawtap_core.runtime.delivery.api import Delivered
from clawtap_core.runtime.delivery.executor import Delivery, reason_withheld
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.panes.known_details import with_known
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.panes.tool_calls import Call
from clawtap_core.runtime.state.store import StateStore

_Delivery: TypeAlias = "Delivery | HookDelivery | None"


def answer(
    store: StateStore,
    session: PaneSession | None,
    prompt: Prompt,
    response: Response,
    actor: Actor,
    fits: FormCheck = any_form,
) -> Prompt:
    """Deliver an answer and return the resolved prompt; `fits` is checked again before each key.

    Raises BadRequest or Impossible for an answer that does not fit, Conflict if another answer was
    first or the prompt changed (nothing was typed), NotConfirmed when the outcome was not seen.
    """
    taken, response = store.begin_answer(prompt.request_id, response, actor)
    if session is None:
        store.release_prompt(taken.request_id)
        raise Conflict("the session has ended; nothing was typed", code=ErrorCode.SESSION_ENDED)
    return _Answer(store, session, taken, response, fits).deliver()


@dataclass(frozen=True)
class _Answer:
    """An accepted answer. Whatever happens, its prompt is resolved or waits again."""

    store: StateStore
    session: PaneSession
    prompt: Prompt
    response: Response
    fits: FormCheck

    def deliver(self) -> Prompt:
        delivery: _Delivery = None
        outcome, ended = Delivered.CHANGED, None
        # A shared server that is being asked about this prompt takes the answer without a key.
        self.session.calls.wait_until_settled(self.session.timings.daemon_joins)
        try:
            with self.session.typing():
                try:
                    for delivery in self._deliveries():
                        outcome = delivery.run()
                        if not delivery.unheard:
                            break
                finally:
                    ended = self._conclude(delivery, outcome)
        except BaseException as error:
            if ended is None and not (delivery and delivery.decided):
                self.store.release_prompt(self.prompt.request_id)
            if ended is None or not isinstance(error, ClawTapError):
                raise
        if ended is None:
            raise self._refused(delivery, outcome)
        if ended.state is PromptState.FAILED:
            raise NotConfirmed(
                "the answer was sent, but the prompt did not leave the screen in time;"
                " check the screen before you answer again",
                details={"requestId": self.prompt.request_id},
            )
        return ended

    def _deliveries(self) -> Iterator[Delivery | HookDelivery]:
        """Yield the ways to deliver this answer, the surest first: a waiting hook, then keys."""
        session, form = self.session, self.prompt.form
        if session.prompt is None or session.prompt.request_id != self.prompt.request_id:
            return
        if call := session.awaited_call():
            carried = call.held and call.held.carries(session.adapter, form, self.response)
            if call.held and carried is not None:
                journal = functools.partial(
                    self.store.record_delivery, self.prompt.request_id, via=call.held.via
                )
                yield HookDelivery(session, self._guard(), call, carried, journal, self._allows)
        begun, call = time.time(), session.calls.current
        seen = session.sighting.form if session.sighting else form

        def concluded() -> bool:
            # The transcript may report the call only now, after an equal earlier one.
            asked = call or session.calls.current
            return session.calls.ended_since(begun, seen, asked) is not None

        time.sleep(max(0.0, session.keys_taken_in))
        guard = self._guard()
        yield session.delivery(
            guard,
            self._next_keys,
            self._journal,
            concluded=concluded,
            confirm=session.timings.answer_leaves,
            taken=lambda delivery: self._was_taken(delivery, call, seen, guard.desk_draft),
        )

    def _next_keys(self, screen: Screen, progress: Any) -> Steps | None:
        form = self.prompt.form
        label = indistinct_label(form, self.response)
        if label is not None:
            return Steps(refused=f"its screen shows {label!r} more than once; choose there")
        return self.session.adapter.respond(form, self.response, screen, progress)

    def _guard(self) -> PromptGuard:
        # What is on the screen decides, not what else is known of the prompt.
        sighting = self.session.sighting
        return PromptGuard(
            self.session.adapter,
            sighting.form if sighting else self.prompt.form,
            self.response.selected_option,
            sighting=sighting,
            answer_text=self.response.text_value or self.response.reason or "",
            fits=any_form if self.fits is any_form else self._fits_now,
            pages=self.prompt.form.questions,
            timings=self.session.timings,
        )

    def _fits_now(self, seen: PromptForm) -> bool:
        """Return True if the answer fits the screen, with all that is known of its call."""
        whole = self.session.calls.shown(seen, new=False)
        current = self.session.prompt
        return self.fits(with_known(whole, current.form if current else self.prompt.form))

    def _journal(self, steps: Sequence[Step], *, withheld: str = "") -> None:
        # Before the first key: a restart then knows what may have been typed.
        self.store.record_delivery(self.prompt.request_id, steps=steps, withheld=withheld)

    @property
    def _allows(self) -> bool:
        return not is_denial(self.prompt.form, self.response)

    def _was_taken(
        self, delivery: Delivery, call: Call | None, seen: PromptForm, desk_draft: str
    ) -> bool:
        """Return True if it was our key that ended the prompt, and not one from the desk."""
        session = self.session
        current, desk_keys = session.current_prompt, session.pane.desk_keys
        typed = delivery.contested or current.somebody_typed(desk_keys)
        if len(delivery.key) == 1 and session.composer.take_out(
            session.pane,
            delivery.key,
            wait=typed,
            contested=delivery.contested or current.typed_lately(desk_keys),
            desk_draft=desk_draft,
        ):
            return False
        if not typed or seen.questions:
            return True

        def find_call() -> Call | None:
            # Some CLIs write a call down only once it was answered.
            since = current.appeared_at
            return call if call and call.concluded else session.calls.ended_since(since, seen)

        # Words in place of an option are feedback: the call does not run.
        response = self.response
        gives_feedback = response.text_value is not None and response.selected_option is None
        return took_this_answer(session, find_call, allows=self._allows and not gives_feedback)

    def _conclude(self, delivery: _Delivery, outcome: Delivered) -> Prompt | None:
        """Record the outcome, even after an error; return the prompt if it ended."""
        request_id = self.prompt.request_id
        # DONE alone says that a prompt is over, not that anything was decided.
        if delivery and delivery.decided:
            chosen = PromptState.ANSWERED if self._allows else PromptState.DENIED
            # A CLI that exits when it is refused may say so by its status: it does nothing more.
            may_exit = not self._allows or self.session.adapter.info.may_exit_when_answered
            seen = outcome is Delivered.DONE or (outcome is Delivered.GONE and may_exit)
            if self.response.reason and self._tells_where_it_went(delivery):
                # A reason that the CLI's own field took must not be sent as a message, too.
                form = self.store.find_prompt(request_id).form
                taken = delivery.reason_given
                self.store.update_prompt(request_id, replace(form, takes_reason=taken))
            ended = self.store.end_prompt(
                request_id,
                chosen if seen else PromptState.FAILED,
                detail=None if seen else "the outcome was not seen in time",
            )
            self.session.rescan()
            return ended
        if delivery and delivery.crossed:
            who, why = self.session.current_prompt.who_answered(self.session.pane.desk_keys)
            elsewhere = PromptState.ANSWERED_ELSEWHERE
            self.store.end_prompt(request_id, elsewhere, actor=who, detail=why)
            self.session.rescan()
        else:
            self.store.release_prompt(request_id, announce=bool(delivery and delivery.journalled))
        return None

    def _tells_where_it_went(self, delivery: Delivery | HookDelivery) -> bool:
        """Return True if the delivery knows better than the prompt where the reason went."""
        # The field that a prompt announces is for a refusal: an approval says what it did.
        if delivery.reason_given or delivery.reason_left or self._allows:
            return True
        # A prompt may announce it only while keys without the reason are on their way.
        announced = self.prompt.form.takes_reason
        return isinstance(delivery, Delivery) and not (announced or delivery.wrote_text)

    def _refused(self, delivery: _Delivery, outcome: Delivered) -> ClawTapError:
        withheld = reason_withheld(delivery) if isinstance(delivery, Delivery) else ""
        if outcome is Delivered.IMPOSSIBLE:
            return Impossible(
                f"{self.session.adapter.info.name} cannot be given this answer here",
                code=ErrorCode.CANNOT_ANSWER,
            )
        if outcome is Delivered.REFUSED and isinstance(delivery, Delivery):
            return Impossible(
                f"{self.session.adapter.info.name} does not take this answer: {delivery.refused};"
                " nothing was decided, and the prompt is still open",
                code=ErrorCode.CANNOT_ANSWER,
            )
        if outcome in (Delivered.STUCK, Delivered.DONE):
            return NotConfirmed(
                "the screen did not react as expected and nothing was decided"
                f"{withheld}; the prompt is still open",
                code=ErrorCode.NOT_DELIVERED,
            )
        now = self.store.find_prompt(self.prompt.request_id)
        if delivery and delivery.crossed:
            why = "the prompt left at the same moment: it was answered in the terminal, or stopped"
        else:
            gone = "" if now.state.open else f"; it was {now.state.value.replace('_', ' ')}"
            why = "the prompt changed before the answer was typed"
            why += f"{gone}; nothing was decided{withheld}"
        return Conflict(
            why,
            code=ErrorCode.PROMPT_CHANGED,
            details={"requestId": now.request_id, "state": now.state.value},
        )
