"""The demo agent in a live check: it plays its turns by itself, and its log proves the answers."""

from __future__ import annotations

import json
from typing import Any

from clawtap_core import LiveLaunch, LivePlace, LiveStep
from clawtap_core.model.live_check import APPROVED, LIVE, RAN, REFUSED, REJECTED, WORKING

_TURNS: dict[LiveStep, list[dict[str, Any]]] = {
    LiveStep.PERMISSION_ALLOWED: [{"run": LIVE.allowed_command}],
    LiveStep.PERMISSION_DENIED: [{"run": LIVE.denied_command}],
    LiveStep.QUESTION: [{"ask": [{"question": LIVE.question, "options": [*LIVE.answers]}]}],
    LiveStep.INTERRUPT: [{"busy": 120}],
    LiveStep.PLAN: [{"plan": LIVE.plan}],
}


class DemoCheck:
    """Every step; what a model would have got to know is in the agent's own log."""

    steps = tuple(LiveStep)
    plan_mode = None
    serving_args = ()

    def start(self, place: LivePlace) -> LiveLaunch:
        """Write the turns for the agent."""
        self._log, script = place.home / "log.jsonl", place.home / "script.json"
        turns = {f"Live check: {step.value}": turn for step, turn in _TURNS.items()}
        script.write_text(json.dumps(turns), encoding="utf-8")
        return LiveLaunch(("--wait", "--script", str(script), "--log", str(self._log)))

    def play(self, step: LiveStep) -> None:
        """Forget what came before: each message begins its own turn."""
        self._before = len(self._events())

    def outcome(self, step: LiveStep) -> str | None:
        """Return what was decided, in the agent's words."""
        events = self._events()[self._before :]
        messages = [event["text"] for event in events if event["event"] == "message"]
        if step is LiveStep.MESSAGE:
            return messages[0] if messages else None
        if step is LiveStep.INTERRUPT:
            return WORKING if messages else None
        decisions = [event for event in events if event["event"] == "decision"]
        if not decisions:
            return None
        label = " ".join(decisions[-1]["labels"])
        if step is LiveStep.QUESTION:
            return label
        if step is LiveStep.PLAN:
            return APPROVED if label.startswith("Yes") else REJECTED
        if label.startswith("Yes"):
            return RAN
        return REFUSED if LIVE.reason in messages else None

    def stop(self) -> None:
        """Do nothing: the agent ends with its pane."""

    def _events(self) -> list[dict[str, Any]]:
        if not self._log.exists():
            return []
        # The last line may be half written.
        lines = self._log.read_text(encoding="utf-8").split("\n")[:-1]
        return [json.loads(line) for line in lines]
