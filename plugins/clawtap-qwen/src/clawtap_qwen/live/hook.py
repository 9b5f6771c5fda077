"""The live check as a hook, which loads the rest only when it is run."""

from __future__ import annotations

from clawtap_core import LiveCheck, hookimpl


@hookimpl
def live_check() -> LiveCheck:
    """Return the scripted model and the HOME of Qwen Code."""
    from clawtap_qwen.live.check import QwenCheck

    return QwenCheck()
