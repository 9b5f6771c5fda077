"""Kimi Code in a live check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core import LiveLaunch, LivePlace, LiveStep
from clawtap_core.model.live_check import LIVE
from clawtap_core.testing.scripted.check import ScriptedCheck
from clawtap_kimi.live import home, turns
from clawtap_kimi.live.model import PLAN_FILE, KimiModel

_TURNS: Mapping[LiveStep, Sequence[Mapping[str, Any]]] = {
    LiveStep.PERMISSION_ALLOWED: [turns.shell(LIVE.allowed_command)],
    LiveStep.PERMISSION_DENIED: [turns.shell(LIVE.denied_command)],
    LiveStep.QUESTION: [turns.ask(turns.choice(LIVE.question, *LIVE.answers))],
    LiveStep.PLAN: [turns.write(PLAN_FILE, LIVE.plan), turns.plan()],
}


class KimiCheck(ScriptedCheck):
    """Every step; plans in plan mode."""

    plan_mode = "plan"

    def __init__(self) -> None:
        super().__init__(KimiModel())

    def settle(self, place: LivePlace, model_url: str) -> LiveLaunch:
        """Write a HOME in which the CLI starts without a dialog."""
        home.write_home(place.home, model_url)
        home.trust(place.home, place.project)
        return LiveLaunch(env=home.environment())

    def turns(self, step: LiveStep) -> Sequence[Mapping[str, Any]]:
        """Return the calls of the step."""
        return _TURNS.get(step, ())

    def plan_approved(self, results: Sequence[str]) -> bool:
        """Whether the model was sent its plan as approved."""
        return any("Approved Plan" in result for result in results)
