"""The partials: the same ones for a page's first sight and for what happens later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from clawtap_core.model import Event
from webui.assets.brands import css_class, mark
from webui.markup.sanitizer import rich
from webui.rendering.lookup import Lookup
from webui.viewmodels.event_items import items
from webui.viewmodels.feed_item import Item
from webui.viewmodels.prompt_card import card
from webui.viewmodels.session_row import Row, row
from webui.viewmodels.usage import usage

_PROMPTS = frozenset(("approval_required", "question_prompt", "prompt_updated", "prompt_resolved"))
_LONGEST_STREAMED = 20_000


def _streamed(text: str) -> str | None:
    """Text that is being written; a long one is shown as it comes, without markup."""
    return str(rich(text)) if text and len(text) < _LONGEST_STREAMED else None


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
            return self.row(data) + self.head(data) + self.over(data)
        if event.type == "status_update":
            return self.usage(str(data["sessionId"]), data)
        if event.type in ("text_delta", "thinking"):
            return _streamed(str(data.get("text") or ""))
        if event.type == "queue_update":
            return self.queue(str(data["sessionId"]), data["queue"])
        if event.type == "snapshot":
            return self.snapshot(data)
        found = items(event)
        return "".join(map(self.item, found)) if found else None

    def snapshot(self, data: Mapping[str, Any]) -> Markup:
        """Everything at once, and which build of the page it is for."""
        sessions = data.get("sessions") or ()
        queued = data.get("queue") or ()
        parts = [Markup('<i id="build" data-build="{}"></i>').format(self._build)]
        parts += [self.prompt(prompt) for prompt in data.get("prompts") or ()]
        for session in sessions:
            mine = [one for one in queued if one["sessionId"] == session["id"]]
            parts += [self.row(session), self.head(session), self.over(session)]
            parts.append(self.queue(session["id"], mine))
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

    def over(self, session: Mapping[str, Any]) -> Markup:
        """Why nothing can be said to a session any more, and how it goes on; empty till then."""
        shown = row(session)
        info = self._lookup.adapter(shown.adapter)
        able = bool(info and info.capabilities.resume and session.get("cliSessionId"))
        return self._part("over", row=shown, resumable=able)

    def usage(self, session_id: str, told: Mapping[str, Any]) -> Markup:
        """How much of its model a session has used."""
        return self._part("usage", session_id=session_id, usage=usage(told))

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
