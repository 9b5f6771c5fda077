"""Which ports a program listens on."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest

from clawtap_core.system import listeners
from clawtap_core.system.listeners import listening_ports
from clawtap_core.system.processes import environment

pytestmark = pytest.mark.process

LISTEN = """
import socket, sys
found = socket.create_server((sys.argv[1], 0), family=socket.AF_INET)
print(found.getsockname()[1], flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def listening(address, **more):
    """A program that listens, and its port."""
    argv = [sys.executable, "-c", LISTEN, address]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(argv, start_new_session=True, **pipes, **more) as program:
        yield program.pid, int(program.stdout.readline())
        program.stdin.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_a_programs_port_is_its_own(address):
    with listening(address) as (first, port), listening(address) as (second, other):
        assert listening_ports(first) == {port}
        assert listening_ports(second) == {other}


def test_a_program_that_is_over_listens_nowhere():
    with listening("127.0.0.1") as (pid, port):
        assert listening_ports(pid) == {port}
    assert listening_ports(pid) == frozenset()


def test_a_program_that_ends_meanwhile_listens_nowhere(monkeypatch):
    over = subprocess.Popen(["true"])
    over.wait()
    monkeypatch.setattr(listeners, "group_members", lambda group: [group])
    assert listening_ports(over.pid) == frozenset()


def test_lsof_says_it_where_there_is_no_proc(monkeypatch):
    printed = "p1\nf3\nn127.0.0.1:4096\nf4\nn*:5000\nf5\nn192.168.1.2:6000\nnnonsense\n"
    monkeypatch.setattr(listeners, "has_proc", lambda: False)
    monkeypatch.setattr(listeners, "program_output", lambda *argv, seconds: printed)
    assert listening_ports(1) == {4096, 5000}


def test_the_environment_of_a_program_is_read_where_the_system_shows_it():
    with listening("127.0.0.1", env={"PATH": "/usr/bin:/bin", "PASSWORD": "a=b"}) as (pid, _):
        assert environment(pid) in (None, {"PATH": "/usr/bin:/bin", "PASSWORD": "a=b"})
    assert environment(pid) is None
