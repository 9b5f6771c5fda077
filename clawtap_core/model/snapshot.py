"""The whole current state as one value."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model.prompt import Prompt
from clawtap_core.model.session import QueuedMessage, Session


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole current state; the event stream continues at `cursor` ("EPOCH-SEQ").

    `problem` is why a hub sees no machine now, so that more may wait than is listed here.
    """

    cursor: str
    sessions: tuple[Session, ...]
    prompts: tuple[Prompt, ...]
    queue: tuple[QueuedMessage, ...]
    problem: str | None = None
