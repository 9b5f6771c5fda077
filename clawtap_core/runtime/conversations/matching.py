"""Which transcript is a session's: by its id, else by what stands on its screen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawtap_core.model import Session
from clawtap_core.prompts.identity import squeeze
from clawtap_core.transcripts.library import Transcript

SLACK = timedelta(seconds=2)
"""Clocks of files and ours differ by so much at most."""
WORDS, ENOUGH = 60, 3
"""So many letters of a line are looked for, and so many are worth it."""
WEIGHT = 100
TELLING = 8
"""Words of so many letters do not stand on a screen by chance."""
Words = tuple[str, str]
"""Who said what."""


@dataclass(frozen=True, slots=True)
class Spoke:
    """What the user said, and when, where the transcript tells."""

    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PaneText:
    """What is known of a session that may have gone on in another transcript.

    `screen`, `others` (those of other sessions of its CLI), `sent` (our last message) and `own`
    (what the user said in its transcript) are squeezed. `written`: when its transcript changed
    last. `stirred`: when something happened in it last; `began`: since when it is at work, if so.
    """

    screen: str
    others: Sequence[str]
    sent: str
    own: Collection[str]
    written: datetime
    stirred: datetime
    began: datetime | None
    now: datetime


def by_id(cli_session_id: str, transcripts: Sequence[Transcript]) -> Transcript | None:
    """The transcript of a conversation: of several files the one that holds most."""
    own = [
        transcript
        for transcript in transcripts
        if transcript.info.cli_session_id == cli_session_id and not transcript.info.origin
    ]
    return max(own, key=lambda transcript: transcript.size, default=None)


def possible(
    session: Session, transcripts: Sequence[Transcript], taken: Collection[str]
) -> list[Transcript]:
    """Transcripts of the session's folder that nobody else has and that may be its own."""
    mine = free(session, transcripts, taken)
    if session.origin != "launched":
        return mine
    since = session.created_at - SLACK
    return [
        transcript
        for transcript in mine
        if transcript.changed_at >= since
        and (transcript.info.started_at is None or transcript.info.started_at >= since)
    ]


def free(
    session: Session, transcripts: Sequence[Transcript], taken: Collection[str]
) -> list[Transcript]:
    """Transcripts of the session's folder that nobody has."""
    return [
        transcript
        for transcript in transcripts
        if transcript.info.cwd == session.cwd
        and not transcript.info.origin
        and transcript.info.cli_session_id not in taken
        and str(transcript.path) not in taken
    ]


def gone_on(
    sight: PaneText, transcripts: Sequence[Transcript], last: Callable[[Transcript], Spoke | None]
) -> Transcript | None:
    """The one transcript in which a session goes on instead of its own; none when in doubt.

    `last`: what the user said last in a transcript.
    """
    newer = [transcript for transcript in transcripts if transcript.changed_at > sight.written]
    fitting = [
        transcript
        for transcript in newer
        if (spoke := last(transcript)) and _said_here(spoke, sight)
    ]
    return fitting[0] if len(fitting) == 1 else None


def works_in(written: datetime, began: datetime | None) -> bool:
    """Whether a turn that is under way belongs to the transcript that was written last then."""
    return began is not None and began - SLACK <= written


def _said_here(spoke: Spoke, sight: PaneText) -> bool:
    """Whether these words were said in this pane, and cannot stand in its own transcript.

    A CLI that a tool of this one runs is told apart by the turn: that began in the old transcript,
    and ends there.
    """
    if spoke.at is None or not sight.written < spoke.at <= sight.stirred + SLACK:
        return False
    if sight.now - spoke.at < SLACK or works_in(sight.written, sight.began):
        return False
    whole, words = squeeze(spoke.text), squeeze(spoke.text.strip().splitlines()[0])[:WORDS]
    if whole in sight.own or (whole != sight.sent and len(words) < TELLING):
        return False
    return words in sight.screen and not any(words in other for other in sight.others)


def shown(
    transcripts: Sequence[Transcript],
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
    scores = [_score(words(transcript), seen) for transcript in transcripts]
    best = max(scores, default=0)
    least = WEIGHT if rivals else 1
    return transcripts[scores.index(best)] if best >= least and scores.count(best) == 1 else None


def _score(words: Sequence[Words], screen: str) -> int:
    return sum((WEIGHT if role == "user" else 1) for role, text in words if _stands(text, screen))


def _stands(text: str, screen: str) -> bool:
    lines = [squeeze(line) for line in text.splitlines() if line.strip()]
    return any(len(line) >= ENOUGH and line[:WORDS] in screen for line in lines[:20])
