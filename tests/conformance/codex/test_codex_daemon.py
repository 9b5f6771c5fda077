"""Codex's daemon: a second way into a prompt that stands in a pane, without a key."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from clawtap_codex.live import turns
from clilab.install import versions


def servers(home):
    """The daemon of a HOME, and what looks after it: they outlive the CLI."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_text()
        except OSError:
            continue
        if str(home) in line and "app-server" in line:
            yield int(folder.name)


def end_servers(home):
    for pid in servers(home):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module", params=versions("0.169.0"))
def daemon_testbed(request, tmp_path_factory):
    """Codex as it is started by default, through its daemon."""
    from codex_testbed import CodexTestbed

    class DaemonGround(CodexTestbed):
        flags = ()

    # The name is short: the path of a socket has at most 107 characters.
    testbed = DaemonGround(request.param, tmp_path_factory.mktemp("d"))
    testbed.settle(agents=True)
    yield testbed
    end_servers(testbed.home)
    testbed.close()


@pytest.fixture
def joined(daemon_testbed):
    """Idle sessions in panes, of a CLI that runs through its daemon."""
    started = []

    def start(*args):
        talk = daemon_testbed.start(args=list(args))
        started.append(talk)
        talk.idle(90)
        return talk

    yield start
    for talk in started:
        talk.leave()


def known(talk, prompt):
    """The prompt, once the daemon reported it too."""
    if prompt.get("toolCallId"):
        return prompt
    asked = prompt["requestId"]
    return talk.events.wait(
        "prompt_updated",
        where=lambda data: data["requestId"] == asked and data.get("toolCallId"),
    ).data


def ways(talk, prompt):
    """How a prompt was answered: by the daemon, or by which steps."""
    updates = (e.data for e in talk.events.seen if e.type == "prompt_updated")
    mine = [data for data in updates if data["requestId"] == prompt["requestId"]]
    return [data.get("via") or data["steps"] for data in mine if "via" in data or "steps" in data]


def test_a_prompt_in_a_pane_is_answered_without_a_key(joined):
    talk = joined()
    prompt = known(talk, talk.do(turns.shell("touch daemon.txt")))
    assert prompt["channel"] == "terminal"
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    talk.outputs()
    talk.finish()
    assert ways(talk, prompt) == ["daemon"]
    assert (talk.cwd / "daemon.txt").exists()
    assert len([e for e in talk.events.seen if e.type == "approval_required"]) == 1


def test_an_instant_answer_is_given_without_a_key(joined):
    talk = joined()
    for number in range(3):
        prompt = talk.do(turns.shell(f"touch instant{number}.txt"))
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        assert ways(talk, prompt) == ["daemon"]
        assert (talk.cwd / f"instant{number}.txt").exists()


def test_a_refusal_goes_the_same_way(joined):
    talk = joined()
    prompt = known(talk, talk.do(turns.shell("touch denied.txt")))
    assert talk.deny(prompt).body["state"] == "denied"
    talk.idle()
    assert ways(talk, prompt) == ["daemon"]
    assert not (talk.cwd / "denied.txt").exists()


def test_an_edit_is_shown_whole(joined):
    talk = joined()
    lines = [f"line {number} of many" for number in range(120)]
    prompt = known(talk, talk.do(turns.patch(turns.new_file("large.txt", *lines))))
    assert "line 119 of many" in str(prompt["toolInput"])
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert ways(talk, prompt) == ["daemon"]


def test_questions_are_one_prompt_and_answered_in_one_go(joined):
    talk = joined()
    asked = (
        turns.choice("Which?", "A", "B", name="db"),
        turns.choice("What?", "C", "D", name="ui"),
    )
    prompt = known(talk, talk.do(turns.ask(*asked)))
    assert [each["question"] for each in prompt["questions"]] == ["Which?", "What?"]
    given = {"answers": {"0": "A", "1": "D"}, "notes": {"1": "but later"}}
    assert talk.respond(prompt, **given).status == 200
    output = str(talk.outputs())
    assert '"A"' in output
    assert '"D","user_note: but later"' in output
    talk.finish()
    assert ways(talk, prompt) == ["daemon"]


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_a_sub_agent_asks_in_its_own_name_and_is_answered_by_keys(joined, decision):
    talk = joined()
    task = {"message": "touch", "task_name": "toucher"}
    spawn = turns.turn(turns.call("spawn_agent", "collaboration", **task))
    talk.play(spawn, turns.shell("touch a.txt"), turns.shell("touch b.txt"), "one", "two", "three")
    talk.say()
    found = {}
    for _ in range(2):  # the pane shows one after the other
        prompt = known(talk, talk.prompt())
        found[prompt.get("origin")] = prompt["toolInput"]["command"].split()[-1]
        assert getattr(talk, decision)(prompt).status == 200
        assert (ways(talk, prompt) == ["daemon"]) == (prompt.get("origin") is None)
    talk.idle(60)
    assert "Not available" not in talk.seat.text()
    assert set(found) == {None, "toucher"}
    done = {path.name for path in talk.cwd.glob("*.txt")}
    assert done == ({"a.txt", "b.txt"} if decision == "approve" else set())


def test_a_sub_agent_that_asks_the_same_as_the_main_agent_has_a_prompt_of_its_own(joined):
    talk = joined()
    task = {"message": "make it", "task_name": "maker"}
    spawn = turns.turn(turns.call("spawn_agent", "collaboration", **task))
    line = turns.shell("echo made >>made.txt")
    talk.play(spawn, line, line, "one", "two", "three")
    talk.say()
    origins = set()
    for _ in range(2):
        prompt = known(talk, talk.prompt())
        origins.add(prompt.get("origin"))
        assert talk.approve(prompt).status == 200
    talk.idle(60)
    assert origins == {None, "maker"}
    assert (talk.cwd / "made.txt").read_text() == "made\nmade\n"


def test_the_desk_may_be_first(joined):
    talk = joined()
    prompt = known(talk, talk.do(turns.shell("touch desk.txt")))
    talk.seat.press("y")
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    talk.outputs()
    talk.finish()
    assert talk.approve(prompt).status == 409


def test_without_the_daemon_keys_answer(daemon_testbed):
    talk = daemon_testbed.start(args=["--no-daemon"])
    try:
        talk.idle(90)
        prompt = talk.do(turns.shell("touch keys.txt"))
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        (steps,) = ways(talk, prompt)
        assert steps[-1]["deciding"]
    finally:
        talk.leave()


def test_a_daemon_with_other_features_is_left_as_it_is(joined):
    joined()
    talk = joined("--disable", "apps")
    assert talk.pending() == []
    prompt = talk.do(turns.shell("touch apart.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert ways(talk, prompt) != ["daemon"]
    assert (talk.cwd / "apart.txt").exists()
