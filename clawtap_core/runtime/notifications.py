"""Notifying plugins of open prompts and finished turns."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import replace

from clawtap_core.host import Host
from clawtap_core.model import Event, Session

log = logging.getLogger(__name__)

WORTH_TELLING = frozenset(
    ("approval_required", "question_prompt", "prompt_resolved", "done", "session_error")
)


class Notifier:
    """Calls the plugins' `notify` in a thread of its own, so that they delay nothing.

    `title` returns the title that the page shows for a session, or "".
    """

    def __init__(self, host: Host, title: Callable[[Session], str]) -> None:
        self._host = host
        self._title = title
        self._events: queue.Queue[tuple[Event, Session] | None] = queue.Queue(1000)
        self._thread = threading.Thread(target=self._run, name="clawtap-notify", daemon=True)
        self._thread.start()

    def on_event(self, event: Event, session: Session) -> None:
        """Queue an event; it is dropped if the plugins are too slow."""
        if event.type in WORTH_TELLING:
            with contextlib.suppress(queue.Full):
                self._events.put_nowait((event, session))

    def close(self) -> None:
        """Deliver what is queued, and stop; a plugin that hangs is not waited for."""
        with contextlib.suppress(queue.Full):
            self._events.put(None, timeout=1)
        self._thread.join(2)

    def _run(self) -> None:
        while (item := self._events.get()) is not None:
            event, session = item
            self._host.notify(event, self._titled(session))

    def _titled(self, session: Session) -> Session:
        try:
            return replace(session, title=self._title(session) or session.title)
        except Exception as error:
            log.warning("a title could not be read: %s", type(error).__name__)
            return session
