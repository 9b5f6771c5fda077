"""`make fleet`: three machines to try on this one, and nothing of them when it has ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from patience import until

from clawtap_core.testing.leaks import tmux_folder
from clawtap_core.testing.server_process import clean_environment

pytestmark = pytest.mark.process
CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def try_fleet(tmp_path, tmp_path_factory):
    """Starts what `make fleet` starts, as a terminal does: with a process group of its own."""
    started = []
    # A short path: the socket of Redis is in it.
    folder = tmp_path_factory.mktemp("f")

    def start(**environment):
        fleet = subprocess.Popen(
            [sys.executable, str(CHECKOUT / ".ci" / "fleet.py")],
            env={**clean_environment(tmp_path / "home"), "TMPDIR": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A shell that starts the tests in the background makes them ignore Ctrl+C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(fleet)
        return fleet, folder

    yield start
    for fleet in started:
        if fleet.poll() is None:
            os.killpg(fleet.pid, signal.SIGTERM)
        fleet.communicate(timeout=60)


def commands():
    """The command lines of all processes of this machine."""
    listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True)
    return listed.stdout


@pytest.mark.redis
@pytest.mark.tmux
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_three_machines_show_at_one_url_and_nothing_stays(try_fleet, redis_server, end):
    fleet, folder = try_fleet()
    line = next(line for line in fleet.stdout if "http" in line)
    url, code = re.search(r"(http://127\.0\.0\.1:\d+)/login#pair=([\w-]+)$", line.strip()).groups()
    browser = requests.Session()
    assert browser.post(f"{url}/api/login", json={"code": code, "name": "browser"}).ok
    machines = {each["name"]: each for each in browser.get(f"{url}/api/machines").json()}
    assert list(machines) == ["desk", "laptop", "server"]
    assert {each["state"] for each in machines.values()} == {"online"}
    until(lambda: len(browser.get(f"{url}/api/pending").json()) == 3, 60)
    sockets = list(tmux_folder().glob(f"clawtap-fleet-{fleet.pid}-*"))
    assert len(sockets) == 3
    assert str(folder) in commands()
    # Ctrl+C reaches all that runs in the terminal.
    os.killpg(fleet.pid, end)
    rest = fleet.communicate(timeout=60)[0]
    assert fleet.returncode == 0, rest
    assert "Traceback" not in rest
    assert list(folder.iterdir()) == []
    assert [one for one in sockets if one.exists()] == []
    until(lambda: str(folder) not in commands())


def test_without_redis_server_it_says_what_to_install(try_fleet, tmp_path):
    (tmp_path / "bin").mkdir()
    fleet, folder = try_fleet(PATH=str(tmp_path / "bin"))
    said = fleet.communicate(timeout=60)[0]
    assert said == "error: redis-server is missing; install it (apt-get install redis-server)\n"
    assert (fleet.returncode, list(folder.iterdir())) == (1, [])


def test_the_makefile_sets_up_what_it_needs():
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    rule = re.search(r"^fleet: (.*)\n\t@(.*)$", makefile, re.MULTILINE)
    assert rule, "the Makefile has no target fleet"
    assert {"tmux", "redis"} <= set(rule[1].split())
    assert ".ci/fleet.py" in rule[2]
