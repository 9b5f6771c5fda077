"""What breaks at the moment of an answer to a real CLI: nothing runs twice, no shell gets a key.

pytest --conformance tests/conformance/every_cli/test_faults.py -k 2.1.332
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import requests
from patience import until

from clawtap_core.system.processes import lives
from clawtap_core.terminal.foreground import end_group
from clawtap_core.testing import Served

PROGRAM = Path(__file__).parents[2] / "lab" / "faulty_serve.py"
MOMENTS = (
    "the answer is taken",
    "prompt_updated with steps is written",
    "before a key",
    "a key is on its way",
    "before prompt_resolved is written",
    "before the reply",
)
SHELL = "env PS1=desk$\\  HISTFILE= bash --norc -i"
LANDMARK = "nothing before this"


class Breaking:
    """A testbed whose server breaks at a moment of the next answer."""

    def __init__(self, testbed):
        self.testbed = testbed
        self.fault = testbed.folder / "fault.json"
        self.script = testbed.folder / "fault.sh"
        command = (sys.executable, str(PROGRAM), str(self.fault), "serve")
        testbed.served.stop()
        testbed.served = Served(
            testbed.folder, tmux_socket=testbed.desk.socket, env=testbed.env, command=command
        )

    def serve(self, point="", *, instead=False):
        """Start the server again; at this point it dies, or the script runs."""
        self.testbed.served.kill()
        run = ("sh", "-eu", str(self.script)) if instead else ()
        self.fault.write_text(json.dumps({"point": point, "instead": run, "answers": ["/approve"]}))
        self.testbed.served.start()

    def at_the_key(self, *lines):
        """What happens right before the next key."""
        tmux = f'tmux() {{ command tmux -L {self.testbed.desk.socket} -f /dev/null "$@"; }}\n'
        self.script.write_text(tmux + "\n".join(lines))


@pytest.fixture(scope="module")
def breaking(testbed):
    return Breaking(testbed)


@pytest.fixture
def asked(breaking, own):
    """A session with its prompt, on a server that breaks at this point of the answer to it."""

    def ask(point, *, instead=False, talk=None):
        breaking.serve(point, instead=instead)
        if talk:
            talk.listen()
        talk = talk or own()
        talk.idle(90)
        prompt = talk.do(breaking.testbed.cli.turns.shell("echo ran >> ran.txt"))
        return talk, prompt

    return ask


def ran(talk):
    path = talk.cwd / "ran.txt"
    return len(path.read_text().split()) if path.exists() else 0


def pane_process(seat):
    return int(seat.desk.tmux("display-message", "-p", "-t", seat.pane, "#{pane_pid}"))


def foreground(seat):
    """The process group in front of a pane."""
    shown = subprocess.check_output(("ps", "-o", "tpgid=", "-p", str(pane_process(seat))))
    return int(shown)


@pytest.mark.parametrize("point", MOMENTS, ids=lambda point: point.replace(" ", "-"))
def test_a_server_killed_in_the_middle_of_an_answer_runs_the_command_once(breaking, asked, point):
    talk, prompt = asked(point)
    with suppress(requests.RequestException):
        talk.approve(prompt)
    until(lambda: breaking.testbed.served.process.poll() is not None, 30, lambda: point)
    breaking.serve()
    talk.listen()
    state = breaking.testbed.client.get(f"/api/prompts/{prompt['requestId']}").body["state"]
    assert state in ("pending", "answered", "failed"), state
    waits = until(lambda: talk.pending() or (ran(talk) and [None]), 60)[0]
    if waits:
        assert (waits["requestId"] == prompt["requestId"]) == (state == "pending")
        assert talk.approve(waits).status == 200
    until(lambda: ran(talk), 60)
    talk.idle(90)
    assert ran(talk) == 1


def refused(talk, prompt):
    """The answer was refused, nothing ran, and the prompt says nothing else."""
    reply = talk.approve(prompt)
    assert reply.status in (404, 409, 502, 503), reply
    state = talk.testbed.client.get(f"/api/prompts/{prompt['requestId']}").body["state"]
    assert state in ("pending", "failed", "cancelled"), state
    assert ran(talk) == 0


def shell_got_nothing(seat):
    seat.until(lambda screen: "desk$" in screen, "the shell")
    seat.type(LANDMARK)
    # A CLI that was killed leaves the cursor in the middle of what it showed.
    line = f"\ndesk$ {LANDMARK}"
    seat.until(lambda screen: line in f"\n{screen}", "an empty line")


def test_a_cli_that_is_killed_at_the_key_gets_none(breaking, asked):
    talk, prompt = asked("before a key", instead=True)
    breaking.at_the_key(f"kill -9 -{foreground(talk.seat)}")
    refused(talk, prompt)
    talk.state("ended")


def test_a_pane_that_is_closed_at_the_key_ends_the_session(breaking, asked):
    talk, prompt = asked("before a key", instead=True)
    breaking.at_the_key(f"tmux kill-pane -t '{talk.seat.pane}'")
    refused(talk, prompt)
    talk.state("ended")


def test_a_shell_in_place_of_the_cli_gets_no_key(breaking, asked):
    talk, prompt = asked("before a key", instead=True)
    pane = talk.seat.pane
    breaking.at_the_key(f"tmux respawn-pane -k -t '{pane}' '{SHELL}'", "sleep 1")
    refused(talk, prompt)
    shell_got_nothing(talk.seat)


@pytest.mark.parametrize("adopted", [False, True], ids=["launched", "adopted"])
def test_a_pane_that_is_respawned_with_a_prompt_open_ends_both_and_says_so(testbed, own, adopted):
    talk = own()  # the CLI trusts its folder now
    talk.idle(90)
    if adopted:
        talk.leave()
        argv = (testbed.cli.name, *getattr(testbed, "flags", ()))
        seat = testbed.desk.open(argv, talk.cwd, testbed.env)
        until(lambda: talk.cwd.name in seat.text(), 60, seat.text)
        talk = testbed.adopt(seat.pane, talk.cwd)
        talk.idle(90)
    prompt = talk.do(testbed.cli.turns.shell("echo ran >> ran.txt"))
    cli = pane_process(talk.seat)
    testbed.desk.tmux("respawn-pane", "-k", "-t", talk.seat.pane, SHELL)
    ended = talk.resolved(prompt)["resolution"]
    assert (ended["outcome"], ended.get("detail")) == ("cancelled", "its pane was respawned"), ended
    talk.state("ended")
    assert talk.get().body["detail"] == "its pane was respawned"
    shell_got_nothing(talk.seat)
    if adopted:
        end_group(cli, patience=0)  # Gemini CLI ignores the hang-up; this one is its user's
    until(lambda: not lives(cli), 10, lambda: "the CLI lives on")
    assert ran(talk) == 0
    talk.leave()
    talk.seat.close()


@pytest.mark.parametrize("sign", ["KILL", "TERM"])
def test_a_cli_that_leaves_its_pane_to_the_shell_at_the_key_lets_no_key_through(
    breaking, asked, own, testbed, sign
):
    known = own()  # the CLI trusts its folder now
    known.idle(90)
    known.leave()
    shell = {**testbed.env, "PS1": "desk$ ", "HISTFILE": ""}
    seat = testbed.desk.open(("bash", "--norc", "-i"), known.cwd, shell)
    seat.see("desk$")
    seat.say(shlex.join((testbed.cli.name, *getattr(testbed, "flags", ()))))
    until(lambda: foreground(seat) != pane_process(seat))
    talk = testbed.adopt(seat.pane, known.cwd)
    prompt = asked("before a key", instead=True, talk=talk)[1]
    command = "#{pane_current_command}"
    breaking.at_the_key(
        f"kill -{sign} -{foreground(seat)}",
        f"until [ \"$(tmux display-message -p -t '{seat.pane}' '{command}')\" = bash ]; do :; done",
    )
    refused(talk, prompt)
    shell_got_nothing(seat)
    seat.close()


def test_tmux_that_stands_still_at_the_key_lets_the_command_run_once_or_not_at_all(breaking, asked):
    talk, prompt = asked("before a key", instead=True)
    server = int(talk.testbed.desk.tmux("display-message", "-p", "#{pid}"))
    breaking.at_the_key(f"kill -STOP {server}")
    try:
        reply = talk.approve(prompt)
    finally:
        os.kill(server, signal.SIGCONT)
    assert reply.status in (409, 502, 503), reply
    waits = until(lambda: talk.pending() or (ran(talk) and [None]), 60)[0]
    if waits:
        assert talk.approve(waits).status == 200
    until(lambda: ran(talk), 60)
    assert ran(talk) == 1
