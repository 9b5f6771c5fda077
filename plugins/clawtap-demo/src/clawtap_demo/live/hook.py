"""The live check as a hook, which loads the rest only when it is run."""

from __future__ import annotations

from clawtap_core import LiveCheck, hookimpl


@hookimpl
def live_check() -> LiveCheck:
    """Return the scripted turns of the demo agent, which needs no model."""
    from clawtap_demo.live.check import DemoCheck

    return DemoCheck()
