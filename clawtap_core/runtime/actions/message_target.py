"""What a message can be sent to: a pane's composer, or a CLI that speaks a protocol."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from clawtap_core.host import Adapter
from clawtap_core.model import Prompt, Step
from clawtap_core.runtime.delivery.executor import Delivered


class MessageDelivery(Protocol):
    """One message on its way.

    `typed`: it may stand in a composer; `decided`: it may have been sent.
    """

    typed: bool
    decided: bool

    def run(self) -> Delivered:
        """Deliver the message."""


class MessageTarget(Protocol):
    """A session that runs and takes messages."""

    id: str
    adapter: Adapter

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is open; while there is one, no message goes."""

    @property
    def calm_for(self) -> float:
        """For how many seconds the session has been idle, with no draft of the user's."""

    @property
    def leftover(self) -> str:
        """A message of ours that stands in the composer and was not sent yet."""

    def typing(self, patience: float) -> AbstractContextManager[None]:
        """Keep all others from typing; Conflict when they do not stop within `patience`."""

    def rest(self, seconds: float) -> None:
        """Think of the queue again after this many seconds, not before."""

    def message_delivery(
        self, text: str, before: Callable[[Sequence[Step]], None]
    ) -> MessageDelivery:
        """Return the way of a message; `before` writes what is about to be typed."""

    def draft_removal(self, text: str, before: Callable[[Sequence[Step]], None]) -> MessageDelivery:
        """Return the way to take this text, or a part of it, out of the composer again.

        An empty one stands for whatever came of a text that was typed just before.
        """

    def message_sent(self, text: str) -> None:
        """A message was delivered."""
