"""The states of all prompts: a pure machine, with clock and ids injected.

pending → answering → answered | denied | answered_elsewhere | expired | cancelled | failed

The owner serialises the calls; nothing here waits or writes. The first answer wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from clawtap_core.errors import Conflict, ErrorCode, NotFound
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import Actor, Prompt, PromptForm, PromptState, Resolution, Response
from clawtap_core.model.moments import wire_time
from clawtap_core.prompts.secret_answers import without_secret_answers

REMEMBERED = 1000
_BY_ANSWER = (PromptState.ANSWERED, PromptState.DENIED, PromptState.FAILED)


class Broker:
    """Hold the open prompts and the most recently ended ones.

    `lookup` finds older ones in the journal, so that a late answer learns the outcome.
    """

    def __init__(
        self,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        lookup: Callable[[str], Prompt | None] = lambda name: None,
    ) -> None:
        self._now = now
        self._new_id = new_id
        self._lookup = lookup
        self._open: dict[str, Prompt] = {}
        self._ended: LimitedDict[str, Prompt] = LimitedDict(REMEMBERED)
        self._answers: dict[str, tuple[Response, Actor]] = {}

    def recover(self, prompts: Iterable[Prompt]) -> None:
        """Recover prompts that were open when the process ended."""
        self._open.update({prompt.request_id: prompt for prompt in prompts})

    def appear(
        self,
        session_id: str,
        channel: str,
        form: PromptForm,
        expires_at: datetime | None = None,
        default: str | None = None,
    ) -> Prompt:
        """Open a new prompt, with a new id."""
        prompt = Prompt(
            self._new_id(),
            session_id,
            channel,
            form,
            self._now(),
            expires_at=expires_at,
            default=default,
        )
        self._open[prompt.request_id] = prompt
        return prompt

    def update(self, request_id: str, form: PromptForm) -> Prompt:
        """Replace the form of an open prompt."""
        return self._keep(replace(self._open[request_id], form=form))

    def forget(self, request_id: str) -> None:
        """Drop a prompt that could not be stored."""
        self._open.pop(request_id, None)

    def extend(self, request_id: str, expires_at: datetime | None) -> Prompt:
        """Set a new deadline; None waits indefinitely."""
        return self._keep(replace(self._open[request_id], expires_at=expires_at))

    def begin(self, prompt: Prompt, response: Response, actor: Actor) -> Prompt:
        """Claim the prompt for this answer; raise Conflict if it is taken or ended."""
        current = self.find(prompt.request_id)
        if current.state is PromptState.ANSWERING:
            _, other = self._answers[current.request_id]
            raise Conflict(
                f"{other.by} ({other.device}) is answering this prompt now",
                code=ErrorCode.ALREADY_ANSWERING,
                details={"by": other.by, "device": other.device},
            )
        if not current.state.open:
            raise _ended(current)
        self._answers[current.request_id] = (response, actor)
        return self._keep(replace(current, state=PromptState.ANSWERING))

    def release(self, request_id: str) -> Prompt:
        """Return the prompt to pending, since nothing was typed."""
        self._answers.pop(request_id, None)
        return self._keep(replace(self._open[request_id], state=PromptState.PENDING))

    def resolve(
        self,
        request_id: str,
        outcome: PromptState,
        *,
        actor: Actor | None = None,
        detail: str | None = None,
    ) -> Prompt:
        """End the prompt, with the actor and response of `begin` unless `actor` is passed."""
        prompt = self._open.pop(request_id)
        response, answerer = self._answers.pop(request_id, (None, actor or Actor("clawtap", "-")))
        by = actor or answerer
        # A prompt that ended in another way, such as at the desk, discards the answer under way.
        ours = response if outcome in _BY_ANSWER else None
        kept = without_secret_answers(prompt.form, ours) if ours else None
        resolution = Resolution(outcome, by.by, by.device, self._now(), kept, detail, by.device_id)
        ended = replace(prompt, state=outcome, resolution=resolution)
        self._ended[request_id] = ended
        return ended

    def expired(self) -> list[Prompt]:
        """Return the pending prompts whose deadline has passed."""
        now = self._now()
        return [prompt for moment, prompt in self._deadlines() if moment <= now]

    def next_deadline(self) -> datetime | None:
        """Return the earliest deadline."""
        return min((moment for moment, _ in self._deadlines()), default=None)

    def open(self, session_id: str | None = None) -> list[Prompt]:
        """Return the open prompts, oldest first."""
        prompts = [p for p in self._open.values() if session_id in (None, p.session_id)]
        return sorted(prompts, key=lambda prompt: prompt.created_at)

    def count(self, session_id: str) -> int:
        """Return how many prompts of a session are open."""
        return sum(prompt.session_id == session_id for prompt in self._open.values())

    def find(self, name: str, session_id: str | None = None) -> Prompt:
        """Return a prompt by requestId or toolCallId, open or ended, or raise NotFound."""
        prompt = self._by_name(name, session_id) or self._lookup(name)
        if prompt is None or session_id not in (None, prompt.session_id):
            raise NotFound(f"no such prompt: {name!r}", code=ErrorCode.PROMPT_NOT_FOUND)
        return prompt

    def _by_name(self, name: str, session_id: str | None) -> Prompt | None:
        if prompt := self._open.get(name) or self._ended.get(name):
            return prompt
        # A CLI may use the id of a call again: the latest prompt is meant.
        for group in (self._open, self._ended):
            for prompt in reversed([*group.values()]):
                if prompt.form.tool_call_id == name and session_id in (None, prompt.session_id):
                    return prompt
        return None

    def _deadlines(self) -> list[tuple[datetime, Prompt]]:
        # A prompt does not expire while an answer to it is being delivered.
        waiting = (p for p in self._open.values() if p.state is PromptState.PENDING)
        return [(prompt.expires_at, prompt) for prompt in waiting if prompt.expires_at]

    def _keep(self, prompt: Prompt) -> Prompt:
        self._open[prompt.request_id] = prompt
        return prompt


def _ended(prompt: Prompt) -> Conflict:
    resolution = prompt.resolution
    if resolution is None:
        return Conflict("this prompt is no longer open", code=ErrorCode.ALREADY_ANSWERED)
    response = resolution.response
    chosen = response.selected_option if response else None
    what = f" with {chosen}" if chosen else ""
    return Conflict(
        f"this prompt was {prompt.state.value.replace('_', ' ')} by {resolution.by}"
        f" ({resolution.device}){what} at {resolution.at:%H:%M:%S} UTC",
        code=ErrorCode.ALREADY_ANSWERED,
        details={
            "state": prompt.state.value,
            "by": resolution.by,
            "device": resolution.device,
            "at": wire_time(resolution.at),
            "selectedOption": chosen,
        },
    )
