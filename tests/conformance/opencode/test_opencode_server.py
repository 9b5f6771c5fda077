"""OpenCode's server: a second way into a prompt that stands in a pane, without a key."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from clawtap_opencode.live import turns
from patience import until

from clawtap_core.testing.scripted.request_log import PATIENCE

# tmux wakes a program that was stopped by a signal, but not one in a frozen group.
FREEZER = Path("/sys/fs/cgroup/freezer")
PARTS = turns.choice("Which parts?", "API", "UI", "DB", header="Parts", multi=True)
DEPLOY = turns.choice("Deploy now?", "Yes", "No", header="Deploy")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def shared(testbed):
    """A session whose TUI has a server, and its port, which the arguments name."""
    port = str(free_port())
    talk = testbed.start(args=["--port", port])
    talk.idle(2 * PATIENCE)
    yield talk, port
    talk.leave()


@pytest.fixture
def served(shared):
    talk, _ = shared
    talk.idle()
    return talk


def known(talk, prompt):
    """The prompt, once the server reported it: the database may have its call before that."""
    if not prompt.get("toolCallId"):
        asked = prompt["requestId"]
        prompt = talk.events.wait(
            "prompt_updated",
            where=lambda data: data["requestId"] == asked and data.get("toolCallId"),
            seconds=talk.testbed.patience,
        ).data
    reported = f"a shared server asks about call {prompt['toolCallId']}\n"
    until(lambda: reported in talk.testbed.served.log.read_text(), talk.testbed.patience)
    return prompt


def ways(talk, prompt):
    """How a prompt was answered: by the server, or by which steps."""
    updates = (e.data for e in talk.events.seen if e.type == "prompt_updated")
    mine = [data for data in updates if data["requestId"] == prompt["requestId"]]
    return [data.get("via") or data["steps"] for data in mine if "via" in data or "steps" in data]


def test_a_command_is_allowed_without_a_key(served):
    prompt = known(served, served.do(turns.shell("touch once.txt && ls")))
    assert prompt["toolInput"] == {"command": "touch once.txt && ls"}
    reply = served.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    assert "once.txt" in str(served.outputs())
    served.finish()
    assert ways(served, prompt) == ["daemon"]


def test_a_refusal_and_its_reason_reach_the_model_in_the_same_turn(served):
    prompt = known(served, served.do(turns.shell("touch refused.txt")))
    assert served.deny(prompt, reason="use a temporary folder").body["state"] == "denied"
    served.finish()
    assert ways(served, prompt) == ["daemon"]
    assert "use a temporary folder" in str(served.outputs())
    assert served.log.times_said("use a temporary folder") == 0
    assert not (served.cwd / "refused.txt").exists()


def test_a_refusal_without_a_reason_ends_the_turn(served):
    prompt = known(served, served.do(turns.shell("touch denied.txt")))
    assert served.deny(prompt).status == 200
    served.idle()
    assert ways(served, prompt) == ["daemon"]
    assert not (served.cwd / "denied.txt").exists()


def test_a_long_command_is_whole_at_once(served):
    lines = "\n".join(f"# line {number} of a long command" for number in range(20))
    prompt = known(served, served.do(turns.shell(f"touch long.txt\n{lines}")))
    assert prompt["toolInput"]["command"].endswith("line 19 of a long command")
    assert not prompt.get("truncated")
    assert served.approve(prompt).status == 200
    served.outputs()
    served.finish()
    assert ways(served, prompt) == ["daemon"]


def test_an_edit_and_a_folder_outside_are_answered_without_a_key(served):
    path = served.cwd / "edited.txt"
    path.write_text("one\ntwo\nthree\n")
    prompt = known(served, served.do(turns.edit(path, "two", "TWO")))
    assert prompt["toolInput"] == {"filePath": str(path)}
    assert served.approve(prompt).status == 200
    served.outputs()
    served.finish()
    assert ways(served, prompt) == ["daemon"]
    prompt = known(served, served.do(turns.read("/etc/hostname")))
    assert served.deny(prompt).status == 200
    served.idle()
    assert ways(served, prompt) == ["daemon"]


def test_questions_are_one_prompt_and_answered_in_one_go(served):
    prompt = known(served, served.do(turns.ask(PARTS, DEPLOY)))
    assert [each["question"] for each in prompt["questions"]] == ["Which parts?", "Deploy now?"]
    assert served.answer(prompt, {"0": ["API", "the docs"], "1": "No"}).status == 200
    said = str(served.outputs())
    assert '"Which parts?"="API, the docs"' in said
    assert '"Deploy now?"="No"' in said
    served.finish()
    assert ways(served, prompt) == ["daemon"]


def test_a_question_is_dismissed(served):
    prompt = known(served, served.do(turns.ask(DEPLOY)))
    assert served.deny(prompt).status == 200
    served.idle()
    assert ways(served, prompt) == ["daemon"]


def test_two_identical_calls_at_once_are_two_prompts(served):
    first = known(served, served.do(turns.parallel(["date >> same.txt", "date >> same.txt"])))
    reply = served.approve(first)
    assert reply.status == 200, (reply, served.pending())
    second = known(served, served.prompt())
    assert second["toolCallId"] != first["toolCallId"]
    assert served.approve(second).status == 200
    served.outputs(2)
    served.finish()
    assert len((served.cwd / "same.txt").read_text().splitlines()) == 2


def test_what_is_always_allowed_is_shown_first(served):
    prompt = known(served, served.do(turns.shell("mkdir first")))
    assert served.approve(prompt, option="Allow always").status == 200
    patterns = served.prompt()
    assert patterns["title"] == "Always allow"
    assert served.respond(patterns, selectedOption="cancel").status == 200
    again = served.prompt()
    assert served.approve(again).status == 200
    served.outputs()
    served.finish()
    assert ways(served, prompt)[-1] != "daemon"


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_a_subagent_asks_in_its_own_name(served, decision):
    task = turns.task("look around", "SUBTASK: look")
    command = turns.shell(f"touch sub-{decision}.txt")
    ends = {"parts": [{"text": "nothing"}], "to": "SUBTASK"}
    prompt = known(served, served.do(task, {**command, "to": "SUBTASK"}, ends))
    assert prompt["origin"] == "look around"
    assert getattr(served, decision)(prompt).status == 200
    served.finish()
    assert ways(served, prompt) == ["daemon"]
    assert (served.cwd / f"sub-{decision}.txt").exists() == (decision == "approve")


def test_the_desk_may_be_first(served):
    prompt = known(served, served.do(turns.shell("touch desk.txt")))
    served.seat.press("Enter")
    assert served.resolved(prompt)["state"] == "answered_elsewhere"
    served.outputs()
    served.finish()
    assert served.approve(prompt).status == 409


@contextmanager
def frozen(seat, seconds):
    """Freeze the CLI for some seconds."""
    pid = seat.desk.tmux("display-message", "-p", "-t", seat.pane, "#{pane_pid}").strip()
    group = FREEZER / f"clawtap-test-{pid}"
    group.mkdir()
    (group / "cgroup.procs").write_text(pid)
    (group / "freezer.state").write_text("FROZEN")
    thaw = threading.Timer(seconds, (group / "freezer.state").write_text, ["THAWED"])
    thaw.start()
    yield
    thaw.join()
    (FREEZER / "cgroup.procs").write_text(pid)
    group.rmdir()


@pytest.mark.skipif(not os.access(FREEZER, os.W_OK), reason="needs a group that can be frozen")
@pytest.mark.parametrize(("seconds", "status"), [(3, 200), (25, 502)])
def test_an_answer_to_a_server_that_stalls_counts_once_and_late_is_said_to_be_unseen(
    served, seconds, status
):
    prompt = known(served, served.do(turns.shell(f"echo once >> stalled-{seconds}.txt")))
    with frozen(served.seat, seconds):
        assert served.approve(prompt).status == status
    served.outputs()
    served.finish()
    assert (served.cwd / f"stalled-{seconds}.txt").read_text() == "once\n"
    assert len(ways(served, prompt)) == 1


def test_a_server_with_a_password_is_joined_at_the_port_that_opencode_chose(testbed):
    cwd = testbed.project()
    env = {**testbed.env, "OPENCODE_SERVER_PASSWORD": "sesame"}
    seat = testbed.desk.open(("opencode", "--port", "0"), cwd, env)
    seat.see("ctrl+p commands", seconds=2 * PATIENCE)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    prompt = known(talk, talk.do(turns.shell("env")))
    assert talk.approve(prompt).status == 200
    # Why ClawTap starts no server on its own: what the agent runs could answer there too.
    assert "OPENCODE_SERVER_PASSWORD=sesame" in str(talk.outputs())
    talk.finish()
    assert ways(talk, prompt) == ["daemon"]
    assert "sesame" not in str(talk.journal())
    talk.leave()
    seat.close()


def test_without_a_server_keys_answer(testbed):
    talk = testbed.start()
    talk.idle(2 * PATIENCE)
    prompt = talk.do(turns.shell("touch keys.txt"))
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    (steps,) = ways(talk, prompt)
    assert steps[-1]["deciding"]
    talk.leave()
