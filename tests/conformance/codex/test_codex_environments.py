"""The terminals that people have: prompts, a message, an interrupt and a transcript in each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from clilab import codex_turns as turns
from codex_testbed import READY
from conversation_scenarios import spoken, until_said

PLAN = "# Add a greeting\n\n1. Parse the name\n2. Print it"


@dataclass(frozen=True)
class Environment:
    """What differs from the usual: variables, arguments, the size, options of tmux, the mode."""

    name: str
    env: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 40)
    tmux: Mapping[str, str] = field(default_factory=dict)
    vim: bool = False
    resized: bool = False
    joined: bool = False
    only: str | None = None

    def __str__(self) -> str:
        return self.name


DOTFILE = {
    "mouse": "on",
    "base-index": "1",
    "pane-base-index": "1",
    "status-position": "top",
    "history-limit": "100000",
    "remain-on-exit": "on",
}
ENVIRONMENTS = (
    Environment("no-color", env={"NO_COLOR": "1"}),
    Environment("term-screen", env={"TERM": "screen"}),
    Environment("lang-c", env={"LANG": "C", "LC_ALL": "C"}),
    Environment("vim", vim=True, only="0.169.0"),
    Environment("vim-narrow", vim=True, size=(60, 20), only="0.169.0"),
    Environment("no-alt-screen", args=("--no-alt-screen",)),
    Environment("60x15", size=(60, 15)),
    Environment("60x20", size=(60, 20)),
    Environment("250x70", size=(250, 70)),
    Environment("resized", resized=True),
    Environment("joined", joined=True),
    Environment("dotfile-tmux", tmux=DOTFILE),
)


class Terminal:
    """One environment on the testbed of one version, and the session in it."""

    def __init__(self, testbed, environment):
        self.testbed = testbed
        self.environment = environment
        for option, value in environment.tmux.items():
            testbed.desk.tmux("start-server", ";", "set-option", "-g", option, value)
        cwd = testbed.project()
        testbed.trusted.add(cwd)
        testbed.settle(**testbed.asked)
        cols, rows = environment.size
        argv = ("codex", *testbed.flags, *environment.args)
        env = {**testbed.env, **environment.env}
        seat = testbed.desk.open(argv, cwd, env, cols=cols, rows=rows)
        seat.see(READY, seconds=60)
        if environment.vim:
            time.sleep(1)
            seat.type("/vim")
            time.sleep(0.5)
            seat.press("Enter")
            seat.see("Vim mode enabled")
        self.session = testbed.adopt(seat.pane, cwd)
        self.session.idle(60)

    def disturb(self):
        """Change the size of the pane while a prompt is open, as people do."""
        seat = self.session.seat
        if self.environment.resized:
            seat.resize(70, 24)
            time.sleep(1)
            seat.resize(130, 45)
            time.sleep(1)
        if self.environment.joined:
            self.testbed.desk.tmux("split-window", "-h", "-d", "-t", seat.pane, "sleep 600")
            time.sleep(1.5)

    def settle(self):
        """Undo what `disturb` did."""
        if self.environment.joined:
            self.testbed.desk.tmux("kill-pane", "-a", "-t", self.session.seat.pane)
            time.sleep(1)

    def close(self):
        self.session.leave()
        self.session.seat.close()
        for option in self.environment.tmux:
            self.testbed.desk.tmux("set-option", "-gu", option)


@pytest.fixture(scope="module", params=ENVIRONMENTS, ids=str)
def terminal(testbed, request):
    """A CLI in this environment, adopted."""
    environment = request.param
    if environment.only not in (None, testbed.version):
        pytest.skip(f"{testbed.version} does not have this")
    terminal = Terminal(testbed, environment)
    yield terminal
    terminal.close()


@pytest.fixture
def talk(terminal):
    """The session in this environment; what a test left open is interrupted."""
    yield terminal.session
    terminal.settle()
    if not terminal.session.rests():
        terminal.session.seat.press("Escape")
        terminal.session.idle(10)


def test_a_command_is_approved(terminal, talk):
    prompt = talk.do(turns.shell("touch approved.txt && echo made"))
    terminal.disturb()
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "approved.txt").exists()


def test_a_question_is_answered(terminal, talk):
    prompt = talk.do(turns.ask(turns.choice("way", "Which way is it?", "Alpha", "Beta", "Gamma")))
    terminal.disturb()
    assert talk.answer(prompt, {"0": "Beta"}).status == 200
    assert '"Beta"' in str(talk.outputs())
    talk.finish()


def test_a_question_is_answered_in_ones_own_words(terminal, talk):
    prompt = talk.do(turns.ask(turns.choice("way", "Which way is it?", "Alpha", "Beta")))
    terminal.disturb()
    assert talk.answer(prompt, {"0": "jump over it"}).status == 200
    assert "user_note: jump over it" in str(talk.outputs())
    talk.finish()


def test_a_plan_is_approved(terminal, talk):
    reply = talk.post("permission-mode", mode="plan")
    assert (reply.status, reply.body.get("mode")) == (200, "plan"), reply
    prompt = talk.do(turns.plan(PLAN))
    assert prompt["type"] == "plan"
    terminal.disturb()
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert talk.log.said("Implement the plan") == 1


def test_a_command_is_denied(terminal, talk):
    prompt = talk.do(turns.shell("touch denied.txt && echo " + "word " * 40))
    terminal.disturb()
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()


def test_a_message_arrives_once(talk):
    talk.play()
    assert talk.post("message", message="one line\nand one more").status == 200
    talk.finish()
    assert talk.log.said("one line\nand one more") == 1


def test_an_interrupt_stops_the_turn(talk):
    talk.play({"parts": [{"text": "too late"}], "hold": True})
    talk.say()
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.seat.see("Conversation interrupted")
    talk.model.release()
    talk.idle()


def test_the_conversation_is_followed(talk):
    talk.play("the answer of the model")
    asked = talk.say()
    talk.seat.see("the answer of the model")
    messages = spoken(until_said(talk, asked, "the answer of the model"))
    assert messages.count(("user", asked)) == 1
    assert messages.count(("assistant", "the answer of the model")) == 1
