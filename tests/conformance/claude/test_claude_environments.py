"""Claude Code as people run it: other terminals, themes, sizes, status lines, hooks and servers.

What a session needs works in each: permissions, questions, plans, messages, interrupts.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from clawtap_claude.live import turns
from clilab.desk import Desk
from conversation_scenarios import spoken, until_said

LONG = {"parts": [{"text": "word " * 200, "split": 5}], "chunk_delay": 0.1}
PLAN = "# The plan\n\n1. Write a test\n2. Make it pass\n"
BACKGROUND = turns.turn(turns.call("Bash", command="touch on; sleep 300", run_in_background=True))


@dataclass(frozen=True)
class Environment:
    """How somebody at the desk starts a CLI: variables, arguments, settings and the pane.

    `state` is the CLI's own, such as its theme; `servers` are its MCP servers. `tmux` are options
    of the server; `nested`: its client runs in another tmux. `change` happens to the pane while a
    prompt is open. `background`: a task of the CLI runs all the while.
    """

    env: Mapping[str, str | None] = field(default_factory=dict)
    argv: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    servers: Mapping[str, Any] = field(default_factory=dict)
    size: tuple[int, int] = (120, 40)
    tmux: Mapping[str, str] = field(default_factory=dict)
    nested: bool = False
    change: str = ""
    background: bool = False


def hook(command: str, matcher: str = "*") -> list[Any]:
    """A hook of the user's."""
    return [{"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": 5}]}]


DOTFILE = {
    "mouse": "on",
    "base-index": "1",
    "pane-base-index": "1",
    "remain-on-exit": "on",
    "status-position": "top",
    "history-limit": "100000",
}
HOOKS = {
    "SessionStart": hook("echo '❯ 1. Yes'; echo 'a word on stderr' >&2"),
    "UserPromptSubmit": hook("sleep 1"),
    "PreToolUse": hook("if grep -q forbidden; then echo 'Not here.' >&2; exit 2; fi"),
    "PermissionRequest": hook("echo 'Do you want to proceed?'; exit 1"),
    "Stop": hook("echo 'Apply this change?' >&2; exit 1"),
}
SERVERS = {
    "broken": {"command": "false"},
    "missing": {"command": "no-such-server"},
    "slow": {"command": sys.executable, "args": ["-c", "import time; time.sleep(600)"]},
}
STATUS_LINE = {
    "type": "command",
    "command": r"printf '❯ 1. Yes\n  2. No 🎉 👨‍👩‍👧‍👦 esc to interrupt\n'",
}
ENVIRONMENTS = {
    "truecolor": Environment({"COLORTERM": "truecolor", "TERM": "tmux-256color"}),
    "no-color": Environment({"NO_COLOR": "1"}),
    "term-screen": Environment({"TERM": "screen"}),
    "lang-c": Environment({"LANG": "C", "LC_ALL": "C"}),
    "light": Environment(state={"theme": "light"}),
    "ansi-theme": Environment(state={"theme": "light-ansi"}),
    "colour-blind": Environment(state={"theme": "dark-daltonized"}),
    "vim": Environment(state={"editorMode": "vim"}),
    "status-line": Environment(settings={"statusLine": STATUS_LINE}),
    "status-line-narrow": Environment(settings={"statusLine": STATUS_LINE}, size=(60, 20)),
    "fullscreen": Environment({"CLAUDE_CODE_NO_FLICKER": "1"}),
    "dotfile": Environment(tmux=DOTFILE),
    "nested": Environment(nested=True),
    "60x15": Environment(size=(60, 15)),
    "60x20": Environment(size=(60, 20)),
    "80x15": Environment(size=(80, 15)),
    "80x24": Environment(size=(80, 24)),
    "250x70": Environment(size=(250, 70)),
    "resized": Environment(change="resize"),
    "joined": Environment(size=(200, 40), change="join"),
    "hooks": Environment(settings={"hooks": HOOKS}),
    "servers": Environment(servers=SERVERS),
    "background": Environment(background=True),
}


@pytest.fixture(params=ENVIRONMENTS)
def environment(request):
    return ENVIRONMENTS[request.param]


@pytest.fixture
def talk(testbed, environment):
    """A CLI that was started by hand in this environment, and adopted."""
    cwd = testbed.project()
    (cwd / ".claude").mkdir()
    (cwd / ".claude" / "settings.json").write_text(json.dumps(environment.settings))
    argv = ("claude", "--permission-mode", "default", *environment.argv)
    if environment.servers:
        servers = cwd / "servers.json"
        servers.write_text(json.dumps({"mcpServers": environment.servers}))
        argv += ("--mcp-config", str(servers))
    testbed.known.append(cwd)
    testbed.settle(more=dict(environment.state))
    env = {**testbed.env, **environment.env}
    env = {name: value for name, value in env.items() if value is not None}
    cols, rows = environment.size
    with contextlib.ExitStack() as stack:
        stack.callback(testbed.settle)
        for option, value in environment.tmux.items():
            testbed.desk.tmux("start-server", ";", "set-option", "-g", option, value)
            stack.callback(testbed.desk.tmux, "set-option", "-gu", option)
        seat = testbed.desk.open(argv, cwd, env, cols=cols, rows=rows)
        stack.callback(seat.close)
        if environment.nested:
            outer = stack.enter_context(contextlib.closing(Desk()))
            attach = ("tmux", "-L", testbed.desk.socket, "attach-session", "-t", seat.pane)
            outer.open(attach, cwd, env, cols=100, rows=30)
        seat.see("❯", seconds=60)
        talk = testbed.adopt(seat.pane, cwd)
        stack.callback(talk.leave)
        talk.idle(60)
        if environment.background:
            start_in_background(talk)
        yield talk


def start_in_background(talk):
    """Have the CLI begin a task that goes on while it talks."""
    prompt = talk.do(BACKGROUND)
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def change(talk, what):
    """What happens to the pane while a prompt is open."""
    if what == "resize":
        for size in ((90, 30), (140, 45), (70, 24)):
            talk.seat.resize(*size)
            time.sleep(1)
    elif what == "join":
        other = talk.testbed.desk.open(("sleep", "600"), talk.cwd, talk.testbed.env, cols=200)
        talk.testbed.desk.tmux("join-pane", "-h", "-s", talk.seat.pane, "-t", other.pane)
        time.sleep(1)


def test_what_a_session_needs_works(talk, environment):
    prompt = talk.do(turns.shell("touch allowed.txt && ls -la"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "Bash")
    change(talk, environment.change)
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "allowed.txt").exists()

    refused = talk.do(turns.shell("touch refused.txt && ls"))
    assert talk.deny(refused).status == 200
    talk.idle()
    assert not (talk.cwd / "refused.txt").exists()

    talk.play()
    talk.say("two words\nin two lines")
    talk.finish()
    assert talk.log.times_said("two words\nin two lines") == 1

    talk.play(LONG)
    interrupted = talk.say("think for long")
    # A message that is interrupted before it left goes back into the composer.
    assert talk.log.wait(lambda log: log.times_said(interrupted))
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.play()
    last = talk.say("after the interrupt")
    talk.finish()
    assert talk.log.times_said(last) == 1
    said = spoken(until_said(talk, talk.end))
    users = [text for who, text in said if who == "user"]
    assert users[-3:] == ["two words\nin two lines", interrupted, last]


def test_questions_and_plans_work(talk, environment):
    prompt = talk.do(turns.ask(turns.choice("Which one?", "Red", "Blue")))
    assert prompt["questions"][0]["question"] == "Which one?"
    change(talk, environment.change)
    assert talk.answer(prompt, {"0": "Blue"}).status == 200
    assert "Blue" in str(talk.outputs())
    talk.finish()
    reply = talk.post("permission-mode", mode="plan")
    assert reply.status == 200, (reply, talk.seat.text())
    plan = talk.do(*turns.plan(PLAN))
    assert plan["type"] == "plan"
    assert talk.approve(plan, option="Yes, manually approve edits").status == 200
    assert "approved" in str(talk.outputs(2))
    talk.finish()


def test_a_hook_of_the_users_that_blocks_a_tool(testbed):
    """Nothing is asked: the model gets the hook's words, and the session goes on."""
    cwd = testbed.project()
    (cwd / ".claude").mkdir()
    (cwd / ".claude" / "settings.json").write_text(json.dumps({"hooks": HOOKS}))
    talk = testbed.start(cwd)
    talk.idle(60)
    talk.play(turns.shell("touch forbidden.txt"))
    talk.say("do what is not allowed")
    assert "Not here." in str(talk.outputs())
    talk.finish()
    assert not [event for event in talk.events.seen if event.type == "approval_required"]
    assert not (cwd / "forbidden.txt").exists()
    talk.leave()
