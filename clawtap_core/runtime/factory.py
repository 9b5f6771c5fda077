"""Opening the runtime from settings."""

from __future__ import annotations

import os

from clawtap_core.config import Settings, clean_environment
from clawtap_core.host import Host
from clawtap_core.runtime.journal_file import open_journal
from clawtap_core.runtime.service import Runtime
from clawtap_core.search.sqlite import open_index
from clawtap_core.terminal.tmux import TmuxTerminal


def open_runtime(settings: Settings, host: Host) -> Runtime:
    """Return the runtime on this machine's tmux, with the journal in the data folder."""
    journal = open_journal(settings)
    try:
        terminal = TmuxTerminal(settings.tmux_socket)
        search = open_index(settings.data_dir / "search.db")
        return Runtime(
            host,
            terminal,
            journal,
            env=clean_environment(os.environ),
            trust_folders=settings.trust_folders,
            timeouts=settings.interaction_timeout,
            files=settings.data_dir / "files",
            search=search,
            rules=settings.data_dir / "rules.toml",
            checks=settings.data_dir / "live-checks",
        )
    except BaseException:
        journal.close()
        raise
