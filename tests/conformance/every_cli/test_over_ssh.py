"""A CLI on another machine, through ssh in the watched pane: only its screen and its keys are here.

It needs `sshd`, and is skipped without one. That machine is this one, with a home of its own.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_testbed import CliSession
from every_cli import on_every_version
from patience import until
from shell_at_the_desk import PROMPT, open_shell, run_in_shell, start_command

from clawtap_core.terminal.foreground import end_group

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
pytestmark = [on_every_version, pytest.mark.skipif(not SSHD, reason="needs sshd")]


@dataclass(frozen=True)
class OtherMachine:
    """An ssh server of the tests' own, and the command that runs something there."""

    server: subprocess.Popen[bytes]
    command: str

    def connections(self) -> list[int]:
        """Return the processes that serve connections."""
        below = [self.server.pid]
        for pid in below:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            below += [int(child) for child in children if _is_sshd(int(child))]
        return below[1:]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to what serves the connections."""
        for pid in self.connections():
            os.kill(pid, number)


def _listens(port: int) -> bool:
    with closing(socket.socket()) as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _is_sshd(pid: int) -> bool:
    return Path(f"/proc/{pid}/comm").read_text().startswith("sshd")


@pytest.fixture(scope="module")
def other_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OtherMachine]:
    folder = tmp_path_factory.mktemp("ssh")
    for key in ("host", "user"):
        command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key)
        subprocess.run(command, check=True)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "user.pub",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "yes",
        "StrictModes": "no",
        "PidFile": "none",
    }
    options = [option for name, value in settings.items() for option in ("-o", f"{name}={value}")]
    argv = (str(SSHD), "-D", "-f", os.devnull, *options)
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as server:
        until(lambda: _listens(port))
        trust = ("-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={folder / 'hosts'}")
        ssh = ("ssh", "-tt", "-q", "-p", str(port), "-i", str(folder / "user"), *trust, "127.0.0.1")
        yield OtherMachine(server, shlex.join(ssh))
        server.terminate()


@pytest.fixture
def far(testbed, other_machine: OtherMachine, tmp_path: Path, request) -> Iterator[CliSession]:
    """A session with a CLI over there, whose state and conversations this machine cannot read.

    With the parameter "tmux" it runs in a tmux over there.
    """
    cwd = testbed.project()
    # The CLI knows this folder once a session has begun in it.
    first = testbed.start(cwd)
    first.idle(90)
    first.leave()
    here, there = testbed.env["HOME"], str(tmp_path / "home")
    shutil.copytree(here, there, symlinks=True)
    env = {name: value.replace(here, there) for name, value in testbed.env.items()}
    script, begun = tmp_path / "begin.sh", tmp_path / "pid"
    exports = [f"export {name}={shlex.quote(value)}" for name, value in env.items()]
    begin = (f"cd {shlex.quote(str(cwd))}", f"echo $$ > {begun}", f"exec {start_command(testbed)}")
    lines = (*exports, *begin, "")
    script.write_text("\n".join(lines))
    seat = open_shell(testbed, cwd)
    tmux = ("tmux", "-u", "-L", f"far-{testbed.desk.socket}", "-f", os.devnull)
    inside = (*tmux, "new-session") if getattr(request, "param", "") == "tmux" else ()
    run_in_shell(seat, f"{other_machine.command} {shlex.join((*inside, 'sh', str(script)))}")
    body = {"adopt": seat.pane, "adapter": testbed.cli.name}
    talk = testbed.talk(testbed.client.post("/api/sessions", body), cwd)
    talk.idle(90)
    yield talk
    talk.leave()
    seat.close()
    # Some outlive the hang-up.
    end_group(int(begun.read_text()))
    subprocess.run((*tmux, "kill-server"), capture_output=True, check=False)


@pytest.mark.parametrize("far", ["plain", "tmux"], indirect=True)
def test_it_asks_is_answered_and_gets_messages(testbed, far):
    for file in ("one.txt", "two.txt"):
        prompt = far.do(testbed.cli.turns.shell(f"touch {file} && ls"))
        assert far.approve(prompt).status == 200
        far.finish()
        assert (far.cwd / file).exists()
    prompt = far.do(testbed.cli.turns.shell("touch never.txt && ls"))
    assert far.deny(prompt).status == 200
    far.idle()
    far.play()
    assert far.post("message", message="something else, 🦁").status in (200, 202)
    far.finish()
    assert far.log.times_said("something else, 🦁") == 1
    assert not (far.cwd / "never.txt").exists()


def test_a_connection_that_ends_takes_its_prompt_along(testbed, far, other_machine):
    prompt = far.do(testbed.cli.turns.shell("touch cut.txt && ls"))
    other_machine.signal(signal.SIGKILL)
    far.seat.see(PROMPT)
    until(lambda: not far.pending())
    assert far.approve(prompt).status == 409
    assert "command not found" not in far.seat.text()
    assert not (far.cwd / "cut.txt").exists()


def test_an_answer_on_a_connection_that_stands_still_is_not_said_to_have_arrived(
    testbed, far, other_machine
):
    prompt = far.do(testbed.cli.turns.shell("touch late.txt && ls"))
    other_machine.signal(signal.SIGSTOP)
    try:
        reply = far.approve(prompt)
    finally:
        other_machine.signal(signal.SIGCONT)
    assert (reply.status, reply.body["code"]) == (502, "not_confirmed")
    far.finish()
    assert (far.cwd / "late.txt").exists()
