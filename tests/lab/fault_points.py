"""Named moments of an answer at which a server can be killed.

They are put around the product's own functions in a server that a test forks: the product has no
switch for them. Between two of them the server changes nothing outside of itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

ANSWERS = ("/respond", "/message")


@dataclass
class FaultPoints:
    """Kills this process when a point is reached for the n-th time since the first answer came.

    Each point is a line of the file `trace`. `instead`: a command that runs in place of the death.
    `answers`: how the paths of the first answer end.
    """

    trace: Path
    point: str = ""
    times: int = 1
    instead: tuple[str, ...] = ()
    answers: tuple[str, ...] = ANSWERS
    armed: bool = False
    reached: dict[str, int] = field(default_factory=dict)

    def reach(self, name: str) -> None:
        """Note that a point was reached, or die there as kill -9 does it."""
        if not self.armed:
            return
        self.reached[name] = self.reached.get(name, 0) + 1
        with suppress(OSError), self.trace.open("a") as file:
            file.write(f"{name}\n")
        if name == self.point and self.reached[name] == self.times:
            if self.instead:
                subprocess.run(self.instead, check=True, timeout=60)
            else:
                os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> None:
        """Put every point around what it is named after."""
        self._requests()
        self._decisions()
        self._journal()
        self._keys()

    def _requests(self) -> None:
        from clawtap_core.server import serve

        create_app = serve.create_app

        def create(*args, **settings):
            app = create_app(*args, **settings)
            handle = app.wsgi_app

            def answer(environ, start_response):
                if not environ["PATH_INFO"].endswith(tuple(self.answers)):
                    return handle(environ, start_response)
                self.armed = True
                self.reach("the request came")
                reply = handle(environ, start_response)
                self.reach("before the reply")
                return reply

            app.wsgi_app = answer
            return app

        serve.create_app = create

    def _decisions(self) -> None:
        from clawtap_core.host import Adapter
        from clawtap_core.runtime.delivery import executor
        from clawtap_core.runtime.panes.session import PaneSession
        from clawtap_core.runtime.state.store import StateStore

        self._around(StateStore, "begin_answer", "", "the answer is taken")
        self._around(Adapter, "respond", "", "the adapter said its steps")
        self._around(Adapter, "compose", "", "the adapter said its steps")
        self._around(executor, "confirmed", "", "the outcome was seen")
        typing = PaneSession.typing

        @contextmanager
        def typing_begins(*args, **more):
            with typing(*args, **more):
                self.reach("typing begins")
                yield

        PaneSession.typing = typing_begins

    def _journal(self) -> None:
        from clawtap_core.journal import SqliteJournal

        append = SqliteJournal.append

        def written(journal, events, change=None):
            names = [
                f"{event.type} with steps" if "steps" in event.data else event.type
                for event in events
            ]
            what = " and ".join(names) or "a marker"
            self.reach(f"before {what} is written")
            numbered = append(journal, events, change)
            self.reach(f"{what} is written")
            return numbered

        SqliteJournal.append = written

    def _keys(self) -> None:
        from clawtap_core.terminal.control_client import ControlClient
        from clawtap_core.terminal.watched_pane import WatchedPane

        for name in ("press", "press_alone", "type", "paste"):
            self._around(WatchedPane, name, "before a key", "after a key")
        write = ControlClient._write

        def written(client, data):
            write(client, data)
            if b"send-keys" in data or b"paste-buffer" in data:
                self.reach("a key is on its way")

        ControlClient._write = written

    def _around(self, owner, name, before, after) -> None:
        function = getattr(owner, name)

        def around(*args, **more):
            if before:
                self.reach(before)
            result = function(*args, **more)
            self.reach(after)
            return result

        setattr(owner, name, around)
