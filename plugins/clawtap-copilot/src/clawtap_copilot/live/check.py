"""GitHub Copilot CLI in a live check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_copilot.live import home, turns
from clawtap_copilot.live.model import CopilotModel
from clawtap_core import LiveLaunch, LivePlace, LiveStep
from clawtap_core.model.live_check import LIVE
from clawtap_core.testing.scripted.check import ScriptedCheck

_TURNS: Mapping[LiveStep, Sequence[Mapping[str, Any]]] = {
    LiveStep.PERMISSION_ALLOWED: [turns.shell(LIVE.allowed_command)],
    LiveStep.PERMISSION_DENIED: [turns.shell(LIVE.denied_command)],
    LiveStep.QUESTION: [turns.form(LIVE.question, colour=turns.one_of("Colour", *LIVE.answers))],
    LiveStep.PLAN: [turns.plan(LIVE.plan)],
}


class CopilotCheck(ScriptedCheck):
    """Every step; plans in plan mode."""

    plan_mode = "plan"

    def __init__(self) -> None:
        super().__init__(CopilotModel())

    def settle(self, place: LivePlace, model_url: str) -> LiveLaunch:
        """Write a HOME in which the CLI starts without a dialog."""
        home.write_home(place.home, place.project)
        return LiveLaunch(env=home.environment(model_url))

    def turns(self, step: LiveStep) -> Sequence[Mapping[str, Any]]:
        """Return the calls of the step."""
        return _TURNS.get(step, ())
