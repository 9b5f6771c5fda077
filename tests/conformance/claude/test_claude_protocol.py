"""Claude Code over stream-json: no pane, the same prompts, answers and messages."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from clawtap_claude.live import turns

DATABASE = turns.choice("Which database?", "PostgreSQL", "SQLite", header="Database")
FEATURES = turns.choice("Which features?", "Login", "Search", "Export", header="F", multi=True)
LONG = {"parts": [{"text": "word " * 200, "split": 5}], "chunk_delay": 0.1}


@pytest.fixture(scope="session")
def spoken_shared(testbed):
    held = []
    yield held
    for talk in held:
        talk.leave()


@pytest.fixture
def talk(testbed, spoken_shared):
    """An idle session that is spoken to."""
    if not spoken_shared:
        spoken_shared.append(testbed.speak())
        spoken_shared[0].idle(60)
    talk = spoken_shared[0]
    yield talk
    try:
        talk.idle(5)
        talk.until(lambda now: now["mode"] == "default", 2)
    except AssertionError:
        spoken_shared.remove(talk)
        talk.leave()


@pytest.fixture
def own(testbed):
    started = []

    def start(**more):
        started.append(testbed.speak(**more))
        started[-1].idle(60)
        return started[-1]

    yield start
    for talk in started:
        talk.leave()


def answered(talk, count=1):
    return str(talk.outputs(count)[-1])


def child_of(talk):
    """The process of a session's CLI: the one that runs in its folder."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cwd").resolve() == talk.cwd:
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError("the CLI does not run")


def test_a_first_message_is_answered(testbed):
    testbed.model.play("hello yourself")
    talk = testbed.speak(message="hello")
    talk.events.wait("text_delta", where=lambda data: data["text"] == "hello yourself", seconds=60)
    talk.idle()
    assert testbed.model.log.times_said("hello") == 1
    now = talk.get().body
    assert now["channel"] == "protocol"
    assert now["cliVersion"] == testbed.version
    assert now["cliSessionId"]
    talk.leave()


def test_a_file_that_goes_with_a_message_is_read_by_the_cli(talk):
    kept = talk.post("files?name=my note.json", squirrel="seven nuts").body
    talk.play()
    reply = talk.post("message", message="what is in it?", attachments=[kept["id"]])
    assert reply.status in (200, 202)
    talk.finish()
    assert "seven nuts" in json.dumps(talk.log.main()[-1].body)


def test_a_command_is_approved_and_runs(talk):
    prompt = talk.do(turns.shell("echo spoken > made.txt && cat made.txt", "Makes a file"))
    assert (prompt["type"], prompt["toolName"], prompt["channel"]) == (
        "permission",
        "Bash",
        "protocol",
    )
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    assert "spoken" in answered(talk)
    talk.finish()
    assert (talk.cwd / "made.txt").read_text() == "spoken\n"


def test_a_command_is_refused_with_a_reason_and_the_turn_goes_on(talk):
    prompt = talk.do(turns.shell("touch refused.txt"))
    reply = talk.deny(prompt, reason="not in this folder")
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    assert "not in this folder" in answered(talk)
    talk.finish()
    assert not (talk.cwd / "refused.txt").exists()


def test_a_refusal_without_a_reason_says_that_the_user_denied_it(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    assert talk.deny(prompt).status == 200
    assert "User denied tool execution" in answered(talk)
    talk.finish()
    assert not (talk.cwd / "denied.txt").exists()


def test_what_is_suggested_is_allowed_for_longer(own):
    talk = own()
    prompt = talk.do(turns.write(talk.cwd / "one.txt", "1"), turns.write(talk.cwd / "two.txt", "2"))
    lasting = [each for each in prompt["options"] if each["effect"] == "allow_always"]
    assert lasting, prompt
    assert talk.respond(prompt, selectedOption=lasting[0]["value"]).status == 200
    talk.finish()
    assert (talk.cwd / "two.txt").read_text() == "2"
    talk.until(lambda now: now["mode"] == "acceptEdits")


def test_calls_at_once_are_asked_and_answered(talk):
    first = talk.do(turns.parallel(["touch p1 && echo one", "touch p2 && echo two"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert talk.deny(second, reason="one is enough").status == 200
    assert "one is enough" in str(talk.outputs(2))
    talk.finish()
    assert (talk.cwd / "p1").exists()
    assert not (talk.cwd / "p2").exists()


def test_a_question_is_answered(talk):
    prompt = talk.do(turns.ask(DATABASE))
    assert prompt["type"] == "question"
    assert talk.answer(prompt, {"0": "SQLite"}).status == 200
    assert '"Which database?"="SQLite"' in answered(talk).replace("\\", "")
    talk.finish()


def test_a_note_goes_along_with_an_answer(talk):
    prompt = talk.do(turns.ask(DATABASE))
    given = {"answers": {"0": "SQLite"}, "notes": {"0": "keep it small"}}
    assert talk.respond(prompt, **given).status == 200
    assert "keep it small" in answered(talk)
    talk.finish()


def test_several_questions_are_one_prompt_and_labels_are_joined(talk):
    prompt = talk.do(turns.ask(DATABASE, FEATURES))
    assert [each["multiSelect"] for each in prompt["questions"]] == [False, True]
    assert talk.answer(prompt, {"0": "Maria 2, please", "1": ["Login", "Export"]}).status == 200
    said = answered(talk).replace("\\", "")
    assert '"Which database?"="Maria 2, please"' in said
    assert '"Which features?"="Login, Export"' in said
    talk.finish()


def test_a_question_is_refused(talk):
    prompt = talk.do(turns.ask(DATABASE))
    assert talk.deny(prompt, reason="ask me tomorrow").status == 200
    assert "ask me tomorrow" in answered(talk)
    talk.finish()


def test_an_option_has_its_preview(talk):
    layout = turns.choice("Which layout?", "Cards", "Rows", header="Layout", preview="+--+\n|  |")
    prompt = talk.do(turns.ask(layout))
    assert prompt["questions"][0]["options"][0]["preview"] == "+--+\n|  |"
    assert talk.answer(prompt, {"0": "Rows"}).status == 200
    assert "Rows" in answered(talk)
    talk.finish()


def test_a_form_of_an_mcp_server_is_filled_in(talk):
    prompt = talk.do(*turns.mcp("ask_form"))
    if prompt["type"] == "permission":
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt()
    names = [each.get("header") or each["question"] for each in prompt["questions"]]
    assert names[:2] == ["Version", "Channel"]
    reply = talk.answer(prompt, {"0": "1.2.3", "1": "beta", "2": "True"})
    assert reply.status == 200, reply
    said = answered(talk).replace("\\", "")
    assert '"version": "1.2.3"' in said
    assert '"channel": "beta"' in said
    assert '"notify": true' in said
    talk.finish()


def test_a_form_of_an_mcp_server_is_declined(talk):
    prompt = talk.do(*turns.mcp("ask_form"))
    if prompt["type"] == "permission":
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt()
    assert talk.respond(prompt, selectedOption="decline").status == 200
    assert "decline" in answered(talk)
    talk.finish()


def test_a_plan_is_sent_back_then_approved(own):
    talk = own(permissionMode="plan")
    write = turns.write(talk.cwd / "after.txt", "x")
    prompt = talk.do(*turns.plan("# Plan\n\n1. do it\n"), turns.plan("# Plan 2\n")[1], write)
    assert prompt["type"] == "plan"
    assert talk.respond(prompt, textValue="use fewer steps").status == 200
    again = talk.prompt()
    assert (again["type"], again["requestId"]) != ("plan", prompt["requestId"])
    assert "use fewer steps" in str(talk.outputs(1))
    assert talk.approve(again).status == 200
    talk.until(lambda now: now["mode"] == "default")
    assert talk.approve(talk.prompt()).status == 200
    talk.finish()
    assert (talk.cwd / "after.txt").exists()


def test_an_interrupt_cancels_a_prompt_and_the_session_goes_on(talk):
    prompt = talk.do(turns.shell("touch interrupted.txt"))
    assert talk.post("interrupt").status == 200
    assert talk.resolved(prompt)["state"] == "cancelled"
    talk.idle()
    late = talk.approve(prompt)
    assert late.status == 409, late
    talk.play()
    talk.say()
    talk.finish()


def test_an_answer_that_streams_is_interrupted(talk):
    talk.play(LONG)
    talk.say()
    talk.events.wait("text_delta", seconds=20)
    assert talk.post("interrupt").status == 200
    talk.idle()
    assert talk.post("interrupt").status == 409


def test_a_prompt_expires_and_the_cli_learns_of_it(testbed, talk):
    prompt = talk.do(turns.shell("touch expired.txt"))
    reply = testbed.client.post(f"/api/prompts/{prompt['requestId']}/extend", {"seconds": 1})
    assert reply.status == 200, reply
    ended = talk.resolved(prompt)
    assert ended["state"] == "expired"
    assert "Tool approval timed out" in answered(talk)
    talk.finish()


def test_a_message_while_busy_waits_and_arrives_once(talk):
    talk.play({"parts": [{"text": "slow " * 20, "split": 5}], "chunk_delay": 0.1}, "second")
    talk.say()
    talk.state("busy")
    text = f"while busy {time.time()}"
    assert talk.post("message", message=text).status == 202
    talk.idle(30)
    assert talk.log.times_said(text) == 1


def test_a_message_while_a_prompt_waits_approves_nothing(talk):
    prompt = talk.do(turns.shell("touch waits.txt"), "thanks")
    text = f"y and {time.time()}"
    assert talk.post("message", message=text).status == 202
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.deny(prompt, reason="no").status == 200
    talk.idle(30)
    assert talk.log.times_said(text) == 1
    assert not (talk.cwd / "waits.txt").exists()


def test_mode_and_model_are_switched_and_a_mode_that_is_not_allowed_is_refused(own):
    talk = own()
    assert talk.post("permission-mode", mode="acceptEdits").status == 200
    talk.until(lambda now: now["mode"] == "acceptEdits")
    refused = talk.post("permission-mode", mode="bypassPermissions")
    assert (refused.status, refused.body["code"]) == (409, "refused_by_cli"), refused
    assert talk.post("model", model="haiku").status == 200
    talk.play()
    talk.say()
    talk.finish()
    assert "haiku" in talk.log.main()[-1].model


def test_a_session_without_a_screen_says_so(talk):
    assert talk.get("/screen").status == 422
    assert talk.post("keys", keys=["Enter"], screenRev=0).status == 422


def test_a_cli_that_dies_cancels_its_prompt_and_goes_on_in_its_conversation(own):
    talk = own()
    talk.play("remember seven")
    talk.say("the number is seven")
    talk.idle()
    prompt = talk.do(turns.shell("touch dies.txt"))
    os.kill(child_of(talk), signal.SIGKILL)
    assert talk.resolved(prompt)["state"] == "cancelled"
    talk.state("ended")
    assert "signal 9" in talk.get().body["detail"]
    talk.play()
    text = talk.say()
    talk.finish()
    assert talk.log.times_said(text) == 1
    assert talk.log.times_said("the number is seven") >= 1


def test_an_ended_session_ends_its_cli(own):
    talk = own()
    pid = child_of(talk)
    assert talk.testbed.client.delete(talk.path).status in (200, 204)
    assert not Path(f"/proc/{pid}").exists()
    assert talk.get().body["state"] == "ended"


def test_a_message_that_a_hook_refuses_is_reported_with_the_reason(testbed, own):
    if not testbed.new:
        pytest.skip("says nothing of it")
    decision = json.dumps({"decision": "block", "reason": "Not on Sundays."})
    command = f"if grep -q forbidden; then echo '{decision}'; fi"
    cwd = testbed.project()
    (cwd / ".claude").mkdir()
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}
    (cwd / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    talk = own(cwd=cwd)
    talk.say("this is forbidden")
    refused = talk.events.wait("session_error").data
    assert refused["code"] == "message_refused"
    assert refused["error"] == "a hook refused the message: Not on Sundays."
    talk.idle()
    talk.play()
    talk.say("this is not")
    talk.idle()
    assert talk.log.times_said("this is not") == 1
    assert talk.log.times_said("forbidden") == 0
