"""Claude Code as people run it: other terminals, locales, sizes, a status line that looks like a
prompt, its other renderer."""

from __future__ import annotations

import json

import pytest
from clilab import claude_turns as turns

LONG = {"parts": [{"text": "word " * 200, "split": 5}], "chunk_delay": 0.1}
STATUS_LINE = {"type": "command", "command": "echo '❯ 1. Yes'; echo '  2. No 🎉'"}
FULLSCREEN = {"CLAUDE_CODE_NO_FLICKER": "1"}
# By name: what is added to the environment (None: taken out), the pane's size, the settings.
ENVIRONMENTS = {
    "no colour": ({"NO_COLOR": "1"}, (120, 40), {}),
    "TERM=screen": ({"TERM": "screen"}, (120, 40), {}),
    "LANG=C": ({"LANG": "C"}, (120, 40), {}),
    "60x20": ({}, (60, 20), {}),
    "60x15": ({}, (60, 15), {}),
    "250x70": ({}, (250, 70), {}),
    "status line": ({}, (120, 40), {"statusLine": STATUS_LINE}),
    "fullscreen": (FULLSCREEN, (120, 40), {}),
}


@pytest.fixture(params=ENVIRONMENTS)
def talk(testbed, request):
    env, (cols, rows), settings = ENVIRONMENTS[request.param]
    cwd = testbed.project()
    (cwd / ".claude").mkdir()
    (cwd / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    testbed.known.append(cwd)
    testbed.settle()
    argv = ("claude", "--permission-mode", "default")
    seat = testbed.desk.open(argv, cwd, {**testbed.env, **env}, cols=cols, rows=rows)
    seat.see("❯", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    yield talk
    talk.leave()
    seat.close()


def test_a_day_in_this_environment(talk):
    prompt = talk.do(turns.shell("touch allowed.txt"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "Bash")
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.idle()
    assert (talk.cwd / "allowed.txt").exists()

    prompt = talk.do(turns.ask(turns.choice("Which one?", "Red", "Blue")))
    assert prompt["questions"][0]["question"] == "Which one?"
    assert talk.answer(prompt, {"0": "Blue"}).status == 200
    assert "Blue" in str(talk.outputs())
    talk.idle()

    talk.play(LONG)
    text = talk.say()
    talk.state("busy")
    assert talk.post("interrupt").status == 200
    talk.idle()
    said = [
        block.get("text")
        for each in talk.get("/messages").body["messages"]
        for block in each["content"]
        if each["role"] == "user"
    ]
    assert text in said
