"""Web push to the browsers that subscribed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.model import Notice, NoticeAnswers
from clawtap_core.server.push_key import push_installed, push_key_file
from webui.push.sender import Sender, prepare
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
        self.sender = Sender(push_key_file(folder))
        if self.subscriptions.all():
            prepare()

    def subscribe(self, subscription: Subscription) -> None:
        """Add a browser, or change its subscription."""
        prepare()
        self.subscriptions.save(subscription)

    def test(self, to: Subscription) -> bool:
        """Send a test notice; return False when the browser takes none."""
        return self.sender.send(to, _TEST)

    def send_to_all(self, notice: Notice, answers: NoticeAnswers) -> None:
        """Send a notice to every browser that subscribed to its kind."""
        if not push_installed():
            return
        for subscription in self.subscriptions.all():
            subscribed = subscription.turns if notice.kind == "turns" else subscription.prompts
            if not self._alive(subscription.device):
                self.subscriptions.drop(subscription.endpoint)
            elif subscribed:
                message = _message(notice, answers.for_device(subscription.device))
                if not self.sender.send(subscription, message):
                    self.subscriptions.drop(subscription.endpoint)


def _message(notice: Notice, tokens: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": notice.title,
        "body": f"{notice.body}\n{notice.detail}" if tokens else notice.body,
        "tag": notice.tag,
        # Push services take 32 characters at most.
        "topic": notice.tag.replace("session-", "s")[:32],
        "url": notice.path,
        "waiting": notice.waiting,
        "silent": notice.silent,
        "close": notice.kind == "withdrawn",
        "asks": notice.kind == "prompts",
        "answers": dict(tokens),
    }
