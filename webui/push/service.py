"""Web push: which browsers subscribed, what is due, and how it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.model import Event, Session
from webui.push.outbox import Outbox
from webui.push.presence import Presence
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
    """The web push of one app."""

    def __init__(self, folder: Path, alive: Callable[[str], bool] = lambda device: True) -> None:
        self._alive = alive
        self.subscriptions = Subscriptions(folder / "push.json")
        self.sender = Sender(folder / "vapid.pem")
        self.presence = Presence()
        self._outbox = Outbox(self.send_to_all, self.presence.on_screen)

    def notify(self, event: Event, session: Session) -> None:
        """Take an event of the host's `notify` hook."""
        if available() and self.subscriptions.all():
            self._outbox.take(event, session)

    def test(self, to: Subscription) -> bool:
        """Send a test notice; return False when the browser takes none."""
        return self.sender.send(to, _TEST)

    def send_to_all(self, notice: Mapping[str, Any], kind: str) -> None:
        """Send a notice to every browser that subscribed to its kind."""
        for subscription in self.subscriptions.all():
            subscribed = subscription.turns if kind == "turns" else subscription.prompts
            revoked = not self._alive(subscription.device)
            if revoked or (subscribed and not self.sender.send(subscription, notice)):
                self.subscriptions.drop(subscription.endpoint)
