"""Permissions of Kimi Code: what is allowed is run, what is denied is not."""

from __future__ import annotations

import time

import pytest
from clawtap_kimi.live import turns
from permission_scenarios import (
    asks_again_for_a_repeated_command,
    keeps_a_prompt_while_another_call_is_drawn,
    labels,
)

LABELS = ["Approve once", "Approve for this session", "Reject"]


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt && ls"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "Bash")
    assert prompt["toolInput"]["command"] == "touch once.txt && ls"
    assert labels(prompt) == LABELS
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    assert "once.txt" in str(talk.outputs())
    assert (talk.cwd / "once.txt").exists()
    talk.finish()


def test_a_command_and_an_edit_are_asked_for_in_a_narrow_pane(own):
    # The row that names the keys is cut.
    talk = own(cols=40, rows=20)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch narrow.txt"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "Bash")
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    old, new = ("".join(f"{word} {at}\n" for at in range(60)) for word in ("line", "LINE"))
    path = talk.cwd / "narrow.txt"
    path.write_text(old)
    prompt = talk.do(turns.read(path), turns.edit(path, old, new))
    assert (prompt["type"], prompt["truncated"]) == ("permission", True)
    assert talk.approve(prompt).status == 200
    talk.outputs(2)
    talk.finish()
    assert path.read_text() == new


def test_a_command_is_allowed_for_the_session(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.shell("mkdir -p first"), turns.shell("mkdir -p first"))
    assert talk.approve(prompt, option="Approve for this session").status == 200
    talk.outputs(2)
    talk.finish()
    assert talk.pending() == []


def test_a_command_is_denied(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt)
    assert reply.status == 200, reply
    assert reply.body["state"] == "denied"
    talk.finish()
    assert not (talk.cwd / "denied.txt").exists()


def test_the_reason_of_a_refusal_goes_into_the_row_of_the_list(talk):
    reason = "use a temporary folder, and tell me why the usual one would not do: Grüße"
    prompt = talk.do(turns.shell("touch refused.txt"))
    assert talk.deny(prompt, reason=reason).status == 200
    assert reason in str(talk.outputs())
    talk.finish()
    assert talk.log.times_said(reason) == 0
    assert not (talk.cwd / "refused.txt").exists()


def test_a_command_of_several_lines_is_read_as_it_is(talk):
    command = "for name in one two; do\n  echo $name >> lines.txt\n\ndone # and nothing else"
    prompt = talk.do(turns.shell(command))
    assert prompt["toolInput"]["command"] == command
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "lines.txt").read_text() == "one\ntwo\n"


def test_a_command_that_draws_over_itself_is_shown_as_it_is(testbed, talk):
    command = "rm -rf build" + "\b" * 12 + "echo harmless"
    talk.do(turns.shell(command))
    if testbed.reports_calls:
        talk.until(lambda _: talk.pending()[0]["toolInput"]["command"] == command)
    (prompt,) = talk.pending()
    assert talk.deny(prompt).status == 200
    talk.finish()


def test_a_dangerous_command_says_why_it_is(talk):
    prompt = talk.do(turns.shell("rm -rf build"))
    assert "Dangerous: recursive delete" in prompt["description"]
    assert prompt["toolInput"]["command"] == "rm -rf build"
    assert talk.deny(prompt).status == 200
    talk.finish()


def test_a_file_is_written_and_edited(talk):
    path = talk.cwd / "new.txt"
    prompt = talk.do(turns.write(path, "one\ntwo\nthree\n"))
    assert prompt["toolName"] == "Write"
    assert "two" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    prompt = talk.do(turns.read(path), turns.edit(path, "two", "TWO"))
    assert prompt["toolName"] == "Edit"
    assert "- two" in prompt["description"]
    assert "+ TWO" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert path.read_text() == "one\nTWO\nthree\n"


def test_a_file_is_not_written_when_that_is_denied(talk):
    path = talk.cwd / "unwritten.txt"
    prompt = talk.do(turns.write(path, "words\n"))
    assert talk.deny(prompt).status == 200
    talk.finish()
    assert not path.exists()


def test_an_mcp_tool_is_allowed(testbed, talk):
    prompt = talk.do(turns.mcp("greet", name="World"))
    assert prompt["toolName"] == "mcp__lab__greet"
    if testbed.reports_calls:
        # The screen does not show them.
        talk.until(lambda _: talk.pending()[0].get("toolInput") == {"name": "World"})
    assert talk.approve(prompt).status == 200
    assert "Hello World" in str(talk.outputs())
    talk.finish()


def test_two_calls_at_once_are_two_prompts(talk):
    first = talk.do(turns.parallel(["date >> one.txt", "date >> two.txt"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["toolInput"]["command"] == "date >> two.txt"
    assert talk.deny(second).status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "one.txt").exists()
    assert not (talk.cwd / "two.txt").exists()


def test_of_equal_calls_at_once_the_cli_asks_for_one_and_runs_one(talk):
    again, other = "date >> again.txt", "date >> other.txt"
    first = talk.do(turns.parallel([again, again, other]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["toolInput"]["command"] == other
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()
    # Every call of the turn was answered by now, so no third prompt is still to come.
    asked = [event for event in talk.events.seen if event.type == "approval_required"]
    assert {event.data["requestId"] for event in asked} <= talk.met
    assert len((talk.cwd / "again.txt").read_text().splitlines()) == 1
    assert len((talk.cwd / "other.txt").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    "command", ["touch " + "a-long-name " * 30, "touch long.txt\n" + "# x\n" * 60]
)
def test_a_command_that_the_pane_cuts_is_read_whole(testbed, talk, command):
    prompt = talk.do(turns.shell(command.strip()))
    if testbed.reports_calls:
        talk.until(lambda _: talk.pending()[0].get("toolInput"))
        (prompt,) = talk.pending()
        assert prompt["toolInput"]["command"] == command.strip()
        assert not prompt.get("truncated")
    else:
        assert prompt.get("truncated") or prompt["toolInput"]["command"] == command.strip()
    assert talk.deny(prompt).status == 200
    talk.finish()


def subagent(command):
    task = turns.task("look around", "SUBTASK: look around")
    said = {"parts": [{"text": "I looked around, and this is all of it. " * 30}], "to": "SUBTASK"}
    return task, {**turns.shell(command), "to": "SUBTASK"}, said


def test_a_subagents_command_is_allowed_and_another_refused(talk):
    prompt = talk.do(*subagent("touch by-agent.txt"))
    assert prompt["toolInput"]["command"] == "touch by-agent.txt"
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "by-agent.txt").exists()
    prompt = talk.do(*subagent("touch by-another.txt"))
    assert talk.deny(prompt, reason="use the trash").status == 200
    talk.finish()
    assert "use the trash" in str([request.body for request in talk.log.main()])
    assert not (talk.cwd / "by-another.txt").exists()


def test_a_folder_is_trusted_once(testbed, tmp_path):
    if not testbed.asks_trust:
        pytest.skip("this version does not ask")
    talk = testbed.start(cwd=tmp_path)
    prompt = talk.prompt(60)
    assert (prompt["type"], prompt["title"]) == ("permission", "Trust this folder?")
    assert labels(prompt) == ["Trust this folder", "Don't trust"]
    assert talk.approve(prompt, option="Trust this folder").status == 200
    talk.idle(60)
    talk.leave()


def test_a_call_that_is_drawn_above_a_prompt_is_not_its_call_answered(talk):
    keeps_a_prompt_while_another_call_is_drawn(talk, turns)


def test_the_same_command_twice_is_asked_for_twice(talk):
    asks_again_for_a_repeated_command(talk, turns)


def test_a_command_that_the_desk_approves_was_answered_there_though_it_is_asked_for_again(talk):
    command = "date >> desk.txt"
    first = talk.do(turns.shell(command), turns.shell(command))
    talk.seat.press("1")
    ended = talk.resolved(first)
    assert (ended["state"], ended["resolution"]["by"]) == ("answered_elsewhere", "someone")
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()
    assert len((talk.cwd / "desk.txt").read_text().splitlines()) == 2


def test_a_key_that_the_desk_pressed_twice_stays_its_own_behind_the_next_prompts(own):
    talk = own()
    talk.idle(60)
    first = talk.do(turns.parallel([f"date >> pressed-{name}.txt" for name in "abc"]))
    talk.seat.type("11")
    assert talk.resolved(first)["state"] == "answered_elsewhere"
    for _ in "bc":
        prompt = talk.prompt()
        time.sleep(3)  # a key of an attached terminal is known to the second
        reply = talk.approve(prompt)
        assert (reply.status, reply.body.get("state")) == (200, "answered"), reply
    talk.outputs(2)
    talk.seat.see(talk.end)
    assert all((talk.cwd / f"pressed-{name}.txt").exists() for name in "abc")
    talk.seat.see(" > 1")


@pytest.mark.parametrize("rows", [15, 12])
def test_a_command_stays_one_prompt_in_a_pane_that_cuts_its_top(testbed, talk, rows):
    first = talk.do(turns.shell(f"echo low >> low-{rows}.txt"))
    for size in (60, rows), (250, 70), (60, rows):
        talk.seat.resize(*size)
        time.sleep(4)  # longer than a redraw stands for the same prompt
        assert [prompt["requestId"] for prompt in talk.pending()] == [first["requestId"]]
    testbed.served.kill()
    testbed.served.start()
    talk.listen()
    talk.until(lambda _: len(talk.pending()) == 1)
    talk.seat.resize(120, 40)
    time.sleep(4)
    (prompt,) = talk.pending()
    assert prompt["requestId"] == first["requestId"]
    assert prompt["title"] == first["title"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / f"low-{rows}.txt").read_text() == "low\n"
