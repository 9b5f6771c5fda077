"""Start-up dialogs of launched sessions: put away without asking, each at most once."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Effect, PromptForm, Response
from clawtap_core.runtime.delivery.executor import Delivery
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StartupDialogs:
    """Which dialogs are put away. `trust_folders`: ask, or always. The journal notes each."""

    store: StateStore
    trust_folders: str

    def take(self, live: PaneSession, form: PromptForm) -> bool:
        """Put this dialog away, in a thread of its own; whether it is taken."""
        option = self._option(form)
        key = f"dismissed:{form.dialog}"
        if option is None or self.store.marker(live.id, key) is not None:
            return False
        self.store.mark(live.id, key, option)
        threading.Thread(target=self._put_away, args=(live, form, option), daemon=True).start()
        return True

    def _option(self, form: PromptForm) -> str | None:
        """The option that settings or custom give without asking."""
        if form.dialog == "folder-trust":
            trusted = form.with_effect(Effect.ALLOW_ALWAYS) or form.with_effect(Effect.ALLOW_ONCE)
            return trusted.value if trusted and self.trust_folders == "always" else None
        return form.dismiss

    def _put_away(self, live: PaneSession, form: PromptForm, option: str) -> None:
        """Answer the dialog; one that stays becomes a prompt."""
        try:
            with live.typing():
                try:
                    outcome = self._delivery(live, form, option).run()
                finally:
                    live.rescan()
            log.info("dialog %s: %s", form.dialog, outcome.value, extra={"session": live.id})
        except ClawTapError as error:
            log.warning("dialog %s: %s", form.dialog, error.message, extra={"session": live.id})
            live.rescan()

    def _delivery(self, live: PaneSession, form: PromptForm, option: str) -> Delivery:
        response, adapter = Response("", selected_option=option), live.adapter
        details = {"dialog": form.dialog, "option": option}
        return Delivery(
            live.pane,
            PromptGuard(adapter, form, option, sighting=live.sighting),
            lambda screen, progress: adapter.respond(form, response, screen, progress),
            lambda steps: self.store.commit(
                [
                    events.steps_typed(
                        "dialog_dismissed", live.id, self.store.now(), steps, **details
                    )
                ]
            ),
            fate=lambda: live.fate,
            confirm=live.timings.dialog_leaves,
        )
