"""Codex's app server: everything it asks is answered, and what it got is proved."""

from __future__ import annotations

import os
import signal

import protocol_scenarios as scenarios
import pytest
from clawtap_codex.live import turns
from protocol_scenarios import option
from protocol_testbed import child_of, goes_on, lose_server


@pytest.fixture
def talk(codex, speak):
    """An idle session of its own."""
    return speak(codex, "codex")


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt", "May I touch it?"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "exec_command")
    assert prompt["toolInput"] == {"command": "touch once.txt", "cwd": str(talk.cwd)}
    assert prompt["channel"] == "protocol"
    assert "May I touch it?" in prompt["description"]
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "once.txt").exists()
    assert talk.approve(prompt).status == 409


def test_a_call_that_its_transcript_holds_too_is_reported_once(talk):
    scenarios.reports_a_call_once(talk, turns)


def test_a_command_that_is_always_allowed_is_not_asked_for_again(talk):
    scenarios.asks_no_more_for_what_is_always_allowed(talk, turns)


def test_a_refusal_ends_the_turn_and_its_reason_is_the_next_message(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt, reason="use a folder instead")
    assert (reply.status, reply.body["state"]) == (200, "denied")
    talk.finish()
    assert talk.log.times_said("use a folder instead") == 1
    assert not (talk.cwd / "denied.txt").exists()


def test_several_prompts_wait_at_once_and_are_answered_in_any_order(talk):
    talk.play(turns.parallel(["touch left.txt", "touch right.txt"]))
    talk.say()
    for prompt in reversed(talk.prompts(2)):
        assert talk.approve(prompt).status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "left.txt").exists()
    assert (talk.cwd / "right.txt").exists()


def test_refusing_one_of_several_takes_the_others_back(talk):
    talk.play(turns.parallel(["touch one.txt", "touch two.txt"]))
    talk.say()
    first, second = talk.prompts(2)
    assert talk.deny(first).status == 200
    assert talk.resolved(second)["state"] == "cancelled"
    talk.idle()
    assert not (talk.cwd / "two.txt").exists()


@pytest.mark.parametrize("effect", ["allow_once", "allow_always", "deny"])
def test_an_edit(talk, effect):
    prompt = talk.do(turns.patch(turns.new_file("edit.txt", "one", "two")))
    assert prompt["toolName"] == "apply_patch"
    assert "edit.txt" in prompt["description"]
    assert "two" in prompt["description"]
    assert talk.respond(prompt, selectedOption=option(prompt, effect)).status == 200
    talk.idle()
    assert (talk.cwd / "edit.txt").exists() == (effect != "deny")


def test_questions_are_one_prompt_and_answered_in_one_go(talk):
    asked = (
        turns.choice("Which?", "A", "B", name="db"),
        turns.choice("What?", "C", "D", name="ui"),
    )
    prompt = talk.do(turns.ask(*asked))
    assert [each["question"] for each in prompt["questions"]] == ["Which?", "What?"]
    assert all(each["other"] for each in prompt["questions"])
    assert all(each["notes"] for each in prompt["questions"])
    given = {"answers": {"0": "A", "1": "something else"}, "notes": {"0": "keep it small"}}
    assert talk.respond(prompt, **given).status == 200
    output = str(talk.outputs())
    assert '"A","user_note: keep it small"' in output
    assert "user_note: something else" in output
    talk.finish()


def test_a_question_that_is_refused_stops_the_turn(talk):
    prompt = talk.do(turns.ask(turns.choice("Which?", "A", "B", name="db")))
    assert talk.deny(prompt).body["state"] == "denied"
    talk.idle()


@pytest.mark.parametrize("effect", ["allow_once", "allow_always", "deny"])
def test_permissions(talk, effect):
    prompt = talk.do(turns.permissions("Need the network"))
    assert prompt["toolName"] == "request_permissions"
    assert talk.respond(prompt, selectedOption=option(prompt, effect)).status == 200
    output = str(talk.outputs())
    assert ('"enabled":true' in output.replace(" ", "")) == (effect != "deny")
    talk.finish()


def test_a_tool_of_an_mcp_server(talk):
    call = turns.mcp(talk.testbed.version, "delete_note", id="n1")
    prompt = talk.do(call, call, call)
    assert (prompt["type"], prompt["toolName"]) == ("permission", "lab.delete_note")
    assert prompt["toolInput"] == {"id": "n1"}
    assert talk.approve(prompt).status == 200
    second = talk.prompt()
    assert talk.approve(second, option="allow-for-this-session").status == 200
    assert len(talk.outputs(3)) == 3
    talk.finish()


def test_a_tool_of_an_mcp_server_is_refused(talk):
    prompt = talk.do(turns.mcp(talk.testbed.version, "delete_note", id="n2"))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert '"done"' not in str(talk.log.function_responses())


def form_of(talk):
    """The form that the lab's MCP server shows, behind the permission to call it."""
    prompt = talk.do(turns.mcp(talk.testbed.version, "ask_form"))
    if prompt["type"] == "permission":
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt()
    return prompt


def test_a_form_of_an_mcp_server_is_filled_in(talk):
    prompt = form_of(talk)
    fields = {each["header"] or each["question"]: at for at, each in enumerate(prompt["questions"])}
    answers = {"Channel": "beta", "Notify users": "True", "Version": "1.2.3"}
    assert talk.answer(prompt, {"0": "stable"}).status == 400
    reply = talk.answer(prompt, {str(fields[name]): text for name, text in answers.items()})
    assert reply.status == 200
    output = str(talk.outputs())
    assert "accept" in output
    assert "1.2.3" in output
    talk.finish()


@pytest.mark.parametrize("how", ["decline", "cancel"])
def test_a_form_of_an_mcp_server_is_refused(talk, how):
    assert talk.respond(form_of(talk), selectedOption=how).status == 200
    assert how in str(talk.outputs())
    talk.idle()


def test_a_plan_is_implemented(talk):
    assert talk.post("permission-mode", mode="plan").status == 200
    talk.until(lambda now: now["mode"] == "plan")
    prompt = talk.do(turns.plan("# The plan\n\n1. Do it"))
    assert (prompt["type"], prompt["title"]) == ("plan", "Implement this plan?")
    assert "1. Do it" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert "Implement the plan." in talk.log.user_texts()
    talk.until(lambda now: now["mode"] != "plan")


def test_a_plan_that_is_refused_is_planned_further(talk):
    assert talk.post("permission-mode", mode="plan").status == 200
    prompt = talk.do(turns.plan("# The plan\n\n1. Do it"))
    assert talk.deny(prompt, reason="smaller steps").status == 200
    talk.finish()
    assert talk.log.times_said("smaller steps") == 1
    assert talk.get().body["mode"] == "plan"


def test_an_interrupt_takes_back_what_was_asked(talk):
    scenarios.takes_back_what_a_cancelled_turn_asked(talk, turns)


def test_a_message_for_a_busy_session_waits_for_the_end_of_the_turn(talk):
    scenarios.queues_a_message_until_the_turn_ends(talk, turns)


def test_the_model_is_switched(talk):
    scenarios.switches_the_model(talk, "gpt-5.1-codex")


def test_an_error_of_the_model_is_reported(talk):
    scenarios.reports_an_error_of_the_model(talk, {"message": "a bad thing"})


def test_the_cli_ends_with_a_server_that_is_killed_and_its_session_goes_on(talk):
    prompt = talk.do(turns.shell("touch lost.txt"))
    lose_server(talk, "app-server")
    goes_on(talk, prompt, after="lost")
    assert not (talk.cwd / "lost.txt").exists()


def test_a_prompt_expires_and_the_cli_learns_of_it(talk):
    prompt = talk.do(turns.shell("touch late.txt"))
    assert talk.expire(prompt)["state"] == "expired"
    talk.idle()  # a refusal ends the turn
    assert talk.approve(prompt).status == 409
    talk.play()
    talk.say("what came of it?")
    talk.finish()
    assert "aborted by user" in str(talk.log.main()[-1])  # sent along with the next message
    assert not (talk.cwd / "late.txt").exists()


def test_a_cli_that_dies_cancels_its_prompts_and_goes_on_with_the_next_message(talk):
    prompt = talk.do(turns.shell("touch dead.txt"))
    os.kill(child_of(talk.testbed, "app-server"), signal.SIGKILL)
    assert talk.resolved(prompt)["state"] == "cancelled"
    goes_on(talk, prompt, after="ended")
    assert talk.log.times_said("please do") >= 1, "the conversation goes on"


def test_a_sub_agent_asks_in_its_own_name(codex, speak):
    old = codex.version == "0.116.0"
    talk = speak(codex, "codex", args=[] if old else ["-c", "features.multi_agent_v2=true"])
    task = {"message": "touch the file"} if old else {"message": "touch", "task_name": "toucher"}
    spawn = turns.turn(turns.call("spawn_agent", None if old else "collaboration", **task))
    talk.play(spawn, turns.shell("touch a.txt"), turns.shell("touch b.txt"), "one", "two", "three")
    talk.say()
    found = talk.prompts(2)
    origins = {each.get("origin") for each in found}
    assert origins == {None, "touch the file" if old else "toucher"}
    for prompt in found:
        assert talk.approve(prompt).status == 200
    talk.idle(30)
    assert (talk.cwd / "a.txt").exists()
    assert (talk.cwd / "b.txt").exists()
