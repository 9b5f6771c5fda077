"""What an adapter reads is proved before it is believed: rubbish would harm other sessions too."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timezone

from clawtap_core.host import Adapter
from clawtap_core.model import Prompt, PromptForm, SeenState, SessionState
from clawtap_core.schemas import dump, dump_kept, load_kept
from clawtap_core.schemas.type_check import plain

log = logging.getLogger(__name__)
_THEN = datetime(2000, 1, 1, tzinfo=timezone.utc)


class ResultValidator:
    """Lets through what can be shown, kept and read again; the rest counts as not read.

    A prompt that nobody can read is then shown with its screen, as one that nobody knows.
    `source`: where forms come from, for the adapter's health.
    """

    def __init__(self, adapter: Adapter, session_id: str, source: str = "detect_prompt") -> None:
        self._adapter = adapter
        self._source = source
        self._session_id = session_id
        self._proved: PromptForm | None = None

    def form(self, form: PromptForm | None) -> PromptForm | None:
        """The form, if it can be kept."""
        try:
            if form is None or form == self._proved:
                return form
            if not plain(form):
                prompt = Prompt("-", self._session_id, "terminal", form, _THEN)
                load_kept(Prompt, json.loads(json.dumps(dump_kept(prompt))))
                dump(prompt)
        except Exception as error:
            self._refuse(self._source, error)
            return None
        self._proved = form
        return form

    def state(self, seen: SeenState | None) -> SeenState | None:
        """The state, if its fields are what they should be."""
        if seen is None:
            return None
        texts = (seen.streaming, seen.thinking, *filter(None, (seen.draft, seen.mode, seen.model)))
        if isinstance(seen.state, SessionState) and all(isinstance(text, str) for text in texts):
            return seen
        self._refuse("detect_state", TypeError(f"not a state: {seen!r:.200}"))
        return None

    def _refuse(self, hook: str, error: Exception) -> None:
        health = f"{hook}: {type(error).__name__}: {error}"
        if self._adapter.health != health:
            self._adapter.health = health
            log.warning("rubbish from a hook: %s", health, extra={"session": self._session_id})
