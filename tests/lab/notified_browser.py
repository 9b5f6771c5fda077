"""A browser that gets notifications: subscribed at the tests' push service, with its buttons.

Chromium has no push service here, so the message is checked and decrypted by the tests' own, and
handed to the page's service worker over the DevTools protocol.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from push_service import PushService, Receiver

Found = TypeVar("Found")
_PRESS = """async ({ tag, action }) => {
    const [notification] = await self.registration.getNotifications({ tag });
    // A script cannot keep a worker alive for an event of its own.
    ExtendableEvent.prototype.waitUntil = () => {};
    self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action }));
}"""
_SHOWN = """async () => (await self.registration.getNotifications()).map(
    ({ title, body, tag, actions, silent }) =>
        ({ title, body, tag, silent, actions: actions.map(({ title }) => title) }))"""
_SUBSCRIBE = """(body) => fetch("/api/push", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
}).then((response) => response.status)"""


class NotifiedBrowser:
    """A page that is logged in, its service worker, and its receiver at the push service."""

    def __init__(self, context: Any, url: str, token: str, service: PushService) -> None:
        self.url = url
        context.grant_permissions(["notifications"], origin=url)
        assert context.request.post(f"{url}/api/login", data={"token": token}).ok
        self.page = context.new_page()
        self._registrations: list[dict[str, Any]] = []
        self._devtools = context.new_cdp_session(self.page)
        self._devtools.on("ServiceWorker.workerRegistrationUpdated", self._registered)
        self._devtools.send("ServiceWorker.enable")
        self.page.goto(f"{url}/settings")
        self.page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
        self.worker = context.service_workers[0]
        key = context.request.get(f"{url}/api/push").json()["publicKey"]
        self.receiver: Receiver = service.receiver(key)
        assert self.page.evaluate(_SUBSCRIBE, self.receiver.subscription) == 200

    def _registered(self, event: dict[str, Any]) -> None:
        self._registrations += event["registrations"]

    def leave(self) -> None:
        """Close the page: what it shows is not looked at any more."""
        self.page.goto("about:blank")

    def get(self, seconds: float = 30) -> dict[str, Any]:
        """Wait for the next message, and hand it to the worker."""
        message: dict[str, Any] = self.receiver.messages.get(timeout=seconds)
        self.deliver(message)
        return message

    def deliver(self, message: dict[str, Any]) -> None:
        """Hand a message to the worker, and see it shown."""
        registration = next(
            each["registrationId"]
            for each in self._registrations
            if each["scopeURL"].startswith(self.url)
        )
        push = {"origin": self.url, "registrationId": registration, "data": json.dumps(message)}
        self._devtools.send("ServiceWorker.deliverPushMessage", push)
        if message.get("close"):
            return
        for _ in range(2):
            with suppress(AssertionError):
                self.see(message["body"], 10)
                return
            # Chromium without a screen sometimes drops what it said that it showed.
            self._devtools.send("ServiceWorker.deliverPushMessage", push)
        self.see(message["body"], 10)

    def shown(self) -> list[dict[str, Any]]:
        """The notifications that stand now."""
        found: list[dict[str, Any]] = self.worker.evaluate(_SHOWN)
        return found

    def see(self, words: str, seconds: float = 30) -> dict[str, Any]:
        """Wait for a notification with these words."""

        def find(shown: list[dict[str, Any]]) -> dict[str, Any] | None:
            return next((each for each in shown if words in each["body"]), None)

        return self._until(find, seconds)

    def see_none(self, tag: str, seconds: float = 30) -> None:
        """Wait until no notification has this tag."""
        self._until(lambda shown: all(each["tag"] != tag for each in shown), seconds)

    def _until(
        self, check: Callable[[list[dict[str, Any]]], Found | None], seconds: float
    ) -> Found:
        """Return what `check` makes of the notifications that stand, as soon as it is true."""
        end = time.monotonic() + seconds
        while not (found := check(shown := self.shown())):
            assert time.monotonic() < end, shown
            self.page.wait_for_timeout(50)
        return found

    def press(self, tag: str, action: str) -> None:
        """Press a button of a notification."""
        self.worker.evaluate(_PRESS, {"tag": tag, "action": action})
