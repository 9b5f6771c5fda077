"""The Codex CLI in a live check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clawtap_codex.live import home, turns
from clawtap_codex.live.model import OpenAIModel
from clawtap_core import LiveLaunch, LivePlace, LiveStep
from clawtap_core.model.live_check import LIVE
from clawtap_core.system.processes import program_output
from clawtap_core.testing.scripted.check import ScriptedCheck

_TURNS: Mapping[LiveStep, Sequence[Mapping[str, Any]]] = {
    LiveStep.PERMISSION_ALLOWED: [turns.shell(LIVE.allowed_command)],
    LiveStep.PERMISSION_DENIED: [turns.shell(LIVE.denied_command)],
    LiveStep.QUESTION: [turns.ask(turns.choice(LIVE.question, *LIVE.answers))],
    LiveStep.PLAN: [turns.plan(LIVE.plan)],
}
_NO_DAEMON = "--no-daemon"


class CodexCheck(ScriptedCheck):
    """Every step; plans in plan mode."""

    plan_mode = "plan"

    def __init__(self) -> None:
        super().__init__(OpenAIModel())

    def settle(self, place: LivePlace, model_url: str) -> LiveLaunch:
        """Write a HOME in which the CLI starts without a dialog, and without its daemon."""
        home.write_home(place.home, home.settings(place.version, model_url, [place.project]))
        # The daemon would outlive the check. Older versions have none, and refuse the flag.
        usage = program_output(str(place.program), "--help", seconds=20, env=place.env) or ""
        args = (_NO_DAEMON,) if _NO_DAEMON in usage else ()
        return LiveLaunch(args, home.environment(place.home))

    def turns(self, step: LiveStep) -> Sequence[Mapping[str, Any]]:
        """Return the calls of the step."""
        return _TURNS.get(step, ())

    def plan_approved(self, results: Sequence[str]) -> bool:
        """Whether the CLI has sent its own message that the plan is to be carried out."""
        return bool(self.model.log.times_said("Implement the plan"))
