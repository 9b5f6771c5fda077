"""A live check as it is shown on a session's page and in the settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from clawtap_core.model import CheckState, LiveCheckStatus
from clawtap_core.model.live_check import longer_check
from clawtap_core.model.moments import wire_time
from webui.viewmodels.outcome import sentence
from webui.viewmodels.relative_time import ago

_NEWS_SECONDS = 600


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """What a check found: its result, and a sentence for each step that did not succeed.

    `screens` is the folder of the failing screens on the machine of the check.
    """

    running: bool
    passed: bool
    began: str
    version: str
    result: str
    failures: tuple[str, ...]
    screens: str


def shown_check(status: LiveCheckStatus | None, version: str = "") -> ShownCheck | None:
    """Return a check in words; None without one, or if it was about another `version`."""
    if status is None or (version and status.version not in (None, version)):
        return None
    unsuccessful = [step for step in status.steps if step.status in ("failed", "unfinished")]
    recordings = [step.recording for step in unsuccessful if step.recording]
    return ShownCheck(
        running=status.state is CheckState.RUNNING,
        passed=status.state is CheckState.PASSED,
        began=wire_time(status.began_at),
        version=status.version or "",
        result=_result(status),
        failures=tuple(f"{step.step.capitalize()}: {step.detail}" for step in unsuccessful),
        screens=str(Path(recordings[0]).parent) if recordings else "",
    )


def is_settled(status: LiveCheckStatus | None, version: str, now: datetime | None = None) -> bool:
    """Return whether a check of this version passed some time ago: it is no news any more."""
    if status is None or status.version != version or status.state is not CheckState.PASSED:
        return False
    age = (now or datetime.now(timezone.utc)) - status.began_at
    return age.total_seconds() > _NEWS_SECONDS


def _result(status: LiveCheckStatus) -> str:
    if status.state is CheckState.RUNNING:
        return "Checking it"
    when = f"{ago(wire_time(status.began_at))} ago".replace("now ago", "just now")
    if status.state is CheckState.BROKEN:
        return f"The check of {when} did not work: {sentence(status.error or '')}"
    steps = [step.status for step in status.steps if step.status != "skipped"]
    tried = len(steps)
    if status.state is CheckState.PASSED:
        return f"It works: all {tried} steps of the check passed, {when}."
    if not tried:
        return f"Nothing could be checked, {when}."
    if status.state is CheckState.UNFINISHED:
        return _unfinished(status.seconds, f"{steps.count('ok')} of {tried} steps passed, {when}.")
    return f"{steps.count('failed')} of {tried} steps of the check failed, {when}."


def _unfinished(seconds: float | None, progress: str) -> str:
    if seconds is None:
        return f"The check was not finished in its time; {progress}"
    longer = longer_check(seconds)
    again = f" This machine was slow: the next one takes up to {longer:g} s." if longer else ""
    return f"The check was not finished within {seconds:g} s; {progress}{again}"
