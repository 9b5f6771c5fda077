"""Permissions of Claude Code: what is allowed is run, what is denied is not, the model hears it."""

from __future__ import annotations

import json
import time

import pytest
from clawtap_claude.live import turns
from permission_scenarios import (
    asks_again_for_a_repeated_command,
    asks_twice_for_two_identical_calls,
    labels,
    makes_an_edit,
    writes_a_file,
    writes_no_file_when_denied,
)

from clawtap_core.testing.scripted.turns import call, turn


def starting(prompt, *words):
    """The label that begins with one of these words."""
    return next(label for label in labels(prompt) if label.startswith(words))


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt && ls -la"))
    assert (prompt["type"], prompt["state"]) == ("permission", "pending")
    assert prompt["toolName"] == "Bash"
    assert prompt["toolInput"]["command"] == "touch once.txt && ls -la"
    assert labels(prompt)[0] == "Yes"
    assert labels(prompt)[-1] == "No"
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    assert "once.txt" in str(talk.outputs())
    assert (talk.cwd / "once.txt").exists()
    talk.finish()
    assert talk.resolved(prompt)["resolution"]["outcome"] == "answered"


def test_a_command_is_denied(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()


@pytest.mark.parametrize("reason", ["use a temporary folder", "/compact it", "not in C:\\"])
def test_the_reason_of_a_refusal_goes_along_with_it(talk, reason):
    prompt = talk.do(turns.shell("touch refused.txt"))
    reply = talk.deny(prompt, reason=reason)
    assert reply.status == 200, reply
    (output,) = talk.outputs()
    assert json.dumps(f"the user said:\n{reason}")[1:-1] in json.dumps(output)
    talk.finish()
    assert not (talk.cwd / "refused.txt").exists()


@pytest.mark.parametrize("how", ["deny", "approve"])
def test_a_reason_that_overrides_the_direction_of_its_text_arrives_once(talk, how):
    prompt = talk.do(turns.shell("touch overridden.txt"))
    reply = talk.post(how, requestId=prompt["requestId"], reason="take \u202epng.txt\u202c")
    assert reply.status == 200, reply
    arrived = talk.log.wait(lambda log: "png.txt" in str(log.main()[-1].body["messages"][-3:]))
    assert arrived, talk.seat.text()
    talk.idle()
    assert (talk.cwd / "overridden.txt").exists() == (how == "approve")


@pytest.mark.parametrize("tool", ["Bash", "Write"])
def test_a_line_that_is_too_long_to_be_shown_comes_from_the_transcript(talk, tool):
    long = "word " * 1500 + "end"
    path = str(talk.cwd / "long.txt")
    asked = turns.shell(f"touch long.txt; : {long}") if tool == "Bash" else turns.write(path, long)
    talk.do(asked)
    talk.until(lambda _: talk.pending()[0].get("toolCallId"))
    (prompt,) = talk.pending()
    assert (prompt["type"], prompt["toolName"]) == ("permission", tool)
    assert long in prompt["toolInput"]["command" if tool == "Bash" else "content"]
    assert not prompt.get("truncated")
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    talk.idle()
    assert not (talk.cwd / "long.txt").exists()


def test_a_rule_is_offered_when_it_is_complete(talk):
    """Claude Code 2.1.330 paints the wildcard at its end some time after the prompt."""
    script = talk.cwd / "s0.sh"
    script.write_text("#!/bin/sh\ntouch ran\n")
    script.chmod(0o755)
    prompt = talk.do(turns.shell("./s0.sh"))
    rule = starting(prompt, "Yes, and don")
    reply = talk.approve(prompt, option=rule)
    assert reply.status == 200, (rule, reply)
    talk.outputs()
    talk.finish()
    assert starting(talk.resolved(prompt), "Yes, and don") == rule
    assert (talk.cwd / "ran").exists()


def test_a_command_of_several_lines_is_shown_whole(talk):
    command = "python3 - <<'EOF'\nif True:\n    open('lines.txt', 'w')\nEOF"
    prompt = talk.do(turns.shell(command))
    assert command in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "lines.txt").exists()


def test_a_command_longer_than_the_screen_is_shown_in_full_and_allowed(talk):
    command = "\n".join(["touch long.txt", *(f"touch file{at}" for at in range(60))])
    prompt = talk.do(turns.shell(command))
    # The screen shows its end; the transcript, which comes a little later or earlier, all of it.
    assert "touch file59" in prompt["description"]
    talk.until(lambda _: "touch long.txt" in talk.pending()[0]["description"])
    (whole,) = talk.pending()
    assert whole["requestId"] == prompt["requestId"]
    assert not whole.get("truncated")
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "long.txt").exists()


def test_an_edit_shows_its_diff_and_is_made(talk):
    description = makes_an_edit(talk, turns, "Edit")
    assert "two" in description
    assert "TWO" in description


def test_a_file_is_not_written_when_denied(talk):
    writes_no_file_when_denied(talk, turns, "Write")


def test_a_file_is_written(talk):
    writes_a_file(talk, turns, "Write")


def test_a_file_outside_is_read_for_the_session(talk):
    prompt = talk.do(turns.read("/etc/hostname"), turns.read("/etc/hosts"))
    assert prompt["toolName"] == "Read"
    assert talk.approve(prompt, option=starting(prompt, "Yes, ")).status == 200
    talk.outputs(2)
    talk.finish()
    assert talk.pending() == []


def test_a_page_may_not_be_fetched(talk):
    prompt = talk.do(turns.fetch(talk.model.url + "/page"))
    assert prompt["toolName"] == "WebFetch"
    assert "/page" in prompt["description"]
    assert talk.deny(prompt).body["state"] == "denied"
    talk.idle()


def test_a_tool_of_an_mcp_server_is_allowed_then_not_asked_again(own):
    talk = own()
    talk.idle(60)
    call = turns.mcp("delete_note", id="a b")
    prompt = talk.do(*call)
    assert prompt["toolName"].startswith("mcp__lab__delete")
    assert "a b" in prompt["description"]
    assert talk.approve(prompt).status == 200
    assert "delete_note" in str(talk.outputs())
    talk.finish()
    prompt = talk.do(*call, *call)
    assert talk.approve(prompt, option=starting(prompt, "Yes, and don")).status == 200
    talk.outputs(2)
    talk.finish()


def test_a_tool_of_an_mcp_server_is_refused_with_a_reason(talk):
    """2.1.332 names the field of its refusal otherwise than that of a command."""
    prompt = talk.do(*turns.mcp("delete_note", id="a b"))
    reply = talk.deny(prompt, reason="keep that note")
    assert (reply.status, reply.body.get("state")) == (200, "denied"), (reply, talk.seat.text())
    assert talk.log.wait(lambda log: any("keep that note" in str(r.body) for r in log.main()), 60)
    talk.idle()


def test_calls_in_parallel_are_one_prompt_after_the_other(talk):
    first = talk.do(turns.parallel(["touch left.txt", "chmod 600 left.txt"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert "chmod" in second["description"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()


def test_two_identical_prompts_in_a_row_are_two(talk):
    asks_again_for_a_repeated_command(talk, turns)


def test_two_identical_calls_at_once_are_two_prompts(talk):
    asks_twice_for_two_identical_calls(talk, turns)


@pytest.mark.parametrize(("cols", "rows"), [(60, 20), (200, 50)])
def test_a_prompt_of_another_size_is_answered(own, cols, rows):
    talk = own(cols=cols, rows=rows)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch size.txt"))
    assert "touch size.txt" in prompt["description"]
    assert talk.deny(prompt, reason="not now").status == 200
    assert "not now" in str(talk.outputs())
    talk.finish()


def test_a_prompt_that_a_low_pane_has_no_room_for_was_not_answered(testbed, own):
    if not testbed.new:
        pytest.skip("shows it in eight rows, too")
    talk = own(cols=100)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch low.txt && ls"))
    talk.seat.resize(100, 8)
    ended = talk.resolved(prompt)
    assert (ended["state"], "too small" in ended["resolution"]["detail"]) == ("cancelled", True)
    assert talk.prompt()["type"] == "unknown"
    talk.seat.resize(100, 40)
    again = talk.prompt()
    assert again["toolInput"]["command"] == "touch low.txt && ls"
    assert talk.approve(again).status == 200
    talk.finish()
    assert (talk.cwd / "low.txt").exists()


@pytest.mark.parametrize("name", ["a fine name", "one ── two ─ three", "a long name " * 12])
def test_a_prompt_of_a_session_that_the_desk_named_is_read(testbed, own, name):
    if not testbed.new and len(name) > 100:
        pytest.skip("breaks a long name over two rows")
    talk = own()
    talk.idle(60)
    # 2.1.332 draws the name into the rules above its composer and below its prompts; older ones,
    # such as 2.1.210, only say that they took it.
    talk.seat.say(f"/rename {name}".strip())
    talk.seat.until(lambda screen: " ─\n" in screen or "renamed" in screen)
    talk.idle()
    prompt = talk.do(turns.shell("touch named.txt && ls"))
    assert prompt["type"] == "permission", prompt
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "named.txt").exists()


def test_an_edit_allowed_for_the_session_turns_to_accepting_edits(own):
    talk = own()
    talk.idle(60)
    one, two = talk.cwd / "a.txt", talk.cwd / "b.txt"
    prompt = talk.do(turns.write(one, "a\n"), turns.write(two, "b\n"))
    assert talk.approve(prompt, option=starting(prompt, "Yes, ")).status == 200
    talk.outputs(2)
    talk.finish()
    assert two.read_text() == "b\n"
    talk.until(lambda now: now["mode"] == "acceptEdits")


def agents_at_work(**work):
    """One turn that starts an agent for each of these, and the turns of the agents.

    2.1.330 goes on talking while they work.
    """
    tasks = {name: f"task of the agent {name}" for name in work}
    starts = [
        turns.call("Agent", description=name, prompt=task, subagent_type="general-purpose")
        for name, task in tasks.items()
    ]
    does = [{**turn, "to": tasks[name]} for name, turn in work.items()]
    says = [{**turns.turn(text=f"made {name}"), "to": task} for name, task in tasks.items()]
    return turns.turn(*starts), *does, *says


def test_a_prompt_of_a_subagent_says_whose_it_is(talk):
    prompt = talk.do(*agents_at_work(by=turns.shell("touch by-agent.txt")))
    # Its task, once its transcript is read; the screen shows its type at most.
    talk.until(lambda _: talk.pending()[0].get("origin") == "by")
    assert talk.approve(prompt).status == 200
    # The agent's call and its own one.
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "by-agent.txt").exists()


def test_a_prompt_that_comes_over_a_draft_of_the_desk_is_answered_at_once(testbed, own):
    """2.1.332 drops keys that come right after it drew such a prompt."""
    if not testbed.new:
        pytest.skip("its agents in the background do not ask")
    talk = own()
    talk.idle(60)
    for name in ("one", "two", "three"):
        task = f"task of the agent {name}"
        start = turns.call(
            "Agent",
            description=name,
            prompt=task,
            subagent_type="general-purpose",
            run_in_background=True,
        )
        asks = {**turns.shell(f"touch over-{name}.txt && ls"), "to": task, "delay": 4}
        talk.meet()
        talk.play(turns.turn(start), asks, {**turns.turn(text=f"made {name}"), "to": task})
        talk.say(f"begin {name}")
        talk.seat.see(talk.end)
        talk.seat.type("a draft")
        talk.seat.see("a draft")
        reply = talk.approve(talk.prompt())
        assert (reply.status, reply.body.get("state")) == (200, "answered"), reply
        talk.seat.see("a draft")
        talk.seat.press(*["BSpace"] * len("a draft"))
        talk.idle()
        assert (talk.cwd / f"over-{name}.txt").exists()


def long_edit(path, word):
    """A file and the edit that rewrites its 150 lines."""
    old = "\n".join(f"old {word} line {number}" for number in range(150))
    path.write_text(old + "\n")
    return turns.call(
        "Edit", file_path=str(path), old_string=old, new_string=old.replace("old", "new")
    )


def long_command(word):
    lines = "\n".join(f"echo {word} {number}" for number in range(70))
    return turns.call("Bash", command=f"touch {word}.txt\n{lines}", description="Says a lot")


@pytest.mark.parametrize("kind", ["edits", "commands"])
def test_the_answer_to_a_prompt_that_the_desk_answered_is_not_the_next_ones(talk, kind):
    names = (f"first-{kind}", f"second-{kind}")
    paths = [talk.cwd / f"{name}.txt" for name in names]
    if kind == "edits":
        calls = [long_edit(path, path.stem) for path in paths]
        first = talk.do(*map(turns.read, paths), turns.turn(*calls))
    else:
        first = talk.do(turns.turn(*map(long_command, names)))
    talk.seat.press("Enter")
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert names[1] in second["description"]
    assert names[0] not in second["description"]
    assert talk.approve(first).status == 409
    assert talk.resolved(first)["resolution"]["outcome"] == "answered_elsewhere"
    assert talk.deny(second).status == 200
    talk.idle()
    if kind == "edits":
        assert [path.read_text().split()[0] for path in paths] == ["new", "old"]
    else:
        assert [path.exists() for path in paths] == [True, False]


def test_a_second_agent_that_asks_does_not_end_the_prompt_of_the_first(talk):
    later = {**turns.shell("touch agent-two.txt"), "delay": 4}
    first = talk.do(*agents_at_work(one=turns.shell("touch agent-one.txt"), two=later))
    if talk.testbed.new:
        talk.until(lambda _: talk.pending()[0].get("position") == {"index": 1, "total": 2})
        assert [prompt["requestId"] for prompt in talk.pending()] == [first["requestId"]]
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["title"] == "Bash command"
    assert talk.approve(second).status == 200
    talk.outputs(4)
    talk.finish()
    assert all((talk.cwd / f"agent-{name}.txt").exists() for name in ("one", "two"))
    outcomes = [talk.resolved(prompt)["resolution"]["outcome"] for prompt in (first, second)]
    assert outcomes == ["answered", "answered"]


@pytest.mark.parametrize("desk", [False, True])
def test_equal_calls_of_two_agents_are_two_prompts(own, desk):
    """2.1.85 replaces the first, which the desk answered, by one that looks the same, at once."""
    talk = own(cols=80, rows=24)
    talk.idle(60)
    asks = turns.shell("echo ran >> equal.txt")
    first = talk.do(*agents_at_work(one=asks, two=asks))
    if desk:
        time.sleep(1)  # a dialog that was just painted takes no keys yet
        talk.seat.press("1")
    else:
        assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(first).status == 409
    assert talk.deny(second).status == 200
    talk.idle()
    assert (talk.cwd / "equal.txt").read_text() == "ran\n"
    outcomes = [talk.resolved(prompt)["resolution"]["outcome"] for prompt in (first, second)]
    assert outcomes == ["answered_elsewhere" if desk else "answered", "denied"]


@pytest.mark.parametrize("length", [1500, 4900])
def test_a_long_reason_reaches_the_model(own, length):
    """One row after the other grows the CLI's field; one that no screen can hold is a message."""
    talk = own()
    talk.idle(60)
    reason = ("not like this é " * 400)[:length].strip()
    refused = talk.do(turns.shell("touch long-reason.txt && ls"))
    reply = talk.deny(refused, reason=reason)
    assert (reply.status, reply.body.get("state")) == (200, "denied"), reply
    arrived = talk.log.wait(lambda log: any(reason in str(each.body) for each in log.main()), 60)
    assert arrived
    talk.idle()
    assert not (talk.cwd / "long-reason.txt").exists()


def test_a_notebook_cell_is_changed(talk):
    path = talk.cwd / "note.ipynb"
    cell = {"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [], "source": ["print(1)"]}
    book = {"cells": [{**cell, "execution_count": None}], "metadata": {}, "nbformat": 4}
    path.write_text(json.dumps({**book, "nbformat_minor": 5}))
    change = {"notebook_path": str(path), "cell_id": "c1", "new_source": "print(2)"}
    prompt = talk.do(turns.read(path), turns.turn(turns.call("NotebookEdit", **change)))
    assert prompt["toolName"] == "NotebookEdit"
    assert "print(2)" in prompt["description"]
    reply = talk.approve(prompt)
    assert reply.status == 200, reply
    talk.outputs(2)
    talk.finish()
    assert "print(2)" in path.read_text()


@pytest.mark.parametrize("reason", ["but keep the old one, too", "2", "/compact it"])
def test_the_reason_of_an_approval_reaches_the_model_with_what_came_of_it(talk, reason):
    prompt = talk.do(turns.shell("touch approved.txt && ls"))
    reply = talk.approve(prompt, reason=reason)
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    talk.outputs()
    assert reason in talk.log.user_texts()[-1]
    talk.finish()
    assert talk.get("/queue").body == []
    (talk.cwd / "approved.txt").unlink()


def test_a_reason_for_an_option_without_a_field_is_the_next_message(own):
    talk = own()  # another session may have been allowed to read there
    talk.idle(90)
    prompt = talk.do(turns.read("/etc/hostname"))
    lasting = starting(prompt, "Yes, ")
    reply = talk.approve(prompt, option=lasting, reason="only this folder, please")
    assert reply.status == 200, reply
    assert talk.log.wait(lambda log: log.times_said("only this folder, please") == 1, 60)
    talk.idle()


_WORKFLOW = """export const meta = {name: 'audit', description: 'Audits', phases: [{title: 'one'}]}
return 1
"""


@pytest.fixture
def runs_workflows(testbed):
    if not testbed.new:
        pytest.skip("this version knows no workflows")
    return turns.turn(turns.call("Workflow", script=_WORKFLOW))


def test_a_workflow_is_read_and_run(talk, runs_workflows):
    prompt = talk.do(runs_workflows, "it runs", "it ran")
    assert (prompt["type"], prompt["title"]) == ("permission", "Run a dynamic workflow?")
    assert [each["effect"] for each in prompt["options"]] == ["allow_once", "other", "deny"]
    reply = talk.respond(prompt, selectedOption=prompt["options"][1]["value"])
    assert reply.status == 200, reply
    script = talk.prompt()
    assert "return 1" in script["description"]
    reply = talk.approve(script, reason="and tell me what it says")
    assert reply.status == 200, reply
    assert "launched" in str(talk.outputs())
    assert talk.log.wait(lambda log: log.times_said("and tell me what it says") == 1)
    talk.idle()


def test_a_workflow_is_refused_with_a_reason(talk, runs_workflows):
    reply = talk.deny(talk.do(runs_workflows), reason="it costs too much")
    assert reply.status == 200, reply
    assert "it costs too much" in str(talk.outputs())
    talk.finish()


def test_a_search_of_the_web_names_its_tool_and_its_words(testbed, talk):
    if not testbed.new:
        pytest.skip("2.1.85 was not tried")
    prompt = talk.do(turn(call("WebSearch", query="weather in Bern")))
    talk.until(lambda _: talk.pending()[0].get("toolInput") == {"query": "weather in Bern"})
    assert talk.pending()[0]["toolName"] == "WebSearch"
    assert talk.deny(prompt, reason="not now").status == 200
    talk.finish()
