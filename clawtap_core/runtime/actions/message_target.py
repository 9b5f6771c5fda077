"""The receiver of messages: a pane's composer, or a CLI that speaks a protocol."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from clawtap_core.host import Adapter
from clawtap_core.model import Prompt
from clawtap_core.runtime.delivery.executor import Delivered, StepJournal


class MessageDelivery(Protocol):
    """The delivery of one message.

    `typed`: its text may be in a composer; `decided`: it may have been sent.
    """

    typed: bool
    decided: bool

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
        """Return for how many seconds the session has been idle, without a draft of the user's."""

    @property
    def leftover(self) -> str:
        """Return a message of ours that is in the composer and was not sent yet."""

    def typing(self, patience: float) -> AbstractContextManager[None]:
        """Lock out other typing; Conflict if it does not end within `patience`."""

    def rest(self, seconds: float) -> None:
        """Look at the queue again after this many seconds."""

    def message_delivery(self, text: str, journal: StepJournal) -> MessageDelivery:
        """Return the way of a message; `journal` writes what is about to be typed."""

    def draft_removal(self, text: str, journal: StepJournal) -> MessageDelivery:
        """Return the way to take this text, or a part of it, out of the composer again.

        An empty one stands for whatever came of a text that was typed just before.
        """

    def message_sent(self, text: str) -> None:
        """Note that a message was delivered."""
