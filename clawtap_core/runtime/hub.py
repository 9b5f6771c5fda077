"""The runtime of a hub: it has no sessions, no CLIs and no tmux, only a journal of its access."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode, Impossible, NotFound
from clawtap_core.host import Host
from clawtap_core.runtime.journal_file import open_journal
from clawtap_core.runtime.service import Runtime
from clawtap_core.terminal.api import Pane, PaneFacts, PaneListener


def open_hub(settings: Settings) -> Runtime:
    """Return the runtime of a hub, with the journal in its data folder."""
    journal = open_journal(settings)
    try:
        return Runtime(Host(), NoTerminal(), journal, env={})
    except BaseException:
        journal.close()
        raise


class NoTerminal:
    """A `Terminal` without panes."""

    def server(self) -> str:
        """Return "": no tmux runs."""
        return ""

    def panes(self) -> Sequence[PaneFacts]:
        """Return no panes."""
        return ()

    def launch(
        self,
        argv: Sequence[str],
        *,
        owner: str,
        name: str,
        cwd: str,
        env: Mapping[str, str],
        cols: int,
        rows: int,
    ) -> PaneFacts:
        """Raise Impossible: nothing runs on a hub."""
        raise Impossible("a hub runs no CLIs; start them on a machine", code=ErrorCode.ON_A_HUB)

    def claim(self, pane_id: str, owner: str | None) -> None:
        """Do nothing."""

    def watch(self, pane_id: str, listener: PaneListener) -> Pane:
        """Raise NotFound."""
        raise NotFound(f"no such pane: {pane_id!r}", code=ErrorCode.PANE_NOT_FOUND)

    def kill(self, pane_id: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
