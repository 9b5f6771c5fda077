"""OpenCode in a live check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_core import LiveLaunch, LivePlace, LiveStep
from clawtap_core.model.live_check import LIVE
from clawtap_core.testing.scripted.chat_model import ChatModel
from clawtap_core.testing.scripted.check import ScriptedCheck
from clawtap_opencode.live import home, turns

_TURNS: Mapping[LiveStep, Sequence[Mapping[str, Any]]] = {
    LiveStep.PERMISSION_ALLOWED: [turns.shell(LIVE.allowed_command)],
    LiveStep.PERMISSION_DENIED: [turns.shell(LIVE.denied_command)],
    LiveStep.QUESTION: [turns.ask(turns.choice(LIVE.question, *LIVE.answers))],
}


class OpenCodeCheck(ScriptedCheck):
    """Every step but plans, which it does not ask about."""

    steps = tuple(step for step in LiveStep if step is not LiveStep.PLAN)
    serving_args = ("--port", "0")

    def __init__(self) -> None:
        super().__init__(ChatModel())

    def settle(self, place: LivePlace, model_url: str) -> LiveLaunch:
        """Write a HOME in which the CLI starts without a dialog."""
        home.write_home(place.home, home.settings(model_url))
        return LiveLaunch(env=home.environment())

    def turns(self, step: LiveStep) -> Sequence[Mapping[str, Any]]:
        """Return the calls of the step."""
        return _TURNS.get(step, ())
