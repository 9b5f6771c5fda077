"""Push put together: who wants to hear, what is due, and how it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.model import Event, Session
from webui.push.outbox import Outbox
from webui.push.presence import Watching
from webui.push.sender import Sender, available
from webui.push.subscriptions import Subscription, Subscriptions

_TEST = {
    "title": "ClawTap",
    "body": "Notifications reach this device.",
    "tag": "test",
    "topic": "test",
    "url": "/settings",
}


class Push:
    """One for each app; `notify` is called by the host's hook of that name."""

    def __init__(self, folder: Path, alive: Callable[[str], bool] = lambda device: True) -> None:
        self._alive = alive
        self.subscriptions = Subscriptions(folder / "push.json")
        self.sender = Sender(folder / "vapid.pem")
        self.watching = Watching()
        self._outbox = Outbox(self._tell, self.watching.watched)

    def notify(self, event: Event, session: Session) -> None:
        """Something that a user elsewhere wants to hear of."""
        if available() and self.subscriptions.all():
            self._outbox.take(event, session)

    def test(self, to: Subscription) -> bool:
        """Tell one browser that it is reached."""
        return self._send(to, _TEST)

    def _tell(self, notice: Mapping[str, Any], kind: str) -> None:
        for subscription in self.subscriptions.all():
            subscribed = subscription.turns if kind == "turns" else subscription.prompts
            # A device that was revoked hears nothing more.
            if not self._alive(subscription.device) or (
                subscribed and not self._send(subscription, notice)
            ):
                self.subscriptions.drop(subscription.endpoint)

    def _send(self, to: Subscription, notice: Mapping[str, Any]) -> bool:
        return self.sender.send(to, notice)
