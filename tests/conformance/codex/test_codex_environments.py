"""The terminals that people have: prompts, a message, an interrupt and a transcript in each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from clawtap_codex.live import turns
from clilab.desk import Desk
from clilab.environment import MCP_FORMS
from codex_testbed import READY
from conversation_scenarios import spoken, until_said

PLAN = "# Add a greeting\n\n1. Parse the name\n2. Print it"


@dataclass(frozen=True)
class Environment:
    """What differs from the usual.

    `env`, `args`, `size`: of the CLI. `tmux`: options of the server. `hooks`: shell commands of the
    user, by event. `resized` and `joined` happen to the pane while a prompt is open; `nested`: the
    pane is looked at from another tmux. `background`: a command goes on in the background.
    `missing_in`: the version that cannot be set up so.
    """

    name: str
    env: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 40)
    tmux: Mapping[str, str] = field(default_factory=dict)
    hooks: Mapping[str, str] = field(default_factory=dict)
    vim: bool = False
    resized: bool = False
    joined: bool = False
    nested: bool = False
    updated: bool = False
    background: bool = False
    missing_in: str = ""

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
# Colours that a pane tells a CLI that asks for them: those of a light terminal.
LIGHT = {"window-style": "fg=#202020,bg=#fafafa"}
HOOKS = {
    "SessionStart": "echo hello from a hook",
    "UserPromptSubmit": "echo more context; sleep 0.3",
    "PreToolUse": "echo '{}'; echo noise >&2",
    "PermissionRequest": "sleep 0.5; echo no JSON",
    "PostToolUse": "false",
    "Stop": "sleep 0.3; echo '❯ 1. Yes'",
}


def mcp(name, command, *arguments):
    """The arguments that add a server."""
    server = f"mcp_servers.{name}"
    return (
        "-c",
        f"{server}.command={json.dumps(command)}",
        "-c",
        f"{server}.args={json.dumps(arguments)}",
    )


SLOW = mcp("slow", "sh", "-c", f"sleep 4; exec {sys.executable} {MCP_FORMS}")
ENVIRONMENTS = (
    Environment("truecolor", env={"COLORTERM": "truecolor"}),
    Environment("no-color", env={"NO_COLOR": "1"}),
    Environment("light", env={"COLORTERM": "truecolor", "COLORFGBG": "0;15"}, tmux=LIGHT),
    Environment("theme", args=("-c", 'tui.theme="github"')),
    Environment("status-line", args=("-c", 'tui.status_line=["current-dir","git-branch"]')),
    Environment("no-status-line", args=("-c", "tui.status_line=[]")),
    Environment("slow-mcp", args=SLOW),
    Environment("broken-mcp", args=(*mcp("broken", "false"), *mcp("missing", "/nowhere"))),
    Environment("hooks", hooks=HOOKS),
    Environment("updated", updated=True),
    Environment("background", background=True),
    Environment("nested", nested=True),
    Environment("term-screen", env={"TERM": "screen"}),
    Environment("lang-c", env={"LANG": "C", "LC_ALL": "C"}),
    Environment("vim", vim=True, missing_in="0.116.0"),
    Environment("vim-narrow", vim=True, size=(60, 20), missing_in="0.116.0"),
    Environment("no-alt-screen", args=("--no-alt-screen",)),
    Environment("60x15", size=(60, 15)),
    Environment("60x20", size=(60, 20)),
    Environment("80x15", size=(80, 15)),
    Environment("80x24", size=(80, 24)),
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
        seat = self.start(cwd)
        self.outer = None
        if environment.nested:
            self.outer = Desk()
            client = ("tmux", "-L", testbed.desk.socket, "attach", "-t", seat.pane)
            self.outer.open(
                client, cwd, {**testbed.env, "TERM": "tmux-256color"}, cols=110, rows=36
            )
        if environment.vim:
            time.sleep(1)
            seat.type("/vim")
            time.sleep(0.5)
            seat.press("Enter")
            seat.see("Vim mode enabled")
        self.session = testbed.adopt(seat.pane, cwd)
        self.session.idle(60)
        if environment.background:
            self.leave_in_background("sleep 600")

    def start(self, cwd):
        """Start the CLI as its user does."""
        testbed, environment = self.testbed, self.environment
        switched = {"updated": "update", "hooks": "hooks"}
        asked = {name: True for field, name in switched.items() if getattr(environment, field)}
        with_settings = {**testbed.asked, **asked}
        testbed.settle(**with_settings)
        testbed.asked = {}
        flags = testbed.flags
        if environment.hooks:
            hooks = {
                event: [{"hooks": [{"type": "command", "command": command}]}]
                for event, command in environment.hooks.items()
            }
            (testbed.home / ".codex" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
            if testbed.version != "0.116.0":
                flags = [*flags, "--dangerously-bypass-hook-trust"]
        cols, rows = environment.size
        argv = ("codex", *flags, *environment.args)
        env = {**testbed.env, **environment.env}
        seat = testbed.desk.open(argv, cwd, env, cols=cols, rows=rows)
        if environment.updated:
            seat.see("Update available", seconds=60)
            time.sleep(1)
            seat.press("2")
            seat.see_gone("Skip until next version")
        ready = str(cwd.name) if "tui.status_line" in str(environment.args) else READY
        seat.see(ready, seconds=60)
        return seat

    def leave_in_background(self, line):
        """Have the CLI run a command that its turn does not wait for."""
        call = turns.command(line, yield_time_ms=300)
        prompt = self.session.do(turns.turn(call))
        assert self.session.approve(prompt).status == 200
        self.session.finish()

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
        if self.outer:
            self.outer.close()
        for option in self.environment.tmux:
            self.testbed.desk.tmux("set-option", "-gu", option)


@pytest.fixture(scope="module", params=ENVIRONMENTS, ids=str)
def terminal(testbed, request):
    """A CLI in this environment, adopted."""
    environment = request.param
    if environment.missing_in == testbed.version:
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
    prompt = talk.do(turns.ask(turns.choice("Which way is it?", "Alpha", "Beta", "Gamma")))
    terminal.disturb()
    assert talk.answer(prompt, {"0": "Beta"}).status == 200
    assert '"Beta"' in str(talk.outputs())
    talk.finish()


def test_a_question_is_answered_in_ones_own_words(terminal, talk):
    prompt = talk.do(turns.ask(turns.choice("Which way is it?", "Alpha", "Beta")))
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
    assert talk.log.times_said("Implement the plan") == 1


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
    assert talk.log.times_said("one line\nand one more") == 1


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
