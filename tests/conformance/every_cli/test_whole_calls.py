"""A call that is longer than the pane is known whole, so that it can be read before it is allowed.

Of Claude Code, Codex and Gemini CLI `test_rich_page.py` tests the same on the page.
"""

from __future__ import annotations

from every_cli import OTHER_VERSIONS, tried_on

# Kimi Code 0.30.0 writes no call down before it is answered.
pytestmark = tried_on(tuple(each for each in OTHER_VERSIONS if each != ("kimi", "0.30.0")))

COMMAND = "\n".join(f"echo 'part {number} of the build' >> build.log" for number in range(1, 301))
OLD = "".join(f"def price_{at}():\n    return sum('row {at}')\n\n" for at in range(60))
NEW = OLD.replace("sum", "rounded_sum")


def whole(talk, prompt):
    """The prompt, once the call of the conversation has completed it."""
    waiting = []

    def completed(_):
        waiting[:] = [one for one in talk.pending() if one["requestId"] == prompt["requestId"]]
        return waiting and not waiting[0].get("truncated") and waiting[0].get("toolInput")

    talk.until(completed)
    return waiting[0]


def test_a_command_of_300_lines_is_known_to_its_end(testbed, own):
    talk = own()
    talk.idle(90)
    prompt = whole(talk, talk.do(testbed.cli.turns.shell(COMMAND)))
    assert prompt["toolInput"]["command"] == COMMAND
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert len((talk.cwd / "build.log").read_text().splitlines()) == 300


def test_an_edit_of_60_places_is_known_to_its_end(testbed, own):
    talk = own()
    talk.idle(90)
    path, turns = talk.cwd / "prices.py", testbed.cli.turns
    path.write_text(OLD)
    prompt = whole(talk, talk.do(turns.read(path), turns.edit(path, OLD, NEW)))
    assert {OLD.strip(), NEW.strip()} <= {
        str(text).strip() for text in prompt["toolInput"].values()
    }
    assert "row 59" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert path.read_text() == NEW
