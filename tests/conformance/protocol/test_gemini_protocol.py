"""Gemini's ACP: permissions are answered, and what it cannot carry is refused."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress

import protocol_scenarios as scenarios
import pytest
from clawtap_gemini.live import turns
from clilab.gemini_plan import offer_plan
from protocol_scenarios import option
from protocol_testbed import child_of, goes_on, lose_server


@pytest.fixture
def talk(gemini, speak):
    """An idle session of its own."""
    return speak(gemini, "gemini")


def test_a_command_is_allowed_once(talk):
    prompt = scenarios.allows_a_command_once(talk, turns, "run_shell_command")
    assert prompt["toolInput"].keys() == {"command"}


def test_a_call_that_its_transcript_holds_too_is_reported_once(talk):
    scenarios.reports_a_call_once(talk, turns)


def test_a_command_that_is_always_allowed_is_not_asked_for_again(talk):
    line = "touch always.txt"
    prompt = talk.do(turns.shell(line), turns.shell(line))
    assert talk.approve(prompt, option=option(prompt, "allow_always")).status == 200
    if talk.testbed.version == "0.34.0":  # it forgets that over ACP, and asks again
        again = talk.prompt()
        assert again["toolInput"] == prompt["toolInput"]
        assert talk.approve(again).status == 200
    assert len(talk.outputs(2)) == 2
    talk.finish()


def test_a_refusal_reaches_the_model_and_its_reason_comes_after(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt, reason="use a folder instead")
    assert (reply.status, reply.body["state"]) == (200, "denied")
    assert talk.log.wait(lambda log: log.times_said("use a folder instead") == 1)
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()


@pytest.mark.parametrize("effect", ["allow_once", "allow_always", "deny"])
def test_an_edit(talk, effect):
    (talk.cwd / "a.txt").write_text("alpha\nbeta\n")
    prompt = talk.do(turns.edit(talk.cwd / "a.txt", "alpha", "ALPHA"))
    assert prompt["toolName"] == "replace"
    assert "-alpha\n+ALPHA" in prompt["description"]
    assert prompt["toolInput"]["new_string"] == "ALPHA\nbeta\n"
    assert talk.respond(prompt, selectedOption=option(prompt, effect)).status == 200
    talk.finish()
    assert ("ALPHA" in (talk.cwd / "a.txt").read_text()) == (effect != "deny")


def test_a_tool_of_an_mcp_server(talk):
    prompt = talk.do(turns.mcp("greet", name="Ada"))
    assert prompt["toolName"] == "mcp_lab_greet"
    assert prompt["toolInput"] == {"name": "Ada"}
    effects = [each["effect"] for each in prompt["options"]]
    assert effects == ["allow_always", "allow_always", "allow_once", "deny"]
    assert talk.approve(prompt).status == 200
    assert "Hello Ada" in str(talk.outputs())
    talk.finish()


def test_calls_of_one_turn_are_asked_for_one_after_another(talk):
    first = talk.do(turns.parallel(["touch left.txt && ls", "touch right.txt && ls"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()


def test_a_question_cannot_be_answered_but_refused(talk):
    if talk.testbed.version != "0.34.0":
        talk.play(turns.ask(turns.choice("Which?", "A", "B")))
        talk.say()
        assert "not found in registry" in str(talk.outputs()), "newer versions do not offer it"
        return
    prompt = talk.do(turns.ask(turns.choice("Which?", "A", "B")))
    assert prompt["type"] == "question"
    assert prompt["questions"][0]["question"] == "Which?"
    reply = talk.answer(prompt, {"0": "A"})
    assert (reply.status, reply.body["code"]) == (422, "cannot_act")
    assert talk.deny(prompt).status == 200
    talk.finish()


def test_that_questions_cannot_be_answered_is_said_in_the_capabilities(gemini):
    found = {each["id"]: each for each in gemini.client.get("/api/adapters").body}
    assert found["gemini"]["capabilities"]["unanswerable"] == ["protocol:question"]


def plan_of(talk):
    """A plan that waits for approval."""
    assert talk.get().body["mode"] == "plan"
    talk.play()
    talk.say()
    talk.finish()
    offer = offer_plan(talk.log.main()[-1].body, talk.cwd, "# The plan\n\n1. Do it\n")
    prompt = talk.do(offer)
    assert (prompt["type"], prompt["toolName"]) == ("plan", "exit_plan_mode")
    return prompt


def test_a_plan_is_approved_where_the_cli_takes_it(gemini, speak):
    talk = speak(gemini, "gemini", permissionMode="plan")
    prompt = plan_of(talk)
    reply = talk.approve(prompt)
    if talk.testbed.version == "0.34.0":
        # It would take the approval for a rejection.
        assert (reply.status, reply.body["code"]) == (422, "cannot_act")
        assert talk.deny(prompt).status == 200
        talk.finish()
        return
    assert reply.status == 200
    assert "Plan approved" in str(talk.outputs())
    talk.finish()
    talk.until(lambda now: now["mode"] == "default")


def test_a_plan_is_refused(gemini, speak):
    talk = speak(gemini, "gemini", permissionMode="plan")
    prompt = plan_of(talk)
    assert talk.deny(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert "Plan approved" not in str(talk.log.function_responses())


def test_a_cancelled_turn_takes_back_what_it_asked(talk):
    scenarios.takes_back_what_a_cancelled_turn_asked(talk, turns)


def test_a_running_command_is_stopped(talk):
    assert talk.post("permission-mode", mode="yolo").status == 200
    talk.play(turns.shell("touch begun.txt && sleep 60"))
    talk.say()
    # 0.34.0 forgets a cancel that comes before the command runs, and lets it run to its end.
    talk.until(lambda _: (talk.cwd / "begun.txt").exists())
    assert talk.post("interrupt").status == 200
    talk.idle()


@pytest.mark.parametrize("mode", ["auto_edit", "yolo", "plan"])
def test_the_mode_is_switched(talk, mode):
    assert talk.post("permission-mode", mode=mode).status == 200
    talk.until(lambda now: now["mode"] == mode)
    if mode == "yolo":
        talk.play(turns.shell("touch unasked.txt && ls"))
        talk.say()
        talk.finish()
        assert (talk.cwd / "unasked.txt").exists()


def test_a_session_begins_in_the_mode_and_with_the_model_that_were_asked_for(gemini, speak):
    talk = speak(gemini, "gemini", permissionMode="auto_edit", model="gemini-2.5-flash")
    assert talk.get().body["mode"] == "auto_edit"
    talk.play(turns.write(talk.cwd / "w.txt", "hello"))
    talk.say()
    talk.finish()
    assert (talk.cwd / "w.txt").read_text() == "hello"
    assert talk.log.main()[-1].model == "gemini-2.5-flash"


def test_the_model_is_switched(talk):
    scenarios.switches_the_model(talk, "gemini-2.5-flash")


def test_a_message_for_a_busy_session_waits_for_the_end_of_the_turn(talk):
    scenarios.queues_a_message_until_the_turn_ends(talk, turns)


def test_an_error_of_the_model_is_reported(talk):
    error = {"code": 400, "message": "a bad thing", "status": "INVALID_ARGUMENT"}
    scenarios.reports_an_error_of_the_model(talk, error)


def test_the_sender_of_a_message_that_a_hook_refuses_is_told(gemini, speak):
    if gemini.version == "0.34.0":
        pytest.skip("runs no hook before a message over ACP")
    cwd = gemini.project()
    refuse = json.dumps({"decision": "block", "reason": "Not on Sundays."})
    command = f"if grep -q forbidden; then echo '{refuse}'; fi"
    hook = [{"hooks": [{"type": "command", "name": "refuses", "command": command}]}]
    settings = cwd / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"BeforeAgent": hook}}))
    talk = speak(gemini, "gemini", cwd=str(cwd))
    talk.play()
    refused = talk.say("forbidden thing")
    assert "a hook may have refused it" in talk.problem("message_refused")["error"]
    talk.idle()
    talk.say("allowed thing")
    talk.finish()
    assert talk.log.times_said(refused) == 0
    errors = [event for event in talk.journal() if event["type"] == "session_error"]
    assert len(errors) == 1


def test_the_cli_ends_with_a_server_that_is_killed_and_its_session_goes_on(talk):
    prompt = talk.do(turns.shell("touch lost.txt && ls"))
    lose_server(talk, "--acp")
    goes_on(talk, prompt, after="lost")
    assert not (talk.cwd / "lost.txt").exists()


def test_a_prompt_expires_and_the_cli_learns_of_it(talk):
    prompt = talk.do(turns.shell("touch late.txt && ls"))
    assert talk.expire(prompt)["state"] == "expired"
    talk.finish()
    assert "canceled by the user" in str(talk.outputs())  # it has no other words for the model
    assert talk.approve(prompt).status == 409
    assert not (talk.cwd / "late.txt").exists()


def test_a_cli_that_dies_cancels_its_prompts_and_takes_the_next_message(talk):
    prompt = talk.do(turns.shell("touch dead.txt && ls"))
    os.kill(child_of(talk.testbed, "--acp"), signal.SIGKILL)
    assert talk.resolved(prompt)["state"] == "cancelled"
    goes_on(talk, prompt, after="ended")
    # 0.61 mostly does not find what it had written; then it says so.
    remembers = "please do number" in str(talk.log.main()[-1].body)
    reported = [event.data for event in talk.events.seen if event.type == "session_error"]
    forgot = any(data.get("code") == "not_resumed" for data in reported)
    assert remembers is not forgot


def test_a_restored_session_says_whether_it_has_its_conversation(talk):
    talk.play()
    talk.say("the word is heron")
    talk.finish()
    cli = child_of(talk.testbed, "--acp")
    talk.testbed.served.kill()
    with suppress(ProcessLookupError):
        os.kill(cli, signal.SIGKILL)
    talk.testbed.served.start()
    (restored,) = talk.testbed.client.post("/api/sessions/restore", {"sessions": [talk.id]}).body[
        "sessions"
    ]
    talk.listen()
    talk.idle(100)
    talk.play()
    talk.say("which word was it?")
    talk.finish()
    remembers = "the word is heron" in str(talk.log.main()[-1].body)
    assert restored["outcome"] == ("restored" if remembers else "without_conversation"), restored
