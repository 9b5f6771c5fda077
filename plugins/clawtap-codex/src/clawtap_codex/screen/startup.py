"""What only this CLI has beside rows and a text field: it may not hear keys yet."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.screens import ParsedPrompt


@dataclass(frozen=True)
class StartReading(ParsedPrompt):
    """A dialog of a CLI that has only just started: it may lose the first keys."""
