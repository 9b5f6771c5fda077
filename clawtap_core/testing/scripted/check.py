"""A live check by a scripted model: an adapter adds the HOME and the turns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clawtap_core.model import LiveLaunch, LivePlace, LiveStep
from clawtap_core.model.live_check import APPROVED, LIVE, RAN, REFUSED, WORKING
from clawtap_core.testing.scripted.model import ScriptedModel

_SILENT = 120.0


class ScriptedCheck(ABC):
    """Plays the turns of each step, and reads the outcome in what the model was sent."""

    steps: Sequence[LiveStep] = tuple(LiveStep)
    plan_mode: str | None = None
    serving_args: Sequence[str] = ()

    def __init__(self, model: ScriptedModel[Any]) -> None:
        self.model = model
        self._project = Path()

    def start(self, place: LivePlace) -> LiveLaunch:
        """Start the model, and write the HOME."""
        self._project = place.project
        return self.settle(place, self.model.start().url)

    @abstractmethod
    def settle(self, place: LivePlace, model_url: str) -> LiveLaunch:
        """Write the CLI's settings, with which it talks to this model only."""

    @abstractmethod
    def turns(self, step: LiveStep) -> Sequence[str | Mapping[str, Any]]:
        """Return what the model says in a step, up to the outcome."""

    def play(self, step: LiveStep) -> None:
        """Have the model begin a step; only an interrupt ends its silence."""
        # The CLI may have carried the command out before, in another session.
        for command in (LIVE.allowed_command, LIVE.denied_command):
            self._file_of(command).unlink(missing_ok=True)
        # A CLI that has no reply yet would put the message back into its composer.
        silent = {"parts": ({"text": "This takes a while."},), "stall": _SILENT}
        turns = (silent,) if step is LiveStep.INTERRUPT else self.turns(step)
        self.model.play(*turns, f"That was: {step.value}.")

    def outcome(self, step: LiveStep) -> str | None:
        """Return what has reached the model, and what of it the CLI has carried out."""
        log = self.model.log
        results = [str(result["response"]) for result in log.function_responses()]
        if step is LiveStep.INTERRUPT:
            return WORKING if log.main() else None
        if step is LiveStep.MESSAGE:
            times, texts = log.times_said(LIVE.message), log.user_texts()
            if times == 1:
                return LIVE.message
            return f"{texts[-1]} (the message {times} times)" if texts else None
        if step is LiveStep.PERMISSION_ALLOWED and results:
            return RAN if self._file_of(LIVE.allowed_command).exists() else REFUSED
        if step is LiveStep.PERMISSION_DENIED and self._file_of(LIVE.denied_command).exists():
            return RAN
        if step is LiveStep.PERMISSION_DENIED:
            known = log.times_said(LIVE.reason) or any(LIVE.reason in result for result in results)
            return REFUSED if known else None
        if step is LiveStep.QUESTION and results:
            return ", ".join(answer for answer in LIVE.answers if answer in results[-1]) or "none"
        if step is LiveStep.PLAN:
            return APPROVED if self.plan_approved(results) else None
        return None

    def plan_approved(self, results: Sequence[str]) -> bool:
        """Whether the model was sent that its plan is approved."""
        return any("approved" in result for result in results)

    def stop(self) -> None:
        """Stop the model."""
        self.model.stop()

    def _file_of(self, command: str) -> Path:
        return self._project / command.split()[-1]
