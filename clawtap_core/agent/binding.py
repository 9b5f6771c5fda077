"""Which transcript is a session's: by its id, else by what stands on its screen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from clawtap_core.fingerprint import squeeze
from clawtap_core.model import Session
from clawtap_core.transcripts import Transcript

SLACK = timedelta(seconds=2)
"""Clocks of files and ours differ by so much at most."""
WORDS = 60
ENOUGH = 3


def by_id(cli_session_id: str, found: Sequence[Transcript]) -> Transcript | None:
    """The transcript of a conversation: of several files the one that holds most."""
    own = [
        each
        for each in found
        if each.info.cli_session_id == cli_session_id and not each.info.origin
    ]
    return max(own, key=lambda each: each.size, default=None)


def possible(
    session: Session, found: Sequence[Transcript], taken: Collection[str]
) -> list[Transcript]:
    """Transcripts of the session's folder that nobody else has and that may be its own."""
    launched = session.origin == "launched"
    since = session.created_at - SLACK
    return [
        each
        for each in found
        if each.info.cwd == session.cwd
        and not each.info.origin
        and each.info.cli_session_id not in taken
        and str(each.path) not in taken
        and (not launched or each.changed_at >= since)
        and (not launched or each.info.started_at is None or each.info.started_at >= since)
    ]


def shown(
    found: Sequence[Transcript], screen: str, texts: Callable[[Transcript], Sequence[str]]
) -> Transcript | None:
    """The one transcript whose last words stand on the screen; of several, none."""
    seen = squeeze(screen)
    fitting = [each for each in found if _stands(texts(each), seen)]
    return fitting[0] if len(fitting) == 1 else None


def _stands(texts: Sequence[str], screen: str) -> bool:
    words = [squeeze(line) for text in texts for line in text.splitlines() if line.strip()]
    return any(len(line) >= ENOUGH and line[:WORDS] in screen for line in words)
