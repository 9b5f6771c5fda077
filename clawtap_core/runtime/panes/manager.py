"""Starting, adopting, ending and recovering sessions in panes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from clawtap_core.errors import BadRequest, ClawTapError, Conflict, ErrorCode, NotFound
from clawtap_core.host import Adapter, Host
from clawtap_core.model import Launch, LaunchRequest, PromptState, Session, SessionState
from clawtap_core.runtime.channel import RELEASED, TERMINAL
from clawtap_core.runtime.launch_checks import launchable
from clawtap_core.runtime.launch_record import launch_again, remember_launch
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore, new_id
from clawtap_core.system.processes import KnownProcess, process
from clawtap_core.terminal.api import EndCause, PaneEnd, PaneFacts, Terminal
from clawtap_core.terminal.foreground import end_group, wrapped_argvs
from clawtap_core.terminal.program_names import is_interactive_shell, program_names

log = logging.getLogger(__name__)
_PROCESSES = "processes"
_LOOK_AGAIN = 0.05
_STARTS = 1.0  # seconds for a program that was started right before to be the one in the pane


@dataclass(frozen=True)
class PaneSessions:
    """Sessions in panes; `make` builds a running one, `env` is what CLIs inherit."""

    store: StateStore
    host: Host
    terminal: Terminal
    make: Callable[[Session, Adapter], PaneSession]
    env: Mapping[str, str]
    running: dict[str, PaneSession] = field(default_factory=dict)
    _adopting: threading.RLock = field(default_factory=threading.RLock)

    def start(self, request: LaunchRequest) -> tuple[Session, Launch]:
        """Start a CLI in a pane of its own."""
        adapter = self.host.adapter(request.adapter)
        launch = launchable(adapter, request, self.env)
        session = self._new_session(adapter, "launched", request.cwd, mode=request.permission_mode)
        pane = self._open(session, request, launch)
        session = replace(session, pane=pane, cli_session_id=launch.cli_session_id)
        try:
            begun = self._begin(session, adapter)
            remember_launch(self.store, session.id, request)
        except BaseException:
            self._kill_pane(pane)
            raise
        return begun, launch

    def resumed_conversation(self, session: Session, adapter: Adapter) -> str | None:
        """Return the conversation that a lost session is resumed in; ClawTapError if it cannot."""
        request = _resume_request(self.store, session, adapter)
        launchable(adapter, request, self.env)
        return request.resume

    def resume(self, session: Session, adapter: Adapter) -> None:
        """Start the CLI of a lost session again, in a pane of ours."""
        request = _resume_request(self.store, session, adapter)
        launch = launchable(adapter, request, self.env)
        # Written first: if ClawTap dies now, its next start finds the pane by its owner.
        begun = {"state": SessionState.STARTING, "detail": None, "origin": "launched", "pane": None}
        self.store.change_session(session.id, **begun)
        # What stood in the old composer is gone; the message is still queued.
        self.store.mark(session.id, "typed", None)
        pane = None
        try:
            pane = self._open(session, request, launch)
            resumed = self.store.change_session(session.id, pane=pane)
            remember_launch(self.store, session.id, request)
            self._watch(resumed, adapter, pane)
        except BaseException as error:
            if pane:
                self._kill_pane(pane)
            reason = error.message if isinstance(error, ClawTapError) else "it could not be started"
            self.store.end_session(session.id, reason, lost=True)
            raise

    def outlived(self, session: Session) -> str | None:
        """Return which process of a lost session can still be reached: its CLI, or its tmux."""
        server, cli = self._processes(session)
        found = process(cli.pid) if cli and cli.lives() else None
        if found and found.foreground > 0:
            return "its CLI"
        elsewhere = server and server.lives() and server != self._server()
        return "its tmux server" if elsewhere else None

    def wait_until_ended(self, sessions: Sequence[Session], patience: float) -> None:
        """Wait until what lost sessions ran in has gone: an ended tmux server takes a moment."""
        deadline = time.monotonic() + patience
        while any(map(self.outlived, sessions)) and time.monotonic() < deadline:
            time.sleep(_LOOK_AGAIN)

    def end_orphan(self, session: Session, patience: float) -> None:
        """End the CLI of a lost session that ignored the end of its terminal.

        Nobody can reach it any more, and it must not write to its conversation.
        """
        _, cli = self._processes(session)
        if cli and cli.lives() and not self.outlived(session):
            end_group(cli.pid, patience)

    def _lost_its_server(self, session: Session) -> bool:
        """Return whether the tmux server that the session ran on is not the one that answers."""
        server, _ = self._processes(session)
        try:
            return server is not None and server != self._server()
        except ClawTapError:
            return False  # it did not answer in time, so it is there

    def _processes(self, session: Session) -> list[KnownProcess | None]:
        """Return the tmux server and the CLI that the session ran in, as far as they are known."""
        notes = self.store.marker(session.id, _PROCESSES) or (None, None)
        return [KnownProcess.noted(note) if note else None for note in notes]

    def adopt(self, pane_id: str, adapter_id: str | None) -> Session:
        """Watch a pane that a user started."""
        with self._adopting:
            return self._adopt(pane_id, adapter_id)

    def _adopt(self, pane_id: str, adapter_id: str | None) -> Session:
        pane = next((pane for pane in self.terminal.panes() if pane.id == pane_id), None)
        if pane is None:
            raise NotFound(f"no such pane: {pane_id!r}", code=ErrorCode.PANE_NOT_FOUND)
        if pane.owner in self.running and self._still_runs(self.running[pane.owner]):
            raise Conflict(
                f"pane {pane_id} belongs to a session already", code=ErrorCode.ALREADY_ADOPTED
            )
        if pane.dead:
            raise Conflict(f"the program in pane {pane_id} has ended", code=ErrorCode.PANE_DEAD)
        adapter = self.host.adapter(adapter_id) if adapter_id else self._recognised(pane)
        if is_interactive_shell(pane.argv):
            # Whatever it is adopted as, keys for it would be commands.
            raise Conflict(
                f"pane {pane_id} shows a shell; start the program in it, then adopt it",
                code=ErrorCode.CLI_NOT_THERE,
            )
        if adapter is None:
            raise BadRequest(
                f"no adapter knows {pane.command!r}, which runs in {pane_id}; name one",
                code=ErrorCode.ADAPTER_REQUIRED,
            )
        session = replace(self._new_session(adapter, "adopted", pane.cwd), pane=pane.id)
        self.terminal.claim(pane.id, session.id)
        try:
            return self._begin(session, adapter)
        except BaseException:
            self._release_pane(pane.id, session.id)
            raise

    def _still_runs(self, pane_session: PaneSession) -> bool:
        """Return whether a session's CLI is still in its pane; its end may be noticed only now."""
        deadline = time.monotonic() + pane_session.timings.exit_noticed
        with suppress(ClawTapError):
            pane_session.pane.look()
            while not pane_session.pane.runs_cli() and time.monotonic() < deadline:
                if pane_session.id not in self.running:
                    return False
                time.sleep(_LOOK_AGAIN)
        return pane_session.id in self.running

    def _recognised(self, pane: PaneFacts) -> Adapter | None:
        """Return the adapter that knows this pane's program, which a script may only just start."""
        deadline = time.monotonic() + _STARTS
        while not (adapter := self.knows(pane)) and not is_interactive_shell(pane.argv):
            if time.monotonic() > deadline:
                return None
            time.sleep(_LOOK_AGAIN)
            pane = next((each for each in self.terminal.panes() if each.id == pane.id), pane)
        return adapter

    def knows(self, pane: PaneFacts) -> Adapter | None:
        """Return the adapter whose program runs in this pane, by itself or under another."""
        if adapter := self._adapter_named(program_names(pane.command, pane.argv)):
            return adapter
        wrapped = (program_names(argv[0], argv) for argv in wrapped_argvs(pane.pid) if argv)
        return next(filter(None, map(self._adapter_named, wrapped)), None)

    def _adapter_named(self, names: set[str]) -> Adapter | None:
        """Return the adapter of a program with one of these names."""
        for adapter in self.host.adapters:
            if names & set(adapter.info.commands):
                return adapter
        return None

    def end(self, session: Session) -> None:
        """End a launched session, release an adopted one, or remove an ended one."""
        pane_session = self.running.pop(session.id, None)
        if pane_session is None:
            self.store.drop_session(session)
            return
        pane_session.close()
        self._leave(pane_session, session)
        reason = "ended by the user" if pane_session.launched else RELEASED
        self.store.end_session(session.id, reason)

    def gone(self, pane_session: PaneSession, reason: str, end: PaneEnd) -> None:
        """Handle a pane that is gone, or a CLI that exited."""
        if self.running.pop(pane_session.id, None) is None:
            return
        session = self.store.session(pane_session.id)
        replaced = not end.reported and self._lost_its_server(session)
        if replaced:
            end = PaneEnd(EndCause.TMUX_ENDED)
            reason = end.reason
        self.store.end_session(pane_session.id, reason, lost=end.lost)
        pane_session.close()
        if replaced:
            return  # another tmux server gives the same pane ids to somebody else's panes
        if self._runs_another_program(pane_session, session):
            # Our CLI may have ignored the hang-up, and must not write to its conversation.
            end_group(pane_session.pane.group)
        else:
            self._leave(pane_session, session)

    def _runs_another_program(self, pane_session: PaneSession, session: Session) -> bool:
        """Return whether a launched session's pane was respawned with something else."""
        if not pane_session.launched:
            return False
        try:
            panes = {pane.id: pane for pane in self.terminal.panes()}
        except ClawTapError:
            return False
        pane = panes.get(session.pane or "")
        return pane is not None and not pane.dead and pane.pid != pane_session.pane.group

    def recover(self) -> None:
        """Recover the sessions of the last run; end those whose pane is gone."""
        panes = {pane.owner: pane for pane in self.terminal.panes() if pane.owner}
        for session in self.store.sessions():
            pane = panes.get(session.id)
            back = pane is not None and self._was_out_of_sight(session)
            if session.channel != TERMINAL or (session.state.over and not back):
                continue
            # Before the pane is watched, whose first screen would end the prompt in another way.
            self._fail_unfinished(session)
            try:
                if pane is None:
                    raise NotFound("the pane of the session is gone")
                if back:
                    begun = {"state": SessionState.STARTING, "detail": None}
                    session = self.store.change_session(session.id, **begun)
                self._watch(session, self.host.adapter(session.adapter), pane.id)
            except ClawTapError as error:
                if error.code == ErrorCode.TMUX_TIMEOUT:
                    raise  # the CLI may run on: the next start finds it, if its session is not over
                lost = back or self._lost_its_server(session)
                why = "tmux or the machine stopped" if lost else error.message
                reason = f"while ClawTap did not run: {why}"
                self.store.end_session(session.id, reason, lost=lost)

    def _was_out_of_sight(self, session: Session) -> bool:
        """Return whether a lost session's CLI runs: a start with another tmux socket missed it."""
        if session.state is not SessionState.LOST:
            return False
        _, cli = self._processes(session)
        return cli is not None and cli.lives()

    def desk_typed_at(self) -> float:
        """Return when somebody last typed in a pane, in seconds since 1970; 0 if never."""
        return max((each.desk_typed_at for each in list(self.running.values())), default=0.0)

    def close(self) -> None:
        """Release every pane; all of them stay."""
        for pane_session in list(self.running.values()):
            pane_session.close()
        self.running.clear()

    def _watch(self, session: Session, adapter: Adapter, pane: str) -> None:
        pane_session = self.make(session, adapter)
        self.running[session.id] = pane_session
        try:
            pane_session.attach(self.terminal, pane)
            # Noted for after a crash: another tmux server gives the same ids to other panes.
            processes = self._server(), KnownProcess.running(pane_session.pane.group)
            notes = [known.note if known else None for known in processes]
            self.store.mark(session.id, _PROCESSES, notes, happened=True)
        except BaseException:
            self.running.pop(session.id, None)
            pane_session.close()
            raise

    def _server(self) -> KnownProcess | None:
        pid = self.terminal.server()
        return KnownProcess.running(int(pid)) if pid else None

    def _fail_unfinished(self, session: Session) -> None:
        """Fail an answer that was under way: its steps were written, so keys may have been sent."""
        for prompt in self.store.open_prompts(session.id):
            if prompt.state is PromptState.ANSWERING:
                why = "ClawTap stopped while it typed this answer; look at the screen"
                self.store.end_prompt(prompt.request_id, PromptState.FAILED, detail=why)

    def _new_session(
        self, adapter: Adapter, origin: str, cwd: str, *, mode: str | None = None
    ) -> Session:
        now = self.store.now()
        title = Path(cwd).name or cwd
        return Session(new_id(), adapter.id, "terminal", origin, cwd, title, now, now, mode=mode)

    def _open(self, session: Session, request: LaunchRequest, launch: Launch) -> str:
        return self.terminal.launch(
            launch.argv,
            owner=session.id,
            name=f"clawtap-{request.adapter}-{Path(request.cwd).name}",
            cwd=request.cwd,
            env={**self.env, **launch.env},
            cols=request.cols,
            rows=request.rows,
        ).id

    def _begin(self, session: Session, adapter: Adapter) -> Session:
        assert session.pane  # noqa: S101 - terminal sessions have one
        self.store.add_session(session)
        try:
            self._watch(session, adapter, session.pane)
        except BaseException:
            self.store.drop_session(session)
            raise
        return self.store.session(session.id)

    def _leave(self, pane_session: PaneSession, session: Session) -> None:
        """Close the pane of a launched session; release that of an adopted one."""
        if session.pane and pane_session.launched:
            self._kill_pane(session.pane)
        elif session.pane:
            self._release_pane(session.pane, session.id)

    def _kill_pane(self, pane: str) -> None:
        try:
            self.terminal.kill(pane)
        except ClawTapError:
            log.debug("pane %s was gone already", pane)

    def _release_pane(self, pane: str, owner: str) -> None:
        """Free a pane, unless another session has adopted it since."""
        try:
            with self._adopting:
                if any(facts.owner == owner for facts in self.terminal.panes() if facts.id == pane):
                    self.terminal.claim(pane, None)
        except ClawTapError:
            log.debug("pane %s was gone already", pane)


def _resume_request(store: StateStore, session: Session, adapter: Adapter) -> LaunchRequest:
    """Return what starts the session's CLI again in its conversation, in its last mode."""
    request = launch_again(store, session, resume=session.cli_session_id)
    if session.model in {model.id for model in adapter.info.models}:
        request = replace(request, model=session.model)
    if session.mode in {mode.id for mode in adapter.info.permission_modes}:
        switched = replace(request, permission_mode=session.mode)
        # Some modes can be switched to, but not started in.
        return switched if adapter.launch(switched) else request
    return request
