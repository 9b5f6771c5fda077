"""Sessions, prompts and queues in memory, with the events that the real agent side tells."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from clawtap_core.errors import ClawTapError
from clawtap_core.model import (
    Actor,
    Attachment,
    CheckState,
    Event,
    LiveCheckStatus,
    MachineStatus,
    Message,
    MessageMatch,
    Prompt,
    PromptForm,
    PromptState,
    QueuedMessage,
    Resolution,
    Response,
    Rule,
    Screen,
    SearchPage,
    Session,
    SessionMatch,
    SessionState,
    StepResult,
    StoredSession,
)
from clawtap_core.runtime.state.events import screen_changed
from clawtap_core.schemas import MessageSchema, dump
from clawtap_core.search.query import parse_query
from clawtap_core.search.snippet import snippet
from webdesk.samples import FORMS
from webdesk.transport import DeskTransport

PAINTED = Path(__file__).with_name("painted.ansi").read_text(encoding="utf-8")


class Desk:
    """Everything that is shared by all who look."""

    def __init__(self, epoch: str = "e1") -> None:
        self.epoch = epoch
        self.lock = threading.Condition()
        self._ids = itertools.count(1)
        self.reset()

    def reset(self) -> None:
        """An empty desk."""
        self.sessions: dict[str, Session] = {}
        self.prompts: dict[str, Prompt] = {}
        self.queues: dict[str, list[QueuedMessage]] = {}
        self.events: list[Event] = []
        self.screens: dict[str, Screen] = {}
        self.stored: list[StoredSession] = []
        self.missing: list[MachineStatus] = []
        self.talks: dict[str, list[Message]] = {}
        self.files: dict[str, list[Attachment]] = {}
        self.given = 0
        self.said: list[dict[str, Any]] = []
        self.installed = True
        self.checks: dict[str, LiveCheckStatus] = {}
        self.fail: ClawTapError | None = None
        self.delay = 0.0
        self.typed_at = 0.0
        self.rules: list[Rule] = []
        self.rules_problem: str | None = None
        self.allowed_before = 0

    def now(self) -> datetime:
        return datetime.now(timezone.utc)

    def check(
        self, adapter: str, state: CheckState, steps: Sequence[Sequence[str]] = (), **fields: Any
    ) -> LiveCheckStatus:
        """The live check of a CLI is so far, with these steps as (step, status, detail)."""
        known = self.checks.get(adapter)
        began_at = known.began_at if known else self.now()
        results = tuple(StepResult(*step) for step in steps)
        found = LiveCheckStatus(adapter, CheckState(state), began_at, steps=results, **fields)
        self.checks[adapter] = found
        return found

    def add(self, adapter: str = "gemini", title: str = "", **fields: Any) -> Session:
        """A session, ready to be asked in."""
        number = next(self._ids)
        session = Session(
            f"s{number}", adapter, fields.pop("channel", "terminal"),
            fields.pop("origin", "launched"),
            fields.pop("cwd", "/home/me/projects/shop"), title or f"{adapter} {number}",
            self.now(), self.now(), state=SessionState.IDLE, pane=f"%{number}", **fields,
        )  # fmt: skip
        self.screens[session.id] = Screen.from_text(
            PAINTED, cols=100, rows=26, title="◇  Ready (shop)"
        )
        self.keep(session)
        return session

    def keep(self, session: Session) -> Session:
        """Keep a session and tell of it."""
        with self.lock:
            counted = self.counted(session)
            self.sessions[session.id] = session
            self.tell("session_status", session.id, {"sessionId": session.id, **dump(counted)})
        return counted

    def counted(self, session: Session) -> Session:
        """A session with its numbers."""
        waits = [p for p in self.prompts.values() if p.session_id == session.id and p.state.open]
        state = SessionState.WAITING if waits else session.state
        return replace(
            session, pending=len(waits), queued=len(self.queues.get(session.id, [])), state=state
        )

    def ask(self, session_id: str, form: PromptForm | str, **fields: Any) -> Prompt:
        """Ask something."""
        form = FORMS[form] if isinstance(form, str) else form
        prompt = Prompt(f"r{next(self._ids)}", session_id, "terminal", form, self.now(), **fields)
        kind = "question_prompt" if form.kind.value == "question" else "approval_required"
        self.change(prompt, kind)
        self.keep(self.sessions[session_id])
        return prompt

    def change(self, prompt: Prompt, kind: str = "prompt_updated") -> Prompt:
        """Keep a prompt and tell of it."""
        with self.lock:
            self.prompts[prompt.request_id] = prompt
            self.tell(kind, prompt.session_id, dump(prompt))
        return prompt

    def resolve(
        self, request_id: str, outcome: PromptState, actor: Actor, response: Response | None = None,
        detail: str | None = None,
    ) -> Prompt:  # fmt: skip
        """End a prompt."""
        prompt = self.prompts[request_id]
        ended = Resolution(
            outcome, actor.by, actor.device, self.now(), response, detail, actor.device_id
        )
        done = self.change(replace(prompt, state=outcome, resolution=ended), "prompt_resolved")
        self.keep(self.sessions[prompt.session_id])
        return done

    def tell(
        self, kind: str, session_id: str | None, data: dict[str, Any], *, kept: bool = True
    ) -> None:
        """Tell everybody."""
        with self.lock:
            seq = sum(event.seq is not None for event in self.events) + 1 if kept else None
            self.events.append(Event(kind, self.now(), session_id, data, seq))
            self.lock.notify_all()

    def queue_changed(self, session_id: str) -> None:
        """Tell of a session's queue."""
        queue = [dump(message) for message in self.queues.get(session_id, [])]
        self.tell("queue_update", session_id, {"sessionId": session_id, "queue": queue})
        self.keep(self.sessions[session_id])

    def say(self, session_id: str, wire: dict[str, Any]) -> None:
        """Write a message into a session's transcript, and tell of it."""
        message = MessageSchema().load(wire)
        talk = self.talks.setdefault(session_id, [])
        talk[:] = [one for one in talk if one.id != message.id] + [message]
        data = {"sessionId": session_id, **dump(message)}
        self.tell("message", session_id, data, kept=False)

    def tell_stored(self, name: str, wire: dict[str, Any]) -> None:
        """Write a message into a stored conversation."""
        self.talks.setdefault(f"stored-{name}", []).append(MessageSchema().load(wire))

    def search(self, text: str, skip: int, limit: int) -> SearchPage:
        """Find sessions by title or folder, and messages by their text."""
        query, messages = parse_query(text), []
        names = {f"stored-{one.cli_session_id}": one for one in self.stored}
        for name, talk in self.talks.items():
            stored = names.get(name)
            for message in talk if stored else ():
                said = " ".join(block.text for block in message.content)
                if stored and query.is_in(said):
                    messages.append(
                        MessageMatch(
                            stored.adapter, stored.cli_session_id, message.id, message.role,
                            message.at or self.now(), stored.title or "", stored.cwd,
                            stored.session_id, snippet(said, query),
                        )
                    )  # fmt: skip
        sessions = [
            SessionMatch(
                one.adapter, one.title, one.last_activity, one.cwd, one.id, archived=one.archived
            )
            for one in self.sessions.values()
            if query.is_in(f"{one.title} {one.cwd}")
        ]  # fmt: skip
        messages.sort(key=lambda match: match.at, reverse=True)
        more = str(skip + limit) if len(messages) > skip + limit else None
        shown = tuple(messages[skip : skip + limit])
        return SearchPage(() if skip else tuple(sessions), shown, more)

    def paint(self, session_id: str, text: str, **facts: Any) -> None:
        """Show another screen, of the same size unless the facts say otherwise."""
        old = self.screens[session_id]
        same = {"cols": old.cols, "rows": old.rows, "title": old.title}
        new = Screen.from_text(text, **(same | facts))
        self.screens[session_id] = screen = replace(new, revision=old.revision + 1)
        with self.lock:
            self.events.append(screen_changed(session_id, screen, self.now()))
            self.lock.notify_all()

    def transport(self, actor: Actor) -> DeskTransport:
        """The desk on behalf of an actor."""
        return DeskTransport(self, actor)
