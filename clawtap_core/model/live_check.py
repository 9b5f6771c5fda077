"""The live check of an installed CLI: its steps, and what an adapter provides for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Protocol, runtime_checkable


class LiveStep(str, Enum):
    """One step of a check, in order."""

    PERMISSION_ALLOWED = "permission allowed"
    PERMISSION_DENIED = "permission denied"
    MESSAGE = "message"
    QUESTION = "question"
    INTERRUPT = "interrupt"
    PLAN = "plan"
    WITHOUT_KEYS = "without keys"


@dataclass(frozen=True, slots=True)
class LiveMaterial:
    """What the scripted model says and the check answers, the same for every CLI."""

    allowed_command: str = "touch clawtap-allowed"
    denied_command: str = "touch clawtap-denied"
    reason: str = "Please leave that file alone."
    message: str = "This message has two lines.\nThe second one ends in an umlaut: \u00fc"
    question: str = "Which colour shall the check use?"
    answers: tuple[str, ...] = ("Red", "Green", "Blue")
    answer: str = "Green"
    plan: str = "1. Count the files of the folder\n2. Write down how many there are"


LIVE = LiveMaterial()
RAN, REFUSED, APPROVED, REJECTED = "ran", "refused", "approved", "rejected"
WORKING = "working"
LONGEST_CHECK = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step showed: `status` is ok, failed, unfinished (out of time) or skipped.

    `seconds` is what it took, `recording` the path of the failing screen.
    """

    step: str
    status: str
    detail: str = ""
    seconds: float = 0.0
    recording: str | None = None


class CheckState(str, Enum):
    """How far a live check is: UNFINISHED if only time ran out, BROKEN without any result."""

    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class LiveCheckStatus:
    """The latest live check of an adapter's CLI: running, or what it found in which version.

    `seconds` is the time that its steps have, `error` says why there is no result.
    """

    adapter: str
    state: CheckState
    began_at: datetime
    version: str | None = None
    steps: tuple[StepResult, ...] = ()
    error: str | None = None
    seconds: float | None = None


def longer_check(seconds: float) -> float | None:
    """Return the time for another check after one that was not finished in this one."""
    return min(2 * seconds, LONGEST_CHECK) if seconds < LONGEST_CHECK else None


@dataclass(frozen=True, slots=True)
class LivePlace:
    """Where the CLI is run: an empty HOME, an empty folder to work in, the program, its version.

    `env` is the environment that the CLI gets, apart from the check's own additions; programs in
    `bin` of this HOME come first on its PATH.
    """

    home: Path
    project: Path
    program: Path
    env: Mapping[str, str]
    version: str | None = None


@dataclass(frozen=True, slots=True)
class LiveLaunch:
    """How the CLI is run in the check: arguments, and additions to a nearly empty environment."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class LiveCheck(Protocol):
    """A scripted model for one CLI, and the HOME in which the CLI talks to that model only."""

    @property
    def steps(self) -> Sequence[LiveStep]:
        """The steps that this CLI has; whether WITHOUT_KEYS is one is known without it."""

    @property
    def plan_mode(self) -> str | None:
        """The permission mode that the CLI must be in to show a plan; None for any."""

    @property
    def serving_args(self) -> Sequence[str]:
        """The arguments with which the CLI has a server that takes answers; none if it has none."""

    def start(self, place: LivePlace) -> LiveLaunch:
        """Start the scripted model, and write the settings with which the CLI talks to it."""

    def play(self, step: LiveStep) -> None:
        """Have the model begin this step with the next message; forget what came before."""

    def outcome(self, step: LiveStep) -> str | None:
        """Return what has reached the model of this step since `play`, None while nothing has.

        RAN or REFUSED for a permission, APPROVED or REJECTED for a plan, the answer to a question,
        the user's words for a message, WORKING for a turn that will be interrupted.
        """

    def stop(self) -> None:
        """Stop the model."""
