"""The partials: the same ones for a page's first sight and for what happens later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from clawtap_core.model import Event
from webui.brands import css_class, mark
from webui.card import card
from webui.feed import Item, item
from webui.lookup import Lookup
from webui.rows import Row, row

_PROMPTS = frozenset(("approval_required", "question_prompt", "prompt_updated", "prompt_resolved"))


class Renderer:
    """Makes HTML of what the wire tells; every element has an id, by which pages swap it."""

    def __init__(self, environment: Environment, lookup: Lookup, build: str) -> None:
        self._templates = environment
        self._lookup = lookup
        self._build = build

    def event(self, event: Event) -> str | None:
        """The HTML of an event; None where there is nothing to show."""
        data = event.data
        if event.type in _PROMPTS:
            return self.prompt(data)
        if event.type == "session_status":
            return self.row(data) + self.head(data)
        if event.type == "queue_update":
            return self.queue(str(data["sessionId"]), data["queue"])
        if event.type == "snapshot":
            return self.snapshot(data)
        found = item(event)
        return self.item(found) if found else None

    def snapshot(self, data: Mapping[str, Any]) -> Markup:
        """Everything at once, and which build of the page it is for."""
        sessions = data.get("sessions") or ()
        queued = data.get("queue") or ()
        parts = [Markup('<i id="build" data-build="{}"></i>').format(self._build)]
        parts += [self.prompt(prompt) for prompt in data.get("prompts") or ()]
        for session in sessions:
            mine = [one for one in queued if one["sessionId"] == session["id"]]
            parts += [self.row(session), self.head(session), self.queue(session["id"], mine)]
        return Markup("\n").join(parts)

    def prompt(self, prompt: Mapping[str, Any]) -> Markup:
        """A prompt's card, or its receipt."""
        shown = card(prompt)
        session = self._lookup.session(shown.session_id)
        return self._part(
            "prompt",
            card=shown,
            session=session,
            session_mark=self._mark(session) if session else "",
            session_class=css_class(session.adapter) if session else "",
        )

    def row(self, session: Mapping[str, Any]) -> Markup:
        """A session in a list."""
        return self._session("session_row", row(session))

    def head(self, session: Mapping[str, Any]) -> Markup:
        """A session at the top of its page."""
        return self._session("session_head", row(session))

    def queue(self, session_id: str, queue: Iterable[Mapping[str, Any]]) -> Markup:
        """What is queued for a session."""
        return self._part("queue", session_id=session_id, queue=list(queue))

    def item(self, found: Item) -> Markup:
        """Something that happened, in the session's conversation."""
        return self._part("feed_item", item=found)

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
        )

    def _mark(self, shown: Row) -> Markup:
        """The adapter's mark; a program that asks has the initials of its name."""
        info = self._lookup.adapter(shown.adapter)
        return mark(info, shown.title if shown.program else shown.adapter)

    def _part(self, name: str, **values: Any) -> Markup:
        template = self._templates.get_template(f"webui/partials/{name}.html")
        return Markup(template.render(**values).strip())  # noqa: S704 -- autoescaped by Jinja
