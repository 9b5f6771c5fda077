"""What another machine costs: one more step through Redis, hubs with many clients, memory."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench import clients
from bench.figure import Figure
from bench.ground import CHECKOUT, Ground, environment, until
from bench.poster import Poster
from bench.times import painter_times
from clawtap_core.config import Settings
from clawtap_core.fleet.key_file import FleetKey, write_key
from clawtap_core.fleet.keys import MOST_EVENTS
from clawtap_core.fleet.publisher import Publisher
from clawtap_core.fleet.redis_client import FleetRedis, connect
from clawtap_core.fleet.timings import FLEET_TIMINGS
from clawtap_core.model import Event
from clawtap_core.testing import Client, Served
from clawtap_core.testing.leaks import SOCKET_PREFIX
from clawtap_core.testing.server_process import TOKEN

# The median and the fastest tenth, in ms: on a busy machine only the latter says something.
Times = tuple[float, float]


class Fleet:
    """A Redis and the machines and hubs on it, all in one folder."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.key = FleetKey.new(f"unix://{folder}/redis.sock")
        self.redis = connect(self.key.redis_url)
        self.start_redis()
        stack.callback(self.stop_redis)

    def start_redis(self) -> None:
        """Start an empty Redis."""
        server = shutil.which("redis-server")
        if not server:
            raise RuntimeError("redis-server is not installed: apt-get install redis-server")
        options = ("--port", "0", "--unixsocket", f"{self.folder}/redis.sock", "--save", "")
        self._server = subprocess.Popen(
            (server, *options, "--dir", str(self.folder)), stdout=subprocess.DEVNULL
        )
        until(self._answers)

    def _answers(self) -> bool:
        try:
            return bool(self.redis.time())
        except Exception:
            return False

    def stop_redis(self) -> None:
        """Kill it."""
        self._server.kill()
        self._server.wait()

    def memory(self) -> float:
        """Return what Redis uses, in MB."""
        return float(self.redis.info("memory")["used_memory"]) / 1e6

    def machine(self, name: str) -> Ground:
        """Start a machine."""
        ground = Ground(
            self._joined(name), f"{SOCKET_PREFIX}{name}", arguments=("--machine-name", name)
        )
        self._stack.callback(ground.stop)
        ground.start()
        return ground

    def hub(self, name: str) -> Served:
        """Start a hub."""
        folder = self._joined(name)
        hub = Served(folder, tmux_socket=None, env=environment(folder), subcommand="hub")
        self._stack.callback(hub.stop)
        return hub.start()

    def _joined(self, name: str) -> Path:
        data = self.folder / name / "data"
        data.mkdir(parents=True, mode=0o700)
        write_key(Settings(data_dir=data).fleet_key, self.key)
        return data.parent

    @contextmanager
    def scripted(self, machines: int, sessions: int) -> Iterator[Any]:
        """Run machines with so many sessions each; yields what changes some of them."""
        write_key(Settings(data_dir=self.folder).fleet_key, self.key)
        program = subprocess.Popen(
            (
                *(sys.executable, "-m", "bench.scripted_machines"),
                *(str(self.folder), str(machines), str(sessions)),
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=CHECKOUT,
        )
        assert program.stdin
        assert program.stdout
        program.stdout.readline()

        def change(events: int) -> None:
            program.stdin.write(f"change {events}\n")  # type: ignore[union-attr]
            program.stdin.flush()  # type: ignore[union-attr]
            program.stdout.readline()  # type: ignore[union-attr]

        try:
            yield change
        finally:
            program.stdin.close()
            program.wait()
            program.stdout.close()


@contextmanager
def _fleet() -> Iterator[Fleet]:
    with tempfile.TemporaryDirectory(prefix="clawtap-bench-") as name, ExitStack() as stack:
        yield Fleet(Path(name), stack)


def seen(rounds: int) -> Figure:
    """A prompt on one machine: until a client of another has it, against a client of the first."""
    with _fleet() as fleet:
        there, here, _, _ = _rounds(fleet, rounds)
    note = f"{there[1]:.1f} ms against {here[1]:.1f} in the fastest tenth; 1 ms more is the goal"
    what = "prompt on B → event at A"
    return Figure("fleet_seen", what, there[0], here[0] + 1, "ms", 1, note)


def answered(rounds: int) -> Figure:
    """An answer posted at one machine: until the CLI on another has the key."""
    with _fleet() as fleet:
        _, _, there, here = _rounds(fleet, rounds)
    note = f"{there[1]:.1f} ms against {here[1]:.1f} in the fastest tenth; 2 ms more is the goal"
    what = "POST at A → key on B"
    return Figure("fleet_answered", what, there[0], here[0] + 2, "ms", 1, note)


def _rounds(fleet: Fleet, rounds: int) -> tuple[Times, Times, Times, Times]:
    """Return times: seen at A and B, answered at A and B; each prompt is that of a session on B.

    Both see each prompt; they answer in turn.
    """
    b, a = fleet.machine("b"), fleet.machine("a")
    until(lambda: len(a.client.get("/api/machines").body) == 2)
    log = fleet.folder / "painter.log"
    watched = [a.client.events(), b.client.events()]
    posters = [Poster(each.client.url, TOKEN) for each in (a, b)]
    until(lambda: all(one.seen for one in watched))
    b.open("ask", str(log), str(2 * rounds))
    at, posted, met = ([], []), ([], []), set()  # type: ignore[var-annotated]
    for number in range(2 * rounds):

        def new(data: Any) -> bool:
            return data["requestId"] not in met

        both = [one.wait("approval_required", where=new, seconds=30) for one in watched]
        for times, event in zip(at, both, strict=True):
            times.append(event.at)
        request_id = both[0].data["requestId"]
        met.add(request_id)
        posted[number % 2].append(time.monotonic())
        path = f"/api/sessions/{b.sessions[0]}/approve"
        posters[number % 2].post(path, {"requestId": request_id})
    until(lambda: len(painter_times(log)) == 2 * rounds)
    for poster in posters:
        poster.close()
    for one in watched:
        one.close()
    painted, read = zip(*painter_times(log), strict=True)
    return (
        _times(at[0], painted),
        _times(at[1], painted),
        _times(read[0::2], posted[0]),
        _times(read[1::2], posted[1]),
    )


def _times(ends: Any, begins: Any) -> Times:
    took = sorted(1e3 * (end - begin) for end, begin in zip(ends, begins, strict=True))
    return statistics.median(took), took[len(took) // 10]


def hubs(machines: int, sessions: int, count: int, rounds: int) -> Figure:
    """Clients over two hubs of ten machines, against half of them on one machine alone."""
    with _fleet() as fleet, fleet.scripted(machines, sessions) as change:
        pair = [fleet.hub(f"hub{number}") for number in range(2)]
        for hub in pair:
            until(partial(_shows, hub.client, machines * sessions))
        before = fleet.memory()
        ours, slow = clients.measure(
            [(hub.url, _pid(hub)) for hub in pair], lambda: change(1), count // 2, rounds
        )
        after = fleet.memory()
    theirs, alone = clients.on_one_machine(count // 2, rounds * machines)
    note = f"p99 {slow:.0f} ms, alone {alone:.0f}; Redis {before:.0f} → {after:.0f} MB"
    what = f"CPU a delivery, {count} clients, two hubs, {machines * sessions} sessions"
    return Figure("fleet_clients", what, ours, theirs, "µs", 0.5, note)


def _sessions(client: Client) -> Any:
    listed = client.get("/api/sessions").body
    return [one for one in listed if one["machine"]["state"] == "online"]


def _shows(client: Client, count: int) -> bool:
    return len(_sessions(client)) == count


def _pid(served: Served) -> int:
    assert served.process
    return served.process.pid


def memory(events: int) -> Figure:
    """What Redis has of one machine after twice as many events as it keeps, against once."""
    with _fleet() as fleet:
        redis = FleetRedis.open(fleet.key)
        publisher = Publisher(redis, "m1", None)  # type: ignore[arg-type]
        sizes = []
        for part in range(2):
            for number in range(events):
                publisher.publish(_event(part * events + number))
            sizes.append(fleet.memory())
    note = f"after {events} and {2 * events} events of 1 kB, about {MOST_EVENTS} are kept"
    return Figure("fleet_memory", "memory of Redis", sizes[1], sizes[0], "MB", 0.95, note)


def _event(number: int) -> Event:
    from datetime import datetime, timezone

    now = datetime.now(timezone.utc)
    return Event("message", now, "s1", {"text": "x" * 1000, "number": number}, number)


def back(rounds: int) -> Figure:
    """Redis is killed and started: until a hub shows the sessions again, against two renewals."""
    took = []
    with _fleet() as fleet, fleet.scripted(1, 10):
        hub = fleet.hub("hub")
        for _ in range(rounds):
            until(partial(_shows, hub.client, 10))
            fleet.stop_redis()
            until(lambda: not _sessions(hub.client))
            fleet.start_redis()
            began = time.monotonic()
            until(partial(_shows, hub.client, 10))
            took.append(time.monotonic() - began)
    note = f"{min(took):.1f} to {max(took):.1f} s"
    what = "Redis starts → a hub shows all again"
    goal = 2 * FLEET_TIMINGS.renewal
    return Figure("fleet_back", what, statistics.median(took), goal, "s", 1, note)
