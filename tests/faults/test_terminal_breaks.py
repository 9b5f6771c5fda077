"""Panes, their programs and tmux that end, change or stop at the moment of a key."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager

import pytest
from patience import until

from clawtap_core.system.processes import process

ALWAYS = "yes-and-don-t-ask-again-for-touch"
SHELL = "env PS1=desk$\\  HISTFILE= bash --norc -i"
LANDMARK = "nothing before this"


def at_the_key(talk, happens):
    """Let something happen once, after every check and right before the key that decides."""
    pane, happened = talk.live.pane, []
    run = pane._input._run

    def late(*commands):
        if not happened and any("send-keys" in command for command in commands):
            happened.append(True)
            happens()
        run(*commands)

    pane._input._run = late


def shell_got_nothing(demo, pane):
    """See that the shell of a pane has an empty line."""
    demo.tmux("send-keys", "-t", pane, "-l", LANDMARK)
    until(
        lambda: demo.tmux("capture-pane", "-p", "-t", pane).endswith(f"desk$ {LANDMARK}"),
        what=lambda: demo.tmux("capture-pane", "-p", "-t", pane),
    )


def program(talk):
    return process(int(talk.demo.tmux("display-message", "-p", "-t", talk.pane, "#{pane_pid}")))


def refused_truly(talk, prompt):
    """The answer was refused, the prompt says no other, and the agent decided nothing."""
    error = talk.refused(prompt, ALWAYS)
    assert error.status in (404, 409, 502, 503), error
    state = talk.transport.prompt(prompt.request_id).state.value
    assert state in ("pending", "failed", "cancelled"), state
    assert talk.decided() == []
    return state


@pytest.fixture
def neighbour(demo):
    """Another session, which notices nothing."""
    talk = demo.show("permission")
    prompt = talk.prompt()
    yield talk
    assert talk.answer(prompt, "yes-run-it").state.value == "answered"
    assert talk.decided() == [(["Yes, run it"], "")]


def test_a_pane_that_is_closed_at_the_moment_of_the_key(demo, neighbour):
    talk = demo.show("permission")
    prompt, pane = talk.prompt(), talk.pane
    at_the_key(talk, lambda: demo.tmux("kill-pane", "-t", pane))
    refused_truly(talk, prompt)
    talk.state("ended")
    assert talk.transport.prompt(prompt.request_id).state.value == "cancelled"


def test_a_pane_whose_program_is_replaced_by_a_shell_at_the_moment_of_the_key(demo, neighbour):
    talk = demo.show("permission")
    prompt, pane = talk.prompt(), talk.pane

    def respawn():
        demo.tmux("respawn-pane", "-k", "-t", pane, SHELL)
        until(lambda: "desk$" in talk.text())

    at_the_key(talk, respawn)
    refused_truly(talk, prompt)
    shell_got_nothing(demo, pane)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_a_cli_that_leaves_its_pane_to_the_shell_at_the_moment_of_the_key(demo, neighbour, how):
    pane, log = demo.desk("--show", "permission", shell=True)
    until(lambda: "Run this command?" in demo.tmux("capture-pane", "-p", "-t", pane))
    talk = demo.adopt(pane, log)
    prompt, group = talk.prompt(), talk.live.pane.group
    drawn = talk.text().count("desk$")

    def leave():
        os.kill(group, how)
        until(
            lambda: (
                demo.tmux("display-message", "-p", "-t", pane, "#{pane_current_command}") == "bash"
            )
        )

    at_the_key(talk, leave)
    refused_truly(talk, prompt)
    until(lambda: talk.text().count("desk$") > drawn)
    shell_got_nothing(demo, pane)
    if how is signal.SIGSTOP:
        os.killpg(group, signal.SIGKILL)


def test_tmux_that_is_killed_at_the_moment_of_the_key(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()

    def replace():
        demo.tmux("kill-server")
        # The same pane id belongs to somebody else's shell now.
        until(
            lambda: (
                demo.tmux("new-session", "-d", SHELL, check=False) == ""
                and demo.tmux("list-panes", "-a", check=False)
            )
        )

    at_the_key(talk, replace)
    refused_truly(talk, prompt)
    talk.state("lost")
    assert talk.transport.prompt(prompt.request_id).state.value == "cancelled"
    pane = demo.tmux("list-panes", "-a", "-F", "#{pane_id}").split()[0]
    until(lambda: "desk$" in demo.tmux("capture-pane", "-p", "-t", pane))
    shell_got_nothing(demo, pane)


@contextmanager
def stuttering(pid, stopped, runs):
    """A process that is stopped again and again."""
    ended = threading.Event()

    def stutter():
        while not ended.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(stopped)
            os.kill(pid, signal.SIGCONT)
            time.sleep(runs)

    thread = threading.Thread(target=stutter)
    thread.start()
    yield
    ended.set()
    thread.join()


def test_tmux_that_is_slow_makes_answers_slow_and_nothing_else(demo):
    script = demo.script([{"run": f"touch {number}"} for number in range(4)])
    talk = demo.start(*script)
    server = int(demo.tmux("display-message", "-p", "#{pid}"))
    seen = []
    with stuttering(server, 0.15, 0.01):
        for _ in range(4):
            seen.append(talk.prompt(*seen))
            assert talk.answer(seen[-1], ALWAYS).state.value == "answered"
    until(lambda: len(talk.decided()) == 4)
    assert talk.keys().count("Enter") == 4


@pytest.mark.long
def test_tmux_that_is_stopped_at_the_moment_of_the_key_gets_it_once_or_not_at_all(demo):
    talk = demo.show("permission", "loop")
    prompt = talk.prompt()
    server = int(demo.tmux("display-message", "-p", "#{pid}"))
    at_the_key(talk, lambda: os.kill(server, signal.SIGSTOP))
    try:
        error = talk.refused(prompt, "yes-run-it")
    finally:
        os.kill(server, signal.SIGCONT)
    assert (error.status, talk.transport.prompt(prompt.request_id).state.value) == (502, "failed")
    waits = talk.prompt(prompt)
    decided = talk.decided()
    assert len(decided) <= 1
    assert (waits.form.kind.value == "loop-detected") == bool(decided)
    assert talk.keys().count("Enter") == len(decided)


@pytest.mark.long
def test_an_agent_that_sleeps_under_an_answer_gets_it_once(demo):
    talk = demo.show("permission", "loop")
    prompt, agent = talk.prompt(), program(talk)
    os.kill(agent.pid, signal.SIGSTOP)
    waker = threading.Timer(4, lambda: os.kill(agent.pid, signal.SIGCONT))
    waker.start()
    assert talk.answer(prompt, "yes-run-it").state.value == "answered"
    waker.join()
    talk.prompt(prompt)
    assert talk.keys() == ["Enter"]
