"""The news of one session since its last notice, and the notices made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from clawtap_core.commands import headline
from clawtap_core.model import Event, Notice, Prompt, PromptState, Session
from clawtap_core.model.ansi import printable_line
from clawtap_core.schemas import load
from clawtap_core.server.notices.shown_notices import ShownNotice

_PROMPT_OPENED = frozenset(("approval_required", "question_prompt"))
LONGEST_LINE = 240
_LIMITED = "Limit reached: "
_OUTCOMES = {
    PromptState.DENIED.value: "Denied",
    PromptState.ANSWERED_ELSEWHERE.value: "Answered at the desk",
    PromptState.EXPIRED.value: "Nobody answered in time",
    PromptState.CANCELLED.value: "Withdrawn",
    PromptState.FAILED.value: "Not confirmed",
}


@dataclass
class SessionNews:
    """The open prompts of a session by request id, the end of its turn, and what was sent.

    `since` is the time of the oldest news that was not sent yet, or None.
    """

    session: Session
    titles: dict[str, str] = field(default_factory=dict)
    turn_end: str = ""
    last_outcome: str = ""
    since: float | None = None
    at: datetime | None = None
    shown: bool = False
    summarised: bool = False
    notified: frozenset[str] = frozenset()

    def record(self, event: Event, now: float) -> None:
        """Record an event of the session."""
        data = event.data
        self.at = event.at
        if event.type in _PROMPT_OPENED:
            self.titles[str(data["requestId"])] = _line(headline(load(Prompt, data)))
            self.turn_end = self.last_outcome = ""
            self.since = now if self.since is None else self.since
        elif event.type == "prompt_resolved":
            self.titles.pop(str(data["requestId"]), None)
            self.last_outcome = _outcome(data.get("resolution") or {})
            self.since = self.since if self.titles else None
        elif event.type in ("done", "session_error"):
            self.since = now if self.since is None else self.since
            self.turn_end = _turn_end(event, self.turn_end)

    def recover(self, prompts: Iterable[Prompt], shown: ShownNotice | None, since: float) -> None:
        """Record the prompts that waited before a restart, and the notice that was shown then.

        What that notice did not tell counts as news of `since`.
        """
        self.titles = {prompt.request_id: _line(headline(prompt)) for prompt in prompts}
        if shown:
            self.notified = shown.request_ids
            self.shown, self.summarised = not shown.in_summary, shown.in_summary
        self.since = since if self.unsent_prompts else None

    @property
    def shown_notice(self) -> ShownNotice | None:
        """The notice of prompts that stands on the user's devices."""
        on_devices = self.shown or self.summarised
        return ShownNotice(self.notified, self.summarised) if on_devices else None

    @property
    def unsent_prompts(self) -> bool:
        """Whether the open prompts differ from those of the last notice."""
        return bool(self.titles) and frozenset(self.titles) != self.notified

    @property
    def fewer(self) -> bool:
        """Whether the last notice is shown, and some of its prompts have ended."""
        return self.shown and frozenset(self.titles) < self.notified

    @property
    def answered(self) -> bool:
        """Whether all prompts of a notice that is shown have ended."""
        return not self.titles and self.shown

    def sent(self, *, in_summary: bool = False) -> None:
        """Record that a notice of the open prompts, or of the turn's end, was sent."""
        self.shown = bool(self.titles) and not in_summary
        self.summarised = bool(self.titles) and in_summary
        self.notified, self.turn_end, self.since = frozenset(self.titles), "", None

    def prompt_notice(
        self, at: datetime, waiting: int, prompt: Prompt | None, detail: str
    ) -> Notice:
        """Return the notice of the open prompts; `prompt` is the only one, if it could be read."""
        first = next(iter(self.titles))
        body = self.titles[first]
        if len(self.titles) > 1:
            body = f"{len(self.titles)} questions need you: {body}"
        return Notice(
            "prompts",
            self.tag,
            self.heading,
            body[:LONGEST_LINE],
            f"/sessions/{self.session.id}#prompt-{first}",
            at,
            self.session,
            prompt.request_id if prompt else None,
            detail,
            silent=self.fewer,
            waiting=waiting,
        )

    def turn_notice(self, at: datetime, waiting: int) -> Notice:
        """Return the notice of a turn that ended."""
        path = f"/sessions/{self.session.id}"
        body = self.turn_end[:LONGEST_LINE]
        return Notice(
            "turns", self.tag, self.heading, body, path, at, self.session, waiting=waiting
        )

    def withdrawal(self, at: datetime, waiting: int) -> Notice:
        """Return the notice that takes the last one back."""
        path, body = f"/sessions/{self.session.id}", self.last_outcome or "Answered"
        return Notice(
            "withdrawn", self.tag, self.heading, body, path, at, self.session,
            silent=True, waiting=waiting,
        )  # fmt: skip

    @property
    def tag(self) -> str:
        """The tag of this session's notices."""
        return f"session-{self.session.id}"

    @property
    def heading(self) -> str:
        """The title of this session's notices."""
        return _line(self.session.title) or "ClawTap"


def _line(text: str) -> str:
    # A CLI's words may hold escape sequences, which a phone would show.
    return printable_line(text, LONGEST_LINE)


def _turn_end(event: Event, before: str) -> str:
    error = _line(str(event.data.get("error") or "something went wrong"))
    if event.type == "done":
        return before if before.startswith(_LIMITED) else "Finished"
    limited = event.data.get("code") == "usage_limit"
    return f"{_LIMITED if limited else 'Failed: '}{error}"


def _outcome(resolution: dict[str, str]) -> str:
    words = _OUTCOMES.get(str(resolution.get("outcome")), "Answered")
    device = _line(str(resolution.get("device") or ""))
    elsewhere = resolution.get("outcome") in (None, PromptState.ANSWERED_ELSEWHERE.value)
    if elsewhere and resolution.get("by") == "unknown":
        return "No longer waiting"
    by_user = resolution.get("by") == "user" and device and not elsewhere
    return f"{words} from {device}" if by_user else words
