"""Where the watched panes are, kept up to date by tmux's notices without polling."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable

from clawtap_core.errors import ClawTapError, ErrorCode, Unavailable
from clawtap_core.terminal.api import EndCause, PaneEnd
from clawtap_core.terminal.capture import record_format, records
from clawtap_core.terminal.command_client import CommandClient
from clawtap_core.terminal.output_clients import OutputClients
from clawtap_core.terminal.watched_pane import WatchedPane

log = logging.getLogger(__name__)
_FIELDS = ("pane_id", "session_id", "pane_width", "pane_height", "pane_dead")
_RETRY = 1.0


class Topology:
    """Locate the panes whenever something moved, and listen to them there.

    A notice triggers one look; those that arrive meanwhile trigger one more. The thread sleeps
    without a timer until the next notice.
    """

    def __init__(
        self,
        link: CommandClient,
        watchers: OutputClients,
        *,
        panes: Callable[[], Iterable[WatchedPane]],
        mark: Callable[[WatchedPane], None],
    ) -> None:
        self._link, self._watchers, self._panes, self._mark = link, watchers, panes, mark
        self._settling = threading.Lock()
        self._wake = threading.Condition()
        self._moved = self._closed = False
        self._thread = threading.Thread(target=self._run, name="clawtap-topology", daemon=True)
        self._thread.start()

    def moved(self) -> None:
        """Note that a pane, window or session moved, came or went."""
        with self._wake:
            self._moved = True
            self._wake.notify()

    def settle(self) -> None:
        """Locate the panes, and listen to them there."""
        with self._settling:
            watched = list(self._panes())
            if not watched:
                self._watchers.settle({})
                return
            facts = self._look()
            for pane in watched:
                if pane.id not in facts:
                    pane.vanish(PaneEnd(EndCause.CLOSED))
            here = [pane for pane in watched if pane.id in facts]
            homes = {pane.id: [row[1] for row in facts[pane.id]] for pane in here}
            unheard = self._watchers.settle(homes)
            for pane in here:
                _, _, cols, rows, dead = facts[pane.id][0]
                changed = dead == "1" or pane.size != (int(cols), int(rows))
                if changed or pane.missed or pane.id in unheard:
                    self._mark(pane)

    def close(self) -> None:
        """Stop the thread and its clients."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()
        with self._settling:
            self._watchers.close()

    def _look(self) -> dict[str, list[list[str]]]:
        command = ("list-panes", "-a", "-F", record_format(_FIELDS))
        try:
            (lines,) = self._link.run(command)
        except Unavailable:
            # Only a new connection tells a lost one from a lost server.
            (lines,) = self._link.run(command)
        facts = defaultdict(list)
        for row in records(lines, len(_FIELDS)):
            facts[row[0]].append(row)
        return facts

    def _run(self) -> None:
        failed = False
        while True:
            with self._wake:
                # After a failed look no further notice may come for what has moved.
                self._wake.wait_for(lambda: self._moved or self._closed, _RETRY if failed else None)
                if self._closed:
                    return
                self._moved = False
            failed = not self._settled()

    def _settled(self) -> bool:
        try:
            self.settle()
        except ClawTapError as error:
            if error.code != ErrorCode.TMUX_GONE:
                log.warning("could not look where the panes are: %s", error.message)
                return False
            for pane in self._panes():
                pane.vanish(PaneEnd(EndCause.TMUX_ENDED))
        except Exception:
            log.exception("could not look where the panes are")
            return False
        return True
