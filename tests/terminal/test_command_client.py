"""The connection that carries commands, and what is left of it."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from patience import until

from clawtap_core.errors import ClawTapError, Unavailable
from clawtap_core.system.processes import lives
from clawtap_core.terminal.anchor_session import AnchorSession
from clawtap_core.terminal.command_client import CommandClient
from clawtap_core.terminal.errors import not_started
from clawtap_core.terminal.program import Tmux, client_environment, server_environment

pytestmark = pytest.mark.tmux


def keepers(desk):
    names = desk("-N", "list-sessions", "-F", "#{session_name}", check=False).splitlines()
    return [name for name in names if name.startswith("clawtap-keeper-")]


@pytest.fixture
def link(desk, environment):
    desk.new("cat")
    link = CommandClient(
        Tmux(desk.socket, environment), on_notice=lambda _: None, on_lost=lambda: None
    )
    yield link
    link.close()


def test_commands_of_many_threads_get_their_own_answers(link):
    wrong = []

    def ask(name):
        for number in range(50):
            said = link.run(
                ("display-message", "-p", f"{name}-{number}"), ("display-message", "-p", "end")
            )
            if said != ((f"{name}-{number}".encode(),), (b"end",)):
                wrong.append(said)

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_refused_command_stops_its_line_and_nothing_else(link):
    for command in (("bogus",), ("kill-pane", "-t", "%99")):
        with pytest.raises(ClawTapError):
            link.run(("display-message", "-p", "a"), command, ("display-message", "-p", "b"))
        assert link.run(("display-message", "-p", "c")) == ((b"c",),)


def test_what_a_pane_prints_cannot_pose_as_an_answer(link, desk):
    desk("set-option", "-g", "@text", "%end 1 1 1\n%begin 1 2 1\n%exit")
    assert link.run(("display-message", "-p", "#{@text}"), ("display-message", "-p", "x"))[1] == (
        b"x",
    )


def test_a_lost_connection_is_made_again(link, desk):
    link.run(("display-message", "-p", "a"))
    (before,) = keepers(desk)
    desk("kill-session", "-t", before)
    until(lambda: not link._client.alive)
    assert link.run(("display-message", "-p", "b")) == ((b"b",),)
    assert len(keepers(desk)) == 1


def test_a_client_that_is_killed_is_replaced(link, desk):
    link.run(("display-message", "-p", "a"))
    os.kill(int(desk("list-clients", "-F", "#{client_pid}")), signal.SIGKILL)
    until(lambda: not link._client.alive)
    assert link.run(("display-message", "-p", "b")) == ((b"b",),)


def test_a_server_that_is_gone_is_reported_and_not_started(link, desk):
    link.run(("display-message", "-p", "a"))
    desk("kill-server")
    with pytest.raises(ClawTapError, match="cannot be reached") as caught:
        link.run(("display-message", "-p", "a"))
    assert caught.value.code == "tmux_gone"
    assert desk("-N", "list-sessions", check=False) == ""


def test_a_server_that_does_not_answer_is_reported(link, desk):
    link.run(("display-message", "-p", "a"))
    server = int(desk("display-message", "-p", "#{pid}"))
    os.kill(server, signal.SIGSTOP)
    try:
        with pytest.raises(ClawTapError) as caught:
            link._client.run(("display-message", "-p", "b"), timeout=0.2)
        assert caught.value.code == "tmux_timeout"
    finally:
        os.kill(server, signal.SIGCONT)
    assert link.run(("display-message", "-p", "c")) == ((b"c",),)


def test_the_keeper_only_waits_with_hardly_an_environment(link, desk):
    link.run(("display-message", "-p", "a"))
    (name,) = keepers(desk)
    pid = desk("display-message", "-p", "-t", f"={name}:", "#{pane_pid}")
    until(lambda: desk.ask(f"={name}:", "pane_current_command") == "sh")
    environ = Path(f"/proc/{pid}/environ").read_bytes()
    names = {entry.split(b"=")[0] for entry in environ.split(b"\0")[:-1]}
    assert names <= {b"PATH", b"PWD", b"OLDPWD", b"SHLVL", b"_"}


KILLED = """
import sys, time
from clawtap_core.terminal.tmux import TmuxTerminal
class Nobody:
    def screen_changed(self, screen): pass
    def gone(self, end, last): pass
terminal = TmuxTerminal(sys.argv[1])
for pane in sys.argv[2:]:
    terminal.watch(pane, Nobody())
print("watching", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("_", range(5))
def test_nothing_stays_after_kill_9(desk, _):
    name = desk.new("cat")
    script = [sys.executable, "-c", KILLED, desk.socket, name]
    with subprocess.Popen(script, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"watching\n"
        assert len(keepers(desk)) == 1
        child.kill()
    until(lambda: keepers(desk) == [] and desk("list-clients") == "")
    assert desk.ask(name, "pane_dead") == "0"


def test_environments_are_cut_to_what_is_needed():
    ours = {"PATH": "p", "LC_ALL": "C", "SECRET": "s", "TMUX": "/s,1,1", "CLAWTAP_TOKEN": "t"}
    ours |= {"COLUMNS": "7", "LINES": "3"}
    assert client_environment(ours) == {"PATH": "p", "LC_ALL": "C"}
    assert server_environment(ours) == {"PATH": "p", "LC_ALL": "C", "SECRET": "s"}


def test_the_server_that_a_plain_tmux_reaches_is_the_default():
    assert Tmux(None, {}).command == ["tmux", "-u"]
    assert Tmux(None, {"TMUX": "/tmp/x/y,12,0"}).command == ["tmux", "-u", "-S", "/tmp/x/y"]
    assert Tmux("name", {"TMUX": "/tmp/x/y,1,0"}).command == ["tmux", "-u", "-L", "name"]
    assert Tmux("/a/b", {}).command == ["tmux", "-u", "-S", "/a/b"]


@pytest.mark.parametrize("panes", [1, 4])
@pytest.mark.parametrize("_", range(5))
def test_a_tmux_server_can_end_when_we_are_killed_with_it(desk, panes, _, tmp_path):
    names = [desk.new("cat", name=f"desk{number}") for number in range(panes)]
    server = int(desk("display-message", "-p", "#{pid}"))
    script = [sys.executable, "-c", KILLED, desk.socket, *names]
    own = tmp_path / "own"
    own.mkdir()
    env = {**os.environ, "TMPDIR": str(own)}
    with subprocess.Popen(script, stdout=subprocess.PIPE, env=env) as child:
        assert child.stdout.readline() == b"watching\n"
        # The anchor session removes its folder once it listens.
        until(lambda: not list(own.iterdir()))
        desk("kill-server")
        child.kill()
    until(lambda: not lives(server))


def test_our_clients_end_with_us_where_no_program_is_called_kill(tmp_path, monkeypatch):
    programs, own = tmp_path / "bin", tmp_path / "own"
    programs.mkdir()
    own.mkdir()
    for name in ("sh", "rm"):
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setattr(os, "defpath", str(programs))
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    anchor = AnchorSession()
    command = anchor.command()
    waiting = command[command.index("--") + 1 : command.index(";")]
    with subprocess.Popen(["sleep", "60"]) as client, subprocess.Popen(waiting):
        until(lambda: not list(own.iterdir()))
        anchor.announce([client.pid])
        anchor.close()
        try:
            assert client.wait(60) == -signal.SIGKILL
        finally:
            client.kill()


def test_a_client_that_cannot_be_started_leaves_nothing_behind(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise not_started(OSError(errno.EMFILE, "Too many open files"))

    monkeypatch.setattr(Tmux, "client", refuse)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    link = CommandClient(Tmux("nowhere", {}), on_notice=lambda _: None, on_lost=lambda: None)
    with pytest.raises(Unavailable, match="Too many open files"):
        link.run(("display-message", "-p", "#{pid}"))
    link.close()
    assert list(tmp_path.iterdir()) == []
