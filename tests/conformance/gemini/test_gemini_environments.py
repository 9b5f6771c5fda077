"""Prompts, a message, an interrupt and the transcript, wherever the CLI may run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest
from clilab import gemini_turns as turns
from clilab.gemini_plan import enter
from conversation_scenarios import spoken, until_said


@dataclass(frozen=True)
class Environment:
    """How a CLI is started that somebody at the desk has: the variables, settings and size.

    `questions`: whether the screen shows what a question offers. `then` is done to the pane while a
    prompt is open.
    """

    env: dict[str, str | None] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    argv: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 40)
    questions: bool = True
    then: str = ""


ENVIRONMENTS = {
    "no-colorterm": Environment({"COLORTERM": None, "TERM": "tmux-256color"}),
    "truecolor": Environment({"COLORTERM": "truecolor", "TERM": "tmux-256color"}),
    "no-color": Environment({"NO_COLOR": "1"}),
    "term-screen": Environment({"TERM": "screen"}),
    "term-xterm": Environment({"TERM": "xterm-256color"}),
    "lang-c": Environment({"LANG": "C", "LC_ALL": "C"}),
    "light": Environment(settings={"ui": {"theme": "Google Code"}}),
    "vim": Environment(settings={"vim": True}),
    "alternate": Environment(settings={"ui": {"useAlternateBuffer": True}}),
    "reader": Environment(argv=("--screen-reader",), questions=False),
    "bare": Environment(
        settings={"ui": {"hideFooter": True, "hideBanner": True, "hideTips": True}}
    ),
    "60x15": Environment(size=(60, 15)),
    "60x20": Environment(size=(60, 20)),
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
    cols, rows = environment.size
    testbed.model.play(turns.shell("touch first.txt && ls -la"), "the first is done")
    with testbed.settings(**environment.settings):
        argv = ("gemini", *environment.argv, "-i", "begin with this")
        seat = testbed.desk.open(argv, cwd, env, cols=cols, rows=rows)
        seat.see("Allow once", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    yield talk
    talk.leave()
    seat.close()


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
    assert talk.log.said("two words\nin two lines") == 1

    talk.play({"parts": [{"text": "not to be waited for"}], "hold": True})
    talk.say("think for long")
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    talk.model.release()
    talk.play()
    talk.say("after the interrupt")
    talk.finish()
    assert talk.log.said("after the interrupt") == 1
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
    plan = talk.do(enter(talk, "# The plan\n\n1. Make it pass\n"))
    assert plan["type"] == "plan"
    assert talk.approve(plan, option="Yes, manually accept edits").status == 200
    assert "approved" in str(talk.outputs())
    talk.finish()
