"""The adapters, plugins, panes and folders of this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_core.host import Host
from clawtap_core.model import AdapterStatus, Folder, PaneInfo, PluginStatus
from clawtap_core.runtime.channel import EXTERNAL
from clawtap_core.runtime.cli_versions import CliVersions
from clawtap_core.runtime.live_checks import LiveChecks
from clawtap_core.runtime.panes.manager import PaneSessions
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.terminal.api import Terminal


@dataclass(frozen=True)
class Inventory:
    """A read-only view of this machine."""

    store: StateStore
    host: Host
    terminal: Terminal
    sessions: PaneSessions
    versions: CliVersions
    checks: LiveChecks

    def adapters(self) -> list[AdapterStatus]:
        """Return every adapter, and whether its CLI is installed."""
        return [
            AdapterStatus(
                adapter.info,
                self.versions.installed(adapter.info) is not None,
                self.versions.version(adapter.info),
                adapter.health,
                self.checks.latest(adapter.id),
            )
            for adapter in self.host.adapters
        ]

    def plugins(self) -> list[PluginStatus]:
        """Return every plugin's health."""
        return self.host.statuses()

    def panes(self) -> list[PaneInfo]:
        """Return the panes that can be adopted."""
        panes = []
        for pane in self.terminal.panes():
            if pane.owner not in self.sessions.running and not pane.dead:
                adapter = self.sessions.knows(pane)
                panes.append(
                    PaneInfo(
                        pane.id,
                        pane.command,
                        pane.cwd,
                        pane.title,
                        pane.tmux_session,
                        pane.cols,
                        pane.rows,
                        adapter.id if adapter else None,
                    )
                )
        return panes

    def folders(self) -> list[Folder]:
        """Return the folders of sessions, newest first."""
        by_path: dict[str, Folder] = {}
        for session in self.store.sessions():
            if session.channel == EXTERNAL:
                continue
            folder = by_path.get(session.cwd) or Folder(session.cwd, session.last_activity)
            adapters = tuple(dict.fromkeys((*folder.adapters, session.adapter)))
            by_path[session.cwd] = replace(folder, adapters=adapters)
        return list(by_path.values())
