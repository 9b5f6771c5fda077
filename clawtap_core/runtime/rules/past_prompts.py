"""The ended prompts of the journal, each with its call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clawtap_core.errors import BadRequest
from clawtap_core.model import Effect, Event, Kind, Prompt, PromptState
from clawtap_core.rules import ToolCall, read_call
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.schemas import load

_PAGE = 500


@dataclass(frozen=True, slots=True)
class PastPrompt:
    """An ended permission, and what it asked for."""

    prompt: Prompt
    call: ToolCall

    @property
    def allowed_by_a_person(self) -> bool:
        """Whether a person chose to allow it."""
        ended = self.prompt.resolution
        if ended is None or ended.outcome is not PromptState.ANSWERED or ended.by != "user":
            return False
        option = self.prompt.form.option((ended.response and ended.response.selected_option) or "")
        return option is not None and option.effect in (Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS)


class PastPrompts:
    """Reads on from where it stopped."""

    def __init__(self, store: StateStore, after: int = 0) -> None:
        self._store = store
        self._after = after
        # A session that was removed is known by its events only.
        self._sessions: dict[str, tuple[str, str]] = {}

    def read(self) -> Iterator[PastPrompt]:
        """Yield the permissions that ended since the last call, oldest first."""
        for session in self._store.sessions():
            self._sessions[session.id] = (session.adapter, session.cwd)
        while page := self._store.journal.read(self._after, _PAGE):
            self._after = page[-1].seq or self._after
            for event in page:
                if event.type == "session_status" and event.session_id:
                    known = (str(event.data.get("adapter", "")), str(event.data.get("cwd", "")))
                    self._sessions[event.session_id] = known
                elif past := self._past(event):
                    yield past

    def _past(self, event: Event) -> PastPrompt | None:
        if event.type != "prompt_resolved" or event.data.get("type") != Kind.PERMISSION.value:
            return None
        try:
            prompt = load(Prompt, event.data)
        except BadRequest:  # written by another version
            return None
        adapter, folder = self._sessions.get(prompt.session_id, ("", ""))
        return PastPrompt(prompt, read_call(prompt.form, adapter, folder))
