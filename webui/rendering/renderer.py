"""The partials: the same ones for the first page and for live events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from clawtap_core.model import Event, Prompt, QueuedMessage, Session, SessionState, Snapshot
from clawtap_core.model.event_types import STREAMED_TEXTS
from clawtap_core.schemas import load
from clawtap_core.schemas.text_checks import well_formed
from webui.assets.brands import css_class, mark
from webui.markup.diffs import Change
from webui.markup.sanitizer import rich_while_written
from webui.rendering.lookup import Lookup
from webui.viewmodels.event_fields import event_fields
from webui.viewmodels.event_items import event_items
from webui.viewmodels.feed_item import EndedPrompt, Entry, Item
from webui.viewmodels.live_check import is_settled, shown_check
from webui.viewmodels.outcome import rule_of
from webui.viewmodels.prompt_card import card
from webui.viewmodels.queued_row import queued_rows
from webui.viewmodels.session_row import Row
from webui.viewmodels.usage import usage

_PROMPT_EVENTS = frozenset(
    ("approval_required", "question_prompt", "prompt_updated", "prompt_resolved")
)
_MOST_STREAMED_MARKDOWN = 20_000


class Renderer:
    """Makes HTML of values; every element has an id, by which pages swap it."""

    def __init__(self, environment: Environment, lookup: Lookup, build: str) -> None:
        self._templates = environment
        self._lookup = lookup
        self._build = build

    def event(self, event: Event) -> str | None:
        """Return the HTML of an event; None where there is nothing to show."""
        self._lookup.summaries.record(event)
        if event.type in _PROMPT_EVENTS:
            return self.prompt(load(Prompt, event.data))
        if event.type == "session_status":
            session = load(Session, event.data)
            # Lost now, or perhaps brought back.
            counts = session.state in (SessionState.LOST, SessionState.STARTING)
            parts = self._session_parts(session) + (self.lost() if counts else "")
            return parts + self._queue_of(session)
        if event.type == "status_update":
            return self.usage(event.session_id or "", event.data)
        if event.type in STREAMED_TEXTS:
            text = event_fields(event).text
            # A long text is shown as it comes: rendering it again for each delta is too slow.
            return (
                str(rich_while_written(text)) if 0 < len(text) < _MOST_STREAMED_MARKDOWN else None
            )
        if event.type == "queue_update":
            queue = [load(QueuedMessage, message) for message in event.data["queue"]]
            return self.queue(event.session_id or "", queue)
        if event.type == "snapshot":
            return self.snapshot(load(Snapshot, event.data))
        if event.type == "session_error" and self._is_noted(event):
            return None
        shown = self._lookup.session(event.session_id) if event.session_id else None
        items = event_items(event, shown.cwd if shown else "")
        return "".join(map(self.item, items)) if items else None

    def snapshot(self, snapshot: Snapshot) -> Markup:
        """Return everything at once, and which build of the page it is for."""
        parts = [Markup('<i id="build" data-build="{}"></i>').format(self._build)]
        parts += map(self.prompt, snapshot.prompts)
        for session in snapshot.sessions:
            queue = [message for message in snapshot.queue if message.session_id == session.id]
            parts += [self._session_parts(session), self.queue(session.id, queue)]
        parts += [self.lost(snapshot.sessions), self.problem(snapshot)]
        return Markup("\n").join(parts)

    def problem(self, snapshot: Snapshot) -> Markup:
        """Return why a hub sees no machine; empty while it sees one."""
        return self._part("problem", problem=snapshot.problem)

    def lost(self, sessions: Iterable[Session] | None = None) -> Markup:
        """Return the offer to bring lost sessions back; empty if none was lost."""
        lost = [
            session
            for session in (self._lookup.sessions() if sessions is None else sessions)
            # What another machine lost is brought back there.
            if session.state is SessionState.LOST
            and not session.archived
            and (session.machine is None or session.machine.here)
        ]
        return self._part("lost", lost=len(lost))

    def prompt(self, prompt: Prompt) -> Markup:
        """Return a prompt's card, or its outcome."""
        session = self._lookup.session(prompt.session_id)
        rule = rule_of(prompt.resolution.by) if prompt.resolution else ""
        return self._part(
            "prompt",
            card=replace(
                card(prompt, session.cwd if session else ""),
                offer=self._lookup.offer(prompt),
                undo=bool(rule)
                and not (session and session.elsewhere)
                and self._lookup.has_rule(rule),
            ),
            session=session,
            session_mark=self._mark(session) if session else "",
            session_class=css_class(session.adapter) if session else "",
        )

    def lines(self, change: Change, start: int, rest: str) -> Markup:
        """Return a part of a change's lines; the next one is at the address `rest`."""
        return self._part("lines", change=change, start=start, rest=rest)

    def row(self, session: Session) -> Markup:
        """Return a session in a list."""
        return self._session("session_row", self._lookup.row(session))

    def head(self, session: Session) -> Markup:
        """Return a session at the top of its page."""
        return self._session("session_head", self._lookup.row(session))

    def over(self, session: Session, *, ask: bool = False) -> Markup:
        """Return why a session takes no messages any more, and how to continue it.

        Until then it says that the CLI's version is newer than what was tried, and what a check
        of it found (another machine is asked for that if `ask`), or nothing.
        """
        shown, info = self._lookup.row(session), self._lookup.adapter(session.adapter)
        age = info.version_age(session.cli_version) if info and session.cli_version else None
        version = session.cli_version or ""
        check = self._lookup.live_check(session, ask=ask) if age == "newer" else None
        return self._part(
            "over",
            row=shown,
            resumable=self._resumable(shown),
            newer=info if age == "newer" and not is_settled(check, version) else None,
            check=shown_check(check, version),
            checkable=self._lookup.checkable(session.adapter),
        )

    def usage(self, session_id: str, status: Mapping[str, Any]) -> Markup:
        """Return how much of its model a session has used."""
        return self._part("usage", session_id=session_id, usage=usage(status))

    def queue(self, session_id: str, queue: Iterable[QueuedMessage]) -> Markup:
        """Return what is queued for a session."""
        session = self._lookup.session(session_id)
        return self._part(
            "queue",
            session_id=session_id,
            messages=queued_rows(queue),
            adapter_name=self._cli_name(session),
            machine=session.machine if session else "",
            row=session,
            resumable=bool(session and self._resumable(session)),
        )

    def _queue_of(self, session: Session) -> Markup:
        """Return what is queued for a session: it may wait for something else now."""
        queue = self._lookup.queue(session.id) if session.queued else ()
        return self.queue(session.id, queue) if queue else Markup()

    def entry(self, entry: Entry) -> Markup:
        """Return an entry of a session's conversation."""
        return self.prompt(entry.prompt) if isinstance(entry, EndedPrompt) else self.item(entry)

    def item(self, item: Item) -> Markup:
        """Return an item of a session's conversation."""
        return self._part("feed_item", item=item)

    def _is_noted(self, event: Event) -> bool:
        # An error that a transcript holds comes as a message and as an event.
        error = event_fields(event).error.strip()
        return bool(error) and self._lookup.is_noted(event.session_id or "", error)

    def _session_parts(self, session: Session) -> Markup:
        return self.row(session) + self.head(session) + self.over(session)

    def _session(self, name: str, shown: Row) -> Markup:
        info = self._lookup.adapter(shown.adapter)
        modes = {mode.id: mode.label for mode in info.permission_modes} if info else {}
        return self._part(
            name,
            row=shown,
            row_class=css_class(shown.adapter),
            row_mark=self._mark(shown),
            adapter_name=info.name if info else "Program" if shown.program else shown.adapter,
            mode_name=modes.get(shown.mode, shown.mode),
            modes=modes,
            models=info.models if info else (),
        )

    def _resumable(self, shown: Row) -> bool:
        info = self._lookup.adapter(shown.adapter)
        return bool(info and info.capabilities.resume and shown.has_conversation)

    def _cli_name(self, session: Row | None) -> str:
        info = self._lookup.adapter(session.adapter) if session else None
        return info.name if info else "The CLI"

    def _mark(self, shown: Row) -> Markup:
        # A program that asks has no adapter: the initials of its name stand for it.
        info = self._lookup.adapter(shown.adapter)
        return mark(info, shown.title if shown.program else shown.adapter)

    def _part(self, name: str, **values: Any) -> Markup:
        template = self._templates.get_template(f"webui/partials/{name}.html")
        html = well_formed(template.render(**values).strip())
        return Markup(html)  # noqa: S704 -- autoescaped by Jinja
