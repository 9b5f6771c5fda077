"""Who the adapter is, and what its CLI can do."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from clawtap_core import AdapterInfo, Brand, Capabilities, Choice, hookimpl

MODES = ("ask", "auto-edit", "plan")
MODELS = (Choice("swift", "Swift", "answers at once"), Choice("sage", "Sage", "says more"))
_ICON = '<path d="M12 3l7 9-7 9-7-9z" fill="none" stroke="currentColor" stroke-width="2"/>'
_BRAND = Brand(
    color="#14b8a6",
    gradient=("#14b8a6", "#6366f1"),
    icon_type="diamond",
    icon=_ICON,
    ansi="38;5;80",
)
_SCRIPT = shutil.which("clawtap-demo-agent", path=str(Path(sys.executable).parent))
PROGRAM = (_SCRIPT,) if _SCRIPT else (sys.executable, "-m", "clawtap_demo.agent")


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the adapter's facts."""
    return AdapterInfo(
        id="demo",
        name="Demo agent",
        provider="ClawTap",
        brand=_BRAND,
        commands=("clawtap-demo-agent",),
        version_argv=(*PROGRAM, "--version"),
        install="pip install clawtap-demo",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            resume=True,
            streaming=True,
            permission_mode_type="cycle",
        ),
        models=MODELS,
        permission_modes=tuple(Choice(mode, mode.capitalize()) for mode in MODES),
    )
