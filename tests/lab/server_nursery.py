"""Forks a server for each line of JSON on stdin: what all of them import is imported once.

It answers with "started PID", and says "ended PID STATUS" when one has ended.
It imports nothing before gevent has patched, and never waits by gevent: a loop cannot be forked.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path

IMPORTED_LATE = (
    "clawtap_core.cli.serve",
    "clawtap_core.fleet.view",
    "clawtap_core.runtime",
    "clawtap_core.server.serve",
    "webui.site",
)


def main() -> None:
    """Serve orders until stdin ends, then end every server."""
    from gevent import monkey

    from clawtap_core.server.entry import metadata_read_once

    # gevent's own would start its loop.
    fork, waitpid, handle = os.fork, os.waitpid, signal.signal
    with metadata_read_once():
        monkey.patch_all(queue=False)
    from importlib import import_module
    from importlib.metadata import entry_points

    for entry in entry_points(group="clawtap"):
        entry.load()
    for name in IMPORTED_LATE:
        import_module(name)
    gc.freeze()
    started, ended = set(), set()

    def collect(*_) -> None:
        with suppress(ChildProcessError):
            while (found := waitpid(-1, os.WNOHANG))[0]:
                pid, status = found
                ended.add(pid)
                say("ended", pid, os.waitstatus_to_exitcode(status))

    handle(signal.SIGCHLD, collect)
    for line in sys.stdin:
        # A server that ends at once is reported after its start: its process id may be one that
        # an earlier server had.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        if (pid := fork()) == 0:
            handle(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            serve(json.loads(line))
        started.add(pid)
        ended.discard(pid)
        say("started", pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for pid in started - ended:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def say(*words) -> None:
    """Write a line, from a signal handler, too."""
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


def serve(order) -> None:
    """Be a server, as `clawtap serve` is, or a command with its `argv`; this never returns."""
    status = 1
    try:
        log = os.open(order["log"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, source in enumerate((nothing, log, log)):
            os.dup2(source, descriptor)
        if timings := order.get("fleet_timings"):
            from clawtap_core.fleet.timings import FLEET_TIMINGS

            change_timings(FLEET_TIMINGS, timings)
        if argv := order.get("argv"):
            from clawtap_core.cli import main as command

            os.environ.clear()
            os.environ.update(order["env"])
            sys.argv = argv
            command()
        from fault_points import FaultPoints

        from clawtap_core.config import load_settings
        from clawtap_core.server.serve import serve

        for name, most in order.get("limits", {}).items():
            limit = getattr(resource, f"RLIMIT_{name}")
            resource.setrlimit(limit, (most, most))
        for name in order.get("without", ()):
            os.environ.pop(name, None)
        os.environ.update(order.get("env", {}))
        if clock := order.get("clock"):
            move_clock(Path(clock))
        if timings := order.get("timings"):
            from clawtap_core.runtime.timings import DEFAULT_TIMINGS

            change_timings(DEFAULT_TIMINGS, timings)
        if plugins := order.get("plugins"):
            add_plugins(plugins)
        if fault := order["fault"]:
            FaultPoints(**{**fault, "trace": Path(fault["trace"])}).install()
        status = serve(load_settings(order["settings"]))
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def move_clock(path) -> None:
    """Add the seconds in a file, as soon as there is one, to the time of day."""
    import time
    from datetime import datetime, timedelta

    from clawtap_core.model import moments

    now = time.time

    def moved() -> float:
        return float(path.read_text()) if path.exists() else 0.0

    class MovedClock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(seconds=moved())

    moments.datetime = MovedClock
    time.time = lambda: now() + moved()


def change_timings(defaults, timings) -> None:
    """Give the parts of this server other waits than the usual ones."""
    for name, seconds in timings.items():
        assert hasattr(defaults, name), name
        object.__setattr__(defaults, name, seconds)


def add_plugins(plugins) -> None:
    """Load more plugins, from modules of these names."""
    from importlib import import_module

    from clawtap_core.host import Host

    installed = Host.installed

    def with_plugins(**settings):
        host = installed(**settings)
        for name in plugins:
            for plugin_name, plugin in import_module(name).PLUGINS.items():
                host.add(plugin, plugin_name)
        return host

    Host.installed = with_plugins


if __name__ == "__main__":
    main()
