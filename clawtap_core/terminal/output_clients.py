"""Control clients for output, one per tmux session with a watched pane."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from clawtap_core.errors import ClawTapError
from clawtap_core.terminal.control_client import ControlClient
from clawtap_core.terminal.control_parser import Notice
from clawtap_core.terminal.desk_keys import attached
from clawtap_core.terminal.program import Tmux

log = logging.getLogger(__name__)
# The sizes stay those of the user's own client. Not read-only: from tmux 3.7 on nobody can send
# keys to a pane whose session has only such clients.
_FLAGS = "ignore-size,pause-after=5"
_FLAGS_WITHOUT_OUTPUT = "ignore-size,no-output"


class OutputClients:
    """The listening clients, at most one per session; used from one thread at a time."""

    def __init__(
        self,
        tmux: Tmux,
        *,
        reports_output: Callable[[], bool],
        on_notice: Callable[[ControlClient, Notice], None],
        on_lost: Callable[[], None],
    ) -> None:
        self._tmux, self._on_notice, self._on_lost = tmux, on_notice, on_lost
        self._reports_output = reports_output
        self._clients: dict[str, ControlClient] = {}

    def settle(self, homes: Mapping[str, Iterable[str]]) -> set[str]:
        """Listen to every pane in one of its sessions; return the panes not heard before."""
        self._drop({name for name, client in self._clients.items() if not client.alive})
        heard_in = {pane: set(sessions) & self._clients.keys() for pane, sessions in homes.items()}
        needed = {min(sessions) for sessions in heard_in.values() if sessions}
        unheard = {pane for pane, sessions in heard_in.items() if not sessions}
        for pane in sorted(unheard):
            sessions = sorted(homes[pane])
            if not needed.intersection(sessions) and self._open(sessions[0]):
                needed.add(sessions[0])
        self._drop(self._clients.keys() - needed)
        return unheard

    def close(self) -> None:
        """Stop listening."""
        self._drop(set(self._clients))

    def _open(self, session: str) -> bool:
        flags = _FLAGS if self._reports_output() else _FLAGS_WITHOUT_OUTPUT
        with self._tmux.attach_lock:
            client = ControlClient(
                self._tmux,
                ["attach-session", "-E", "-t", session, "-f", flags, ";", *attached(session)],
                name=f"watch-{session}",
                on_notice=lambda client, notice: self._on_client_notice(session, client, notice),
                on_lost=lambda _: self._on_lost(),
            )
            try:
                client.wait_ready()
            except ClawTapError as error:
                log.info("could not watch a tmux session: %s", error.message)
                client.close()
                return False
        self._clients[session] = client
        return True

    def _on_client_notice(self, session: str, client: ControlClient, notice: Notice) -> None:
        # With detach-on-destroy off, tmux moves a client of an ended session to another one.
        if notice.name == "session-changed" and notice.subject != session:
            client.close()
            self._on_lost()
        self._on_notice(client, notice)

    def _drop(self, sessions: Iterable[str]) -> None:
        for session in sessions:
            self._clients.pop(session).close()
