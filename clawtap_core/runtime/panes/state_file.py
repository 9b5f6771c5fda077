"""The state that a CLI writes to a file, for screens that do not show it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from clawtap_core.host import Adapter
from clawtap_core.model import HookReport
from clawtap_core.system.processes import run_by
from clawtap_core.system.regular_file import open_regular

# A larger file, in bytes, is not read further: it is not a state file.
MOST = 65_536


def read_state_file(adapter: Adapter, env: Mapping[str, str], group: int) -> HookReport | None:
    """Return what the CLI of this process group says of itself, or None."""
    path = adapter.state_file(env, group)
    if not path:
        return None
    if not Path(path).exists():
        # Another program, such as npx, may run the CLI.
        paths = (adapter.state_file(env, pid) for pid in run_by(group))
        path = next((each for each in paths if each and Path(each).exists()), path)
    try:
        with open_regular(Path(path)) as file:
            return adapter.parse_state_file(file.read(MOST))
    except (OSError, ValueError):
        return None
