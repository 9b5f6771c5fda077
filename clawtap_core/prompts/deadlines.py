"""Deadlines of prompts, and the message when one has passed."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawtap_core.model import Kind, Prompt


def deadline(now: datetime, seconds: float) -> datetime | None:
    """Return the moment after `seconds`, or None (no deadline) for 0."""
    return now + timedelta(seconds=seconds) if seconds else None


def timeout_message(prompt: Prompt) -> str:
    """Return the message to a CLI about an expired prompt, which no user refused."""
    time = _waited(prompt)
    if prompt.form.kind is Kind.PERMISSION:
        return f"Tool approval timed out after {time}"
    return f"User did not respond within {time}"


def default_message(prompt: Prompt) -> str:
    """Return why a prompt was answered by its default."""
    return f"nobody answered within {_waited(prompt)}"


def _waited(prompt: Prompt) -> str:
    waited = (prompt.expires_at or prompt.created_at) - prompt.created_at
    seconds = round(waited.total_seconds())
    in_minutes = seconds >= 120 or seconds == 60
    count, unit = (seconds // 60, "minute") if in_minutes else (seconds, "second")
    return f"{count} {unit}{'' if count == 1 else 's'}"
