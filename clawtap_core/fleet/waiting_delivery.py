"""Deliver the messages that waited for this machine while it was away, each once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timezone

from clawtap_core.fleet.call_log import CallLog
from clawtap_core.fleet.waiting_messages import WaitingMessage, WaitingMessages
from clawtap_core.transport import FleetMember

log = logging.getLogger(__name__)


class WaitingDelivery:
    """Delivers the messages that wait for one machine; `now` is Redis's time in milliseconds.

    `pause` waits until there may be more.
    """

    def __init__(
        self,
        waiting: WaitingMessages,
        machine: str,
        receiver: FleetMember,
        calls: CallLog,
        now: Callable[[], int],
        pause: Callable[[], object],
    ) -> None:
        self._waiting, self._machine, self._receiver = waiting, machine, receiver
        self._calls, self._now, self._pause = calls, now, pause

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Deliver what waits until stopped."""
        # Messages that were taken before a restart come first.
        for waiting in self._waiting.taken(self._machine):
            self._deliver(waiting)
        while keep_running():
            for waiting in self._waiting.read(self._machine):
                if self._waiting.take(self._machine, waiting.message.id):
                    self._deliver(waiting)
            self._pause()

    def _deliver(self, waiting: WaitingMessage) -> None:
        """Send a message that was taken, unless it was sent before or waited too long."""
        message = waiting.message
        deadline = int(waiting.until.timestamp() * 1000)
        try:
            if self._calls.begin(message.id, deadline, self._now()):
                self._receiver.receive(message, waiting.actor)
            else:
                ended = datetime.fromtimestamp(deadline / 1000, timezone.utc)
                self._receiver.report_unsent(
                    message, f"it waited for this machine until {ended:%Y-%m-%d %H:%M} UTC"
                )
        except KeyError:
            # It was begun before a restart; if the journal lacks it, nothing was done.
            if not self._receiver.has_received(message):
                self._receiver.receive(message, waiting.actor)
        self._waiting.finish(self._machine, message.id)
