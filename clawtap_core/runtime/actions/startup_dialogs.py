"""Start-up dialogs of launched sessions, answered without asking, each at most once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core.errors import ClawTapError, Unavailable
from clawtap_core.model import Effect, PromptForm, Response, Step
from clawtap_core.runtime.delivery.executor import Delivery
from clawtap_core.runtime.delivery.guards import PromptGuard
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.store import StateStore

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StartupDialogs:
    """The dialogs that are answered by the runtime; `trust_folders` is `ask` or `always`."""

    store: StateStore
    trust_folders: str

    def take(self, session: PaneSession, form: PromptForm) -> bool:
        """Answer this dialog in a thread of its own; return False if the user must."""
        option = self._option(form)
        key = f"dismissed:{form.dialog}"
        if option is None or self.store.marker(session.id, key) is not None:
            return False
        try:
            self.store.mark(session.id, key, option)
        except Unavailable as error:
            log.warning("dialog %s: %s", form.dialog, error.message, extra={"session": session.id})
            return False  # a restart would dismiss it a second time
        threading.Thread(target=self._put_away, args=(session, form, option), daemon=True).start()
        return True

    def _option(self, form: PromptForm) -> str | None:
        """Return the option that settings or convention choose."""
        if form.dialog == "folder-trust":
            trusted = form.with_effect(Effect.ALLOW_ALWAYS) or form.with_effect(Effect.ALLOW_ONCE)
            return trusted.value if trusted and self.trust_folders == "always" else None
        return form.dismiss

    def _put_away(self, session: PaneSession, form: PromptForm, option: str) -> None:
        """Answer the dialog; one that stays becomes a prompt."""
        try:
            with session.typing():
                try:
                    outcome = self._delivery(session, form, option).run()
                finally:
                    session.rescan()
            log.info("dialog %s: %s", form.dialog, outcome.value, extra={"session": session.id})
        except ClawTapError as error:
            log.warning("dialog %s: %s", form.dialog, error.message, extra={"session": session.id})
            session.rescan()

    def _delivery(self, session: PaneSession, form: PromptForm, option: str) -> Delivery:
        response, adapter = Response("", selected_option=option), session.adapter
        dialog = {"dialog": form.dialog, "option": option}

        def journal(steps: Sequence[Step], *, withheld: str = "") -> None:
            now = self.store.now()
            event = events.steps_typed(
                "dialog_dismissed", session.id, now, steps, withheld, **dialog
            )
            self.store.commit([event])

        return session.delivery(
            PromptGuard(adapter, form, option, sighting=session.sighting, timings=session.timings),
            lambda screen, progress: adapter.respond(form, response, screen, progress),
            journal,
            own_key="a key that puts a dialog away",
            confirm=session.timings.dialog_leaves,
        )
