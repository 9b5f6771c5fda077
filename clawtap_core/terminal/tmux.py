"""tmux as a `Terminal`, as the runtime sees it."""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.system.exit_watch import ExitWatch
from clawtap_core.terminal import desk_keys, errors, launch, pane_list
from clawtap_core.terminal.api import Pane, PaneFacts, PaneListener
from clawtap_core.terminal.capture_timer import CaptureTimer
from clawtap_core.terminal.command_client import CommandClient
from clawtap_core.terminal.control_client import ControlClient
from clawtap_core.terminal.control_parser import Notice
from clawtap_core.terminal.foreground import end_group, foreground_group
from clawtap_core.terminal.output_clients import OutputClients
from clawtap_core.terminal.output_frame import output_data
from clawtap_core.terminal.program import Tmux
from clawtap_core.terminal.quoting import line
from clawtap_core.terminal.timings import TERMINAL_TIMINGS, TerminalTimings
from clawtap_core.terminal.topology import Topology
from clawtap_core.terminal.version import installed_version
from clawtap_core.terminal.watched_pane import WatchedPane

_OUTPUT = ("output", "extended-output")
_MOVES = frozenset(
    {
        "layout-change",
        "session-changed",
        "sessions-changed",
        "unlinked-window-add",
        "unlinked-window-close",
        "unlinked-window-renamed",
        "window-add",
        "window-close",
        "window-renamed",
    }
)


class TmuxTerminal:
    """The panes of one tmux server.

    `socket` is its name or path, None for the server that a plain `tmux` reaches. Raises
    Unavailable if tmux is missing or older than 3.2.
    """

    def __init__(
        self,
        socket: str | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        timings: TerminalTimings = TERMINAL_TIMINGS,
    ) -> None:
        installed_version()
        self._timings = timings
        self._tmux = Tmux(socket, dict(os.environ if environment is None else environment))
        self._lock = threading.Lock()
        self._watched: dict[str, tuple[WatchedPane, ...]] = {}
        self._capture_timer = CaptureTimer(_capture)
        self._exits = ExitWatch()
        self._link = CommandClient(self._tmux, on_notice=self._on_notice, on_lost=self._lost)
        watchers = OutputClients(
            self._tmux,
            reports_output=lambda: self._link.reports_output,
            on_notice=self._on_output,
            on_lost=self._lost,
        )
        self._topology = Topology(
            self._link, watchers, panes=self._all_watched, mark=self._capture_timer.mark
        )

    def server(self) -> str:
        """Return the process id of the tmux server, or "" if none runs."""
        try:
            ((pid,),) = self._link.run(("display-message", "-p", "#{pid}"))
        except Unavailable as error:
            if error.code == ErrorCode.TMUX_GONE:
                return ""
            raise
        return pid.decode()

    def panes(self) -> Sequence[PaneFacts]:
        """Return every pane except ClawTap's helpers."""
        try:
            (lines,) = self._link.run(pane_list.list_command())
        except Unavailable as error:
            if error.code == ErrorCode.TMUX_GONE:
                return ()
            raise
        return pane_list.read_panes(lines)

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
        """Start a program in a new tmux session; the pane stays when it ends."""
        folder = launch.check_folder(cwd)
        launch.check_program(argv, env)
        for session in launch.safe_names(name):
            commands = launch.launch_commands(
                argv, owner=owner, session=session, cwd=folder, env=env, size=(cols, rows)
            )
            try:
                output = self._link.run_exclusive(*commands, start=True)
            except ClawTapError as error:
                if "duplicate session" not in error.message:
                    raise
            else:
                facts = self._facts(output[0][0].decode())
                # Until the new process has become the program, tmux reports its own name.
                return replace(facts, cwd=folder, command=Path(argv[0]).name, argv=tuple(argv))
        raise Unavailable(f"too many tmux sessions are named {name!r}")

    def claim(self, pane_id: str, owner: str | None) -> None:
        """Mark a pane as a session's, and bind the CLI in its foreground; None frees it."""
        facts = self._facts(pane_id)
        if owner is None:
            unset = ("set-option", "-p", "-u", "-t", pane_id)
            self._link.run((*unset, pane_list.OWNER), (*unset, pane_list.GROUP))
            panes = self.panes()
            mine = next((pane for pane in panes if pane.id == pane_id), None)
            if mine and not any(p.owner for p in panes if p.tmux_session == mine.tmux_session):
                self._link.run(*desk_keys.remove(pane_id))
            return
        group = foreground_group(facts.pid) or facts.pid
        mark = ("set-option", "-p", "-t", pane_id)
        self._link.run((*mark, pane_list.OWNER, owner), (*mark, pane_list.GROUP, str(group)))

    def watch(self, pane_id: str, listener: PaneListener) -> Pane:
        """Watch a pane; its first screen is reported at once."""
        facts = self._facts(pane_id)
        pane = WatchedPane(
            pane_id,
            listener,
            self._link,
            group=self._bound_group(facts),
            pid=facts.pid,
            tty=facts.tty,
            timings=self._timings,
            again=self._capture_timer.mark,
            closed=self._unwatch,
        )
        with self._lock:
            self._watched[pane_id] = (*self._watched.get(pane_id, ()), pane)
        try:
            self._topology.settle()
            pane.start()
            self._exits.add(pane, pane.group, pane.ending)
        except BaseException:
            pane.close()
            raise
        return pane

    def kill(self, pane_id: str) -> None:
        """End a pane and its programs, even those that ignore the hang-up."""
        facts = self._facts(pane_id)
        groups = {group for group in (facts.pid, foreground_group(facts.pid)) if group}
        ((socket,),) = self._link.run(("display-message", "-p", "#{socket_path}"))
        # libtmux ends panes. Sessions are made and listed by control mode, because libtmux starts
        # a tmux client for each command, which
        # - loses the new session where the user has `destroy-unattached on`: tmux ends it with
        #   that client, before the option can be set (seen with libtmux 0.62 on tmux 3.3a),
        # - shows the CLI's environment, with its keys, to everybody who runs `ps`,
        # - sets `remain-on-exit` after the program began, which may have ended by then,
        # - splits what it lists at a character that a pane's title may hold, and lists no option
        #   like the owner of a pane.
        # Imported late: it takes as long as the rest of the terminal.
        from libtmux import Server

        try:
            with self._tmux.attach_lock:
                server = Server(socket_path=socket.decode())
                complaints = server.cmd("kill-pane", target=pane_id).stderr
        except OSError:
            # There are no descriptors left for a process; our connection needs none.
            self._link.run_exclusive(("kill-pane", "-t", pane_id))
            complaints = []
        if complaints:
            raise errors.refused(" ".join(complaints))
        for group in () if facts.dead else groups:
            end_group(group)

    def close(self) -> None:
        """Release everything without ending a pane."""
        for pane in self._all_watched():
            pane.close()
        self._topology.close()
        self._exits.close()
        self._capture_timer.close()
        self._link.close()

    def _facts(self, pane_id: str) -> PaneFacts:
        (lines,) = self._link.run(pane_list.facts_command(pane_id))
        for facts in pane_list.read_panes(lines):
            return facts
        raise errors.no_such_pane(pane_id)

    def _bound_group(self, facts: PaneFacts) -> int:
        ((bound,),) = self._link.run(
            ("display-message", "-p", "-t", facts.id, f"#{{{pane_list.GROUP}}}")
        )
        return int(bound or 0) or foreground_group(facts.pid) or facts.pid

    def _all_watched(self) -> list[WatchedPane]:
        with self._lock:
            return [pane for panes in self._watched.values() for pane in panes]

    def _unwatch(self, pane: WatchedPane) -> None:
        with self._lock:
            left = tuple(p for p in self._watched.pop(pane.id, ()) if p is not pane)
            if left:
                self._watched[pane.id] = left
        self._capture_timer.forget(pane)
        self._exits.remove(pane)
        self._topology.moved()

    def _on_notice(self, notice: Notice) -> None:
        if notice.name in _MOVES:
            self._topology.moved()

    def _on_output(self, client: ControlClient, notice: Notice) -> None:
        if notice.name in _OUTPUT:
            for pane in self._watched.get(notice.subject, ()):
                interval, delay = pane.add_output(output_data(notice))
                self._capture_timer.mark(pane, interval, delay=delay)
        elif notice.name == "pause":
            resume = f"{notice.subject}:continue"
            command = ("refresh-client", "-t", client.client_name, "-A", resume)
            self._link.submit(line(command), lambda _: None)
            for pane in self._watched.get(notice.subject, ()):
                self._capture_timer.mark(pane)
        else:
            self._on_notice(notice)

    def _lost(self) -> None:
        self._topology.moved()


def _capture(pane: Hashable) -> None:
    cast(WatchedPane, pane).capture()
