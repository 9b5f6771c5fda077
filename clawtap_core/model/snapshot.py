"""All that is true now, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model.prompt import Prompt
from clawtap_core.model.session import QueuedMessage, Session


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that is now, and where the event stream goes on: `cursor` is "EPOCH-SEQ"."""

    cursor: str
    sessions: tuple[Session, ...]
    prompts: tuple[Prompt, ...]
    queue: tuple[QueuedMessage, ...]
