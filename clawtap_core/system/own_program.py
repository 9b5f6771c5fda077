"""How this program runs itself again."""

from __future__ import annotations

import sys


def own_program(module: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours.

    Plain `python -m` would load modules from the folder where it starts, which an agent can write.
    """
    if sys.version_info >= (3, 11):
        return (sys.executable, "-P", "-m", module)
    run = f"runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    safe = "import runpy, sys; sys.path = [folder for folder in sys.path if folder]"
    return (sys.executable, "-c", f"{safe}; {run}")
