"""What the process in a pane writes about itself, where its CLI does: a second opinion.

The screen is believed first. What it leaves open, the CLI's own word may say.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from clawtap_core.host import Adapter
from clawtap_core.model import HookReport
from clawtap_core.system.regular_file import open_regular
from clawtap_core.terminal.api import Pane

MOST = 65_536
"""Of a larger file, in bytes, no more is read: it is not what it should be."""


def own_word(adapter: Adapter, env: Mapping[str, str], pane: Pane) -> HookReport | None:
    """What the CLI in this pane says of itself now; None where it says nothing."""
    path = adapter.state_file(env, pane.group)
    if not path:
        return None
    try:
        with open_regular(Path(path)) as file:
            return adapter.parse_state_file(file.read(MOST))
    except (OSError, ValueError):
        return None
