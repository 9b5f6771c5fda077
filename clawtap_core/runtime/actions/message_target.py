"""The receiver of messages: a pane's composer, or a CLI that speaks a protocol."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from clawtap_core.host import Adapter
from clawtap_core.model import Prompt
from clawtap_core.runtime.delivery.api import Delivered, StepJournal


class MessageDelivery(Protocol):
    """The delivery of one message.

    `typed`: its text may be in a composer; `decided`: it may have been sent. `refused`: why the CLI
    did not take it, if it says so.
    """

    typed: bool
    decided: bool
    refused: str

    def run(self) -> Delivered:
        """Deliver the message."""


class MessageTarget(Protocol):
    """A running session that takes messages."""

    id: str
    adapter: Adapter

    @property
    def prompt(self) -> Prompt | None:
        """Return the open prompt, which holds messages back."""

    @property
    def calm_for(self) -> float:
        """Return for how many seconds the session has been idle, without a draft from the desk."""

    @property
    def leftover(self) -> str:
        """Return our text in the composer that has not been sent, or ""."""

    def typing(self, patience: float) -> AbstractContextManager[None]:
        """Lock out other typing; Conflict if it does not end within `patience`."""

    def postpone_queue(self, seconds: float, why: str = "") -> None:
        """Leave the queue alone for this long; `why` it waits is shown to the user."""

    def refresh(self) -> None:
        """Say what the queue waits for now."""

    def message_delivery(self, text: str, journal: StepJournal) -> MessageDelivery:
        """Return the delivery of a message."""

    def draft_removal(self, text: str, journal: StepJournal) -> MessageDelivery:
        """Return a delivery that removes this text, or a part of it, from the composer.

        "" stands for whatever is left of the text that was typed last.
        """

    def message_sent(self, text: str, message_id: str) -> None:
        """Note that a message was delivered."""
