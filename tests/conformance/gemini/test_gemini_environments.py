"""Prompts, a message, an interrupt and the transcript, wherever the CLI may run."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from clawtap_gemini.live import turns
from clilab.desk import Desk
from clilab.environment import MCP_SERVER
from clilab.gemini_plan import enter
from conversation_scenarios import spoken, until_said


@dataclass(frozen=True)
class Environment:
    """How a CLI is started that somebody at the desk has: the variables, settings and size.

    `questions`: whether the screen shows what a question offers. `tmux` are options of the server;
    `nested`: its client runs in another tmux. `then` is done to the pane while a prompt is open.
    """

    env: dict[str, str | None] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    argv: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 40)
    questions: bool = True
    tmux: Mapping[str, str] = field(default_factory=dict)
    nested: bool = False
    then: str = ""


# A theme in which nothing has the colour that it has in the CLI's own.
THEME = {
    "name": "Own",
    "type": "custom",
    "background": {"primary": "#ffffe0", "diff": {"added": "#00ff00", "removed": "#ff0000"}},
    "text": {"primary": "#101010", "secondary": "#101010", "link": "#0000ff", "accent": "#800080"},
    "border": {"default": "#ff00ff", "focused": "#ff00ff"},
    "ui": {"comment": "#101010", "symbol": "#ff8800", "gradient": ["#ff0000", "#0000ff"]},
    "status": {"error": "#aa0000", "success": "#101010", "warning": "#aa5500"},
}
DOTFILE = {
    "mouse": "on",
    "base-index": "1",
    "pane-base-index": "1",
    "remain-on-exit": "on",
    "status-position": "top",
    "history-limit": "100000",
}


def hook(name, command):
    """A hook of the user's."""
    command = {"type": "command", "name": name, "command": command, "timeout": 5000}
    return [{"matcher": "*", "hooks": [command]}]


HOOKS = {
    "SessionStart": hook("greets", "echo '❯ 1. Yes'; echo 'a word on stderr' >&2"),
    "BeforeAgent": hook("waits", "sleep 1"),
    "BeforeTool": hook("blocks", "if grep -q forbidden; then echo 'Not here.' >&2; exit 2; fi"),
    "AfterAgent": hook("fails", "echo 'Apply this change?'; exit 1"),
}
SERVERS = {
    "broken": {"command": "false"},
    "missing": {"command": "no-such-server"},
    "slow": {"command": "sh", "args": ["-c", f"sleep 8; exec {sys.executable} {MCP_SERVER}"]},
    "silent": {"command": "sleep", "args": ["600"], "timeout": 9000},
}

ENVIRONMENTS = {
    "no-colorterm": Environment({"COLORTERM": None, "TERM": "tmux-256color"}),
    "truecolor": Environment({"COLORTERM": "truecolor", "TERM": "tmux-256color"}),
    "no-color": Environment({"NO_COLOR": "1"}),
    "term-screen": Environment({"TERM": "screen"}),
    "term-xterm": Environment({"TERM": "xterm-256color"}),
    "lang-c": Environment({"LANG": "C", "LC_ALL": "C"}),
    "light": Environment(settings={"ui": {"theme": "Google Code"}}),
    "own-theme": Environment(settings={"ui": {"theme": "Own", "customThemes": {"Own": THEME}}}),
    "vim": Environment(settings={"vim": True}),
    "alternate": Environment(settings={"ui": {"useAlternateBuffer": True}}),
    "reader": Environment(argv=("--screen-reader",), questions=False),
    "bare": Environment(
        settings={"ui": {"hideFooter": True, "hideBanner": True, "hideTips": True}}
    ),
    "dotfile": Environment(tmux=DOTFILE),
    "nested": Environment(nested=True),
    "hooks": Environment(settings={"hooks": HOOKS}),
    "update": Environment(settings={"update": True}),
    "servers": Environment(settings={"servers": SERVERS}),
    # Without COLORTERM the CLI warns in its first three starts, and 15 rows have no room for both.
    "60x15": Environment({"COLORTERM": "truecolor"}, size=(60, 15)),
    "60x20": Environment(size=(60, 20)),
    "80x15": Environment({"COLORTERM": "truecolor"}, size=(80, 15)),
    "80x24": Environment(size=(80, 24)),
    "250x70": Environment(size=(250, 70)),
    "resized": Environment(then="resize"),
    "joined": Environment(size=(200, 40), then="join"),
}


@pytest.fixture(params=ENVIRONMENTS)
def environment(request):
    return ENVIRONMENTS[request.param]


@pytest.fixture
def talk(testbed, environment):
    """A CLI that was started by hand in this environment with its first message, and adopted."""
    cwd = testbed.project()
    env = {**testbed.env, **environment.env}
    env = {name: value for name, value in env.items() if value is not None}
    if environment.settings.get("update"):
        env["npm_config_registry"] = testbed.model.url
    cols, rows = environment.size
    testbed.model.play(turns.shell("touch first.txt && ls -la"), "the first is done")
    with contextlib.ExitStack() as stack:
        for option, value in environment.tmux.items():
            testbed.desk.tmux("start-server", ";", "set-option", "-g", option, value)
            stack.callback(testbed.desk.tmux, "set-option", "-gu", option)
        with testbed.settings(**environment.settings):
            argv = ("gemini", *environment.argv, "-i", "begin with this")
            seat = testbed.desk.open(argv, cwd, env, cols=cols, rows=rows)
            stack.callback(seat.close)
            if environment.nested:
                outer = stack.enter_context(contextlib.closing(Desk()))
                attach = ("tmux", "-L", testbed.desk.socket, "attach-session", "-t", seat.pane)
                outer.open(attach, cwd, env, cols=100, rows=30)
            seat.see("Allow once", seconds=150)
        talk = testbed.adopt(seat.pane, cwd)
        stack.callback(talk.leave)
        yield talk


def change(talk, what):
    """What happens to the pane while a prompt is open."""
    if what == "resize":
        for size in ((90, 30), (140, 45), (70, 24)):
            talk.seat.resize(*size)
            time.sleep(0.3)
    elif what == "join":
        other = talk.testbed.desk.open(("sleep", "600"), talk.cwd, talk.testbed.env, cols=200)
        talk.testbed.desk.tmux("join-pane", "-h", "-s", talk.seat.pane, "-t", other.pane)
        time.sleep(1)


def test_what_a_session_needs_works(talk, environment):
    prompt = talk.prompt()
    assert (prompt["type"], prompt["toolName"]) == ("permission", "run_shell_command")
    change(talk, environment.then)
    assert talk.approve(prompt).status == 200
    assert "first.txt" in str(talk.outputs())
    talk.seat.see("the first is done")
    talk.idle()

    refused = talk.do(turns.shell("touch refused.txt && ls"))
    assert talk.deny(refused).status == 200
    talk.idle()
    assert not (talk.cwd / "refused.txt").exists()

    talk.play()
    talk.say("two words\nin two lines")
    talk.finish()
    assert talk.log.times_said("two words\nin two lines") == 1

    talk.play({"parts": [{"text": "not to be waited for"}], "hold": True})
    talk.say("think for long")
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.model.release()
    talk.play()
    talk.say("after the interrupt")
    talk.finish()
    assert talk.log.times_said("after the interrupt") == 1
    said = spoken(until_said(talk, talk.end))
    users = [text for who, text in said if who == "user"]
    assert users[0] == "begin with this"
    assert users[-2:] == ["think for long", "after the interrupt"]


def test_questions_and_plans_work(talk, environment):
    if not environment.questions:
        pytest.skip("the CLI does not print what can be chosen")
    assert talk.approve(talk.prompt()).status == 200
    talk.seat.see("the first is done")
    talk.idle()
    prompt = talk.do(turns.ask(turns.choice("Which database?", "PostgreSQL", "SQLite")))
    change(talk, environment.then)
    assert talk.answer(prompt, {"0": "SQLite"}).status == 200
    assert "SQLite" in str(talk.outputs())
    talk.finish()
    offered = enter(talk, "# The plan\n\n1. Make it pass\n")
    if (talk.testbed.version, environment.size) == ("0.34.0", (60, 15)):
        # Of its plan this version shows the lower end there, and none of its options.
        talk.play(offered)
        talk.seat.say("show the plan")
        assert talk.prompt()["type"] == "unknown"
        talk.seat.press("Escape")
        talk.idle()
        return
    plan = talk.do(offered)
    assert plan["type"] == "plan"
    if plan.get("moreOptions"):
        whole = talk.post("expand", requestId=plan["requestId"])
        assert (whole.status, whole.body["requestId"]) == (200, plan["requestId"])
        assert "Yes, manually accept edits" in [each["label"] for each in whole.body["options"]]
    assert talk.approve(plan, option="Yes, manually accept edits").status == 200
    assert "approved" in str(talk.outputs())
    talk.finish()


def test_a_hook_of_the_users_that_blocks_a_tool(testbed):
    """The model gets the hook's words, and the session goes on."""
    cwd = testbed.project()
    with testbed.settings(hooks=HOOKS):
        talk = testbed.start(cwd)
        talk.idle(60)
    talk.play(turns.shell("touch forbidden.txt"))
    talk.say("do what is not allowed")
    asks_first = testbed.version == "0.34.0"  # later versions ask their hooks before the user
    if asks_first:
        assert talk.approve(talk.prompt()).status == 200
    assert "Not here." in str(talk.outputs())
    talk.finish()
    asked = [event for event in talk.events.seen if event.type == "approval_required"]
    assert bool(asked) is asks_first
    assert not (cwd / "forbidden.txt").exists()
    talk.leave()


@pytest.mark.parametrize("command", ["touch hooked.txt", "touch one.txt\ntouch hooked.txt"])
def test_a_hook_of_the_users_that_asks_says_so_beside_the_command(testbed, own, command):
    says = json.dumps({"decision": "ask", "systemMessage": "Please think twice."})
    with testbed.settings(hooks={"BeforeTool": hook("thinks", f"echo '{says}'")}):
        talk = own()
        talk.idle(60)
    prompt = talk.do(turns.shell(command))
    assert prompt["toolInput"] == {"command": command}, prompt
    new = testbed.version != "0.34.0"  # that one runs hooks once the user has allowed the call
    assert ("Please think twice." in prompt["description"]) is new
    assert "─" not in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "hooked.txt").exists()


def test_a_prompt_that_the_desk_scrolled_out_of_sight_waits(testbed, own):
    with testbed.settings(ui={"useAlternateBuffer": True}):
        talk = own()
        talk.idle(60)
    lines = "".join(f"line {number}\n" for number in range(150))
    prompt = talk.do(turns.write(talk.cwd / "long.txt", lines))
    last = prompt["options"][-1]["label"]
    talk.seat.press("PageUp")
    talk.seat.see_gone(last)
    # After this time an unseen prompt counts as answered, and any other screen as a new one.
    with pytest.raises(AssertionError, match="no approval_required"):
        talk.prompt(seconds=4.0)
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["code"]) == (502, "not_delivered"), reply
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    talk.seat.press("PageDown")
    talk.seat.see(last)
    time.sleep(1)
    # A frame that shows another part of a long body makes it a new prompt, in doubt.
    (standing,) = talk.pending()
    reply = talk.approve(standing)
    assert reply.status == 200, (reply, talk.seat.text())
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "long.txt").read_text() == lines


def test_a_long_edit_stays_one_prompt_while_its_pane_is_resized(testbed, own):
    with testbed.settings(ui={"useAlternateBuffer": True}):
        talk = own()
        talk.idle(60)
    lines = "".join(f"line {number}\n" for number in range(150))
    prompt = talk.do(turns.write(talk.cwd / "long.txt", lines))
    for size in ((60, 15), (120, 40), (100, 24), (120, 40)):
        talk.seat.resize(*size)
        time.sleep(4)  # what is painted in between counts as a redraw for two seconds
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]], size
    reply = talk.approve(prompt)
    assert reply.status == 200, (reply, talk.seat.text())
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "long.txt").read_text() == lines
