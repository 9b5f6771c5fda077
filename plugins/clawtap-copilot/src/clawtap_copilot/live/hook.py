"""The live check as a hook, which loads the rest only when it is run."""

from __future__ import annotations

from clawtap_core import LiveCheck, hookimpl


@hookimpl
def live_check() -> LiveCheck:
    """Return the scripted model and the HOME of GitHub Copilot CLI."""
    from clawtap_copilot.live.check import CopilotCheck

    return CopilotCheck()
