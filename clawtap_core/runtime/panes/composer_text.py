"""The text in a CLI's composer: ours that has not been sent, and a draft of the desk."""

from __future__ import annotations

from collections.abc import Callable

from clawtap_core.host import Adapter
from clawtap_core.model import Screen, SeenState
from clawtap_core.prompts.sanitize import is_command
from clawtap_core.prompts.screen_tracker import Observation
from clawtap_core.runtime.delivery.executor import look_until
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Timings
from clawtap_core.screens import drawn
from clawtap_core.terminal.api import DeskKeys, Pane


class ComposerText:
    """What one session's composer holds, and who typed it."""

    def __init__(
        self, store: StateStore, session_id: str, adapter: Adapter, timings: Timings
    ) -> None:
        self._store, self._session_id = store, session_id
        self._adapter, self._timings = adapter, timings
        self._desk_draft: str | None = ""
        self._shown, self._shown_at = "", DeskKeys()
        self._settles_at = self._settles_by = 0.0
        self._covered_at = float("-inf")

    @property
    def leftover(self) -> str:
        """Our text that has not been sent, or ""."""
        typed = self._store.marker(self._session_id, "typed")
        return str(typed["text"]) if typed else ""

    def holds_only_ours(self, seen: SeenState) -> bool:
        """Return True if the composer shows, and holds no text of somebody else."""
        return seen.draft is not None and drawn(seen.draft) in drawn(self.leftover)

    def sent(self, text: str, now: float) -> None:
        """Note that a message left: a command may open a list where the composer is."""
        opens = is_command(text)
        self._settles_at = now + self._timings.command_shows if opens else 0.0
        # Another message that left proves that the list of the last command is not in its way.
        self._settles_by = now + self._timings.command_settles if opens else 0.0

    def settles_in(self, now: float, at_work: Callable[[], bool]) -> float:
        """Return after how many seconds a command has shown what it opens; 0 if it has."""
        if now < self._settles_at:
            return self._settles_at - now
        # On a busy machine a CLI may come to it late; once at rest, it works on something else.
        if now < self._settles_by and at_work():
            self._settles_at = now + self._timings.command_work_shows
            return self._timings.command_work_shows
        self._settles_by = 0.0
        return 0.0

    def keys_taken_in(self, now: float) -> float:
        """Return after how many seconds a prompt takes keys that came over a draft of the desk.

        What somebody is typing just then shall not answer it.
        """
        return self._covered_at + self._timings.draft_covered - now

    def observe(self, sight: Observation, desk_keys: DeskKeys, now: float) -> None:
        """Note a draft that a prompt covers, or for which the CLI holds its prompt back."""
        draft = sight.seen.draft
        if sight.form is None:
            if draft is not None:
                self._shown, self._shown_at = draft, desk_keys
        elif sight.seen.holds_back:
            self._desk_draft = draft or ""
        elif sight.new:
            # What others typed since the composer was seen may stand in it, behind the prompt.
            self._desk_draft = self._shown if self._shown_at == desk_keys else None
            if self._shown:
                self._covered_at = now

    def take_out(
        self, pane: Pane, key: str, *, wait: bool, contested: bool, desk_draft: str = ""
    ) -> bool:
        """Remove a key that we pressed for a prompt; return True if the composer had taken it.

        With `wait`, allow time for the key to be painted. `contested`: others typed while the
        prompt stood, and may have answered it. `desk_draft` was typed by others.
        """

        def holds_key(screen: Screen) -> bool:
            if self._adapter.detect_prompt(screen):
                return False
            seen = self._adapter.detect_state(screen, None)
            return seen is not None and (seen.draft or "").strip() == key

        before = self._desk_draft  # None: not known
        if key in ((before or "").strip(), desk_draft.strip()):
            return False
        if before is None and not contested:
            return False
        if not look_until(pane, holds_key, self._timings.keys_show if wait else 0.0):
            return False
        pane.press("BSpace")
        return True
