"""A CLI as a child process."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from clawtap_core.errors import Conflict, Unavailable
from clawtap_core.protocol import Child

pytestmark = pytest.mark.process


def ended(start, script, **more):
    over, seen = threading.Event(), []

    def note(exit_):
        seen.append(exit_)
        over.set()

    process = start(script, ended=note, **more)
    return process, over, seen


def test_a_child_that_ends_says_how_and_its_last_words(child):
    script = "import sys; print('a\\nb\\n\\x1b[31mwhy', file=sys.stderr); sys.exit(3)"
    _, over, seen = ended(child, script)
    assert over.wait(60)
    assert seen[0].status == 3
    assert seen[0].reason == "ended with status 3: a\nb\nwhy"


def test_what_a_child_wrote_comes_before_its_end(child):
    got = []
    _, over, _ = ended(child, "print('x' * 500_000)", received=got.append)
    assert over.wait(60)
    assert b"".join(got) == b"x" * 500_000 + b"\n"
    assert got[-1] == b""


def test_closing_ends_the_input_first(child):
    process, over, seen = ended(child, "import sys; sys.stdin.read(); sys.exit(7)")
    process.close()
    assert over.wait(60)
    assert seen[0].status == 7


def test_a_child_that_does_not_listen_is_made_to_end(child):
    script = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True)\n" + (
        "time.sleep(600)"
    )
    ready = threading.Event()
    process, over, seen = ended(child, script, received=lambda data: ready.set())
    assert ready.wait(60)
    process.close(grace=0.1)
    assert over.wait(60)
    assert seen[0].status == -9


def test_children_of_a_child_end_with_it(child):
    script = "import subprocess, time; print(subprocess.Popen(['sleep', '600']).pid, flush=True)\n"
    got, reported = [], threading.Event()

    def note(data):
        got.append(data)
        reported.set()

    _, over, _ = ended(child, script, received=note)
    assert over.wait(60)
    grandchild = int(b"".join(got))
    until = time.monotonic() + 60
    while time.monotonic() < until and alive(grandchild):
        time.sleep(0.01)
    assert not alive(grandchild)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_child_that_reads_nothing_holds_up_nobody(child):
    process, over, _ = ended(child, "import time; time.sleep(600)")
    written = [process.write(b"x" * 2**20) for _ in range(20)]
    assert not written[0].done()
    with pytest.raises(Conflict, match="does not read"):
        written[-1].result(60)
    process.close(grace=0.1)
    assert over.wait(60)
    with pytest.raises(Exception, match="ended"):
        written[0].result(60)
    with pytest.raises(Conflict, match="ended"):
        process.write(b"late").result(60)


def test_a_reader_that_fails_goes_on_reading(child):
    got = []

    def take(data):
        got.append(data)
        raise ValueError("rubbish")

    _, over, _ = ended(child, "print('one', flush=True); print('two')", received=take)
    assert over.wait(60)
    assert b"two" in b"".join(got)


def test_a_program_that_is_not_there_is_unavailable(tmp_path):
    with pytest.raises(Unavailable, match="could not be started"):
        Child([str(tmp_path / "nothing")], cwd=str(tmp_path), env=dict(os.environ))
