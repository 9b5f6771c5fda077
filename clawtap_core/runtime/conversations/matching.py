"""Matching a transcript to a session, by its id or by the text on its screen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from clawtap_core.model import Session
from clawtap_core.prompts.identity import squeeze
from clawtap_core.system.git_worktree import working_tree
from clawtap_core.transcripts.transcript import Transcript

WORDS = 60  # letters of a line that are compared
ENOUGH = 3  # letters that a line must have
WEIGHT = 100
TELLING = 8  # a text of this many letters is not on a screen by chance
LINES = 20  # of a text that are compared
MANY = 3  # lines of an answer that nothing but its conversation shows
Words = tuple[str, str]  # a role and its text


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A user's message, and its time if the transcript has it."""

    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class PaneText:
    """The state of a session that may have switched to another transcript.

    `screen`, `others` (of other sessions of its CLI), `sent` (our last message) and `own` (the
    user's messages in its transcript) are squeezed. `written`: its transcript's last change;
    `active_at`: the session's last event; `turn_began`: the start of its turn, if it is working;
    `slack`: the largest difference between the clock of a file and ours.
    """

    screen: str
    others: Sequence[str]
    sent: str
    own: Collection[str]
    written: datetime
    active_at: datetime
    turn_began: datetime | None
    now: datetime
    slack: timedelta


def by_id(cli_session_id: str, transcripts: Sequence[Transcript]) -> Transcript | None:
    """Return the transcript of a conversation that is in use, or None."""
    own = [
        transcript
        for transcript in transcripts
        if transcript.info.cli_session_id == cli_session_id and not transcript.info.origin
    ]
    return max(own, key=lambda transcript: transcript.rank, default=None)


def possible(
    session: Session, transcripts: Sequence[Transcript], taken: Collection[str], slack: timedelta
) -> list[Transcript]:
    """Return transcripts that may be the session's: in its folder, free, and not too old."""
    mine = free(session, transcripts, taken)
    if session.origin != "launched":
        return mine
    since = session.created_at - slack
    return [
        transcript
        for transcript in mine
        if transcript.changed_at >= since
        and (transcript.info.started_at is None or transcript.info.started_at >= since)
    ]


def free(
    session: Session,
    transcripts: Sequence[Transcript],
    taken: Collection[str],
    forked: Path | None = None,
    named: str | None = None,
    worktrees: bool = False,
) -> list[Transcript]:
    """Return transcripts of the session's folder that no other session has.

    A fork of the one at `forked`, and the conversation `named`, may be in another folder; with
    `worktrees` also one that began in another working tree of its repository while it ran.
    """
    return [
        transcript
        for transcript in transcripts
        if (
            transcript.info.cwd == session.cwd
            or transcript.is_fork_of(forked)
            or transcript.info.cli_session_id == named
            or (worktrees and _began_in_worktree(transcript, session))
        )
        and not transcript.info.origin
        and transcript.info.cli_session_id not in taken
        and str(transcript.path) not in taken
    ]


def _began_in_worktree(transcript: Transcript, session: Session) -> bool:
    info = transcript.info
    if info.cwd is None or info.started_at is None or info.started_at < session.created_at:
        return False
    tree = working_tree(session.cwd)
    return tree is not None and tree.is_beside(working_tree(info.cwd))


def switched_to(
    sight: PaneText,
    transcripts: Sequence[Transcript],
    last: Callable[[Transcript], UserMessage | None],
) -> Transcript | None:
    """Return the one transcript that the session switched to, or None when in doubt.

    `last` returns the user's last message in a transcript.
    """
    newer = [transcript for transcript in transcripts if transcript.changed_at > sight.written]
    fitting = [
        transcript
        for transcript in newer
        if (spoke := last(transcript)) and _was_typed_here(spoke, sight)
    ]
    return fitting[0] if len(fitting) == 1 else None


def works_in(written: datetime, turn_began: datetime | None, slack: timedelta) -> bool:
    """Return True if the current turn belongs to the transcript last written then."""
    return turn_began is not None and turn_began - slack <= written


def _was_typed_here(spoke: UserMessage, sight: PaneText) -> bool:
    """Return True if these words were typed in this pane and are not in its own transcript.

    A nested CLI, started by a tool, is recognised by the turn: that began in the old
    transcript, and ends there.
    """
    if spoke.at is None or not sight.written < spoke.at <= sight.active_at + sight.slack:
        return False
    if sight.now - spoke.at < sight.slack or works_in(sight.written, sight.turn_began, sight.slack):
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
    """Return the transcript that shares most text with the screen, or None on a tie.

    The user's words count more, since models say the same to everybody. If another session
    competes for the same transcripts, only the user's words count.
    """
    seen = squeeze(screen)
    scores = [_score(words(transcript), seen) for transcript in transcripts]
    best = max(scores, default=0)
    least = WEIGHT if rivals else 1
    return transcripts[scores.index(best)] if best >= least and scores.count(best) == 1 else None


def taken_up(
    transcripts: Sequence[Transcript],
    screen: str,
    others: Sequence[str],
    words: Callable[[Transcript], Sequence[Words]],
) -> Transcript | None:
    """Return the one older conversation that the screen shows the end of, or None when in doubt.

    `others` are the screens of other sessions of this CLI.
    """
    seen, elsewhere = squeeze(screen), [squeeze(other) for other in others]
    fitting = [
        transcript
        for transcript in transcripts
        if (said := words(transcript))
        and _ends_on(said, seen)
        and not any(_ends_on(said, other) for other in elsewhere)
    ]
    return fitting[0] if len(fitting) == 1 else shown(fitting, screen, words, rivals=False)


def _ends_on(words: Sequence[Words], screen: str) -> bool:
    """Return True if the agent's last words are on the screen, and the user's or many lines.

    A CLI may greet with what the user asked before, but not with what was answered.
    """
    last = dict(words)
    asked = _lines_on(last.get("user", "").splitlines()[:LINES], screen)
    answered = _lines_on(last.get("assistant", "").splitlines()[-LINES:], screen)
    return answered >= (1 if asked else MANY)


def _lines_on(lines: Sequence[str], screen: str) -> int:
    """Count the telling lines that are on the screen."""
    telling = {line for text in lines if len(line := squeeze(text)) >= TELLING}
    return sum(line[:WORDS] in screen for line in telling)


def _score(words: Sequence[Words], screen: str) -> int:
    """Weigh the texts of which a line is on the screen."""
    score = 0
    for role, text in words:
        lines = [squeeze(line) for line in text.splitlines() if line.strip()]
        if any(len(line) >= ENOUGH and line[:WORDS] in screen for line in lines[:LINES]):
            score += WEIGHT if role == "user" else 1
    return score
