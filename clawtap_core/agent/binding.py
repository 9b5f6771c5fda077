"""Which transcript is a session's: by its id, else by what stands on its screen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from clawtap_core.fingerprint import squeeze
from clawtap_core.model import Session
from clawtap_core.transcripts import Transcript

SLACK = timedelta(seconds=2)
"""Clocks of files and ours differ by so much at most."""
WORDS, ENOUGH = 60, 3
"""So many letters of a line are looked for, and so many are worth it."""
WEIGHT = 100
Words = tuple[str, str]
"""Who said what."""


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
    found: Sequence[Transcript],
    screen: str,
    words: Callable[[Transcript], Sequence[Words]],
    *,
    rivals: bool,
) -> Transcript | None:
    """The transcript of which most stands on the screen; none where several are equal.

    What the user said counts for more: models say the same to everybody. With rivals for the
    same transcripts nothing else will do.
    """
    seen = squeeze(screen)
    scores = [_score(words(each), seen) for each in found]
    best = max(scores, default=0)
    least = WEIGHT if rivals else 1
    return found[scores.index(best)] if best >= least and scores.count(best) == 1 else None


def _score(said: Sequence[Words], screen: str) -> int:
    return sum((WEIGHT if role == "user" else 1) for role, text in said if _stands(text, screen))


def _stands(text: str, screen: str) -> bool:
    lines = [squeeze(line) for line in text.splitlines() if line.strip()]
    return any(len(line) >= ENOUGH and line[:WORDS] in screen for line in lines[:20])
