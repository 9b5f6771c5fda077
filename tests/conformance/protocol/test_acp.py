"""ACP of several CLIs, by one peer: what each asks is answered, and what it got is proved."""

from __future__ import annotations

from importlib import import_module

import protocol_scenarios as scenarios
import pytest
from protocol_scenarios import option
from protocol_testbed import goes_on, lose_server

PLAN_MODES = {"qwen": "plan", "copilot": "plan", "kimi": "plan"}
COMMANDS = {"qwen": "run_shell_command", "copilot": "bash", "kimi": "Bash"}


@pytest.fixture
def cli(acp):
    """The id of its adapter."""
    return type(acp).__name__.removesuffix("Testbed").lower()


@pytest.fixture
def turns(cli):
    """What makes it ask."""
    return import_module(f"clawtap_{cli}.live.turns")


@pytest.fixture
def talk(acp, cli, speak):
    """An idle session of its own."""
    return speak(acp, cli)


def test_a_command_is_allowed_once(talk, turns, cli):
    prompt = scenarios.allows_a_command_once(talk, turns, COMMANDS[cli])
    assert prompt["title"] == "touch once.txt && ls"


def test_a_command_that_is_always_allowed_is_not_asked_for_again(talk, turns):
    scenarios.asks_no_more_for_what_is_always_allowed(talk, turns)


def test_a_refusal_reaches_the_cli_and_its_reason_comes_after(talk, turns):
    prompt = talk.do(turns.shell("touch denied.txt && ls"))
    reply = talk.deny(prompt, reason="use a folder instead")
    assert (reply.status, reply.body["state"]) == (200, "denied")
    assert talk.log.wait(lambda log: log.times_said("use a folder instead") == 1)
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()


@pytest.mark.parametrize("effect", ["allow_once", "deny"])
def test_an_edit_shows_its_difference(talk, turns, effect):
    (talk.cwd / "a.txt").write_text("alpha\nbeta\n")
    edit = turns.edit(talk.cwd / "a.txt", "alpha", "ALPHA")
    prompt = talk.do(turns.read(talk.cwd / "a.txt"), edit)
    assert "-alpha\n+ALPHA" in prompt["description"]
    assert talk.respond(prompt, selectedOption=option(prompt, effect)).status == 200
    talk.idle()
    assert ("ALPHA" in (talk.cwd / "a.txt").read_text()) == (effect == "allow_once")


def test_a_new_file_shows_its_content(talk, turns):
    prompt = talk.do(turns.write(talk.cwd / "new.txt", "one\ntwo\n"))
    assert "new.txt" in prompt["title"] + prompt["description"]
    assert "two" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "new.txt").read_text() == "one\ntwo\n"


def test_a_cancelled_turn_takes_back_what_it_asked(talk, turns):
    scenarios.takes_back_what_a_cancelled_turn_asked(talk, turns)


def test_the_mode_is_switched(talk, cli):
    assert talk.post("permission-mode", mode=PLAN_MODES[cli]).status == 200
    talk.until(lambda now: now["mode"] == PLAN_MODES[cli])


def test_a_session_begins_in_the_mode_that_was_asked_for(acp, cli, speak):
    talk = speak(acp, cli, permissionMode=PLAN_MODES[cli])
    assert talk.get().body["mode"] == PLAN_MODES[cli]


def test_a_question_is_answered(talk, turns, cli):
    if cli == "copilot":
        pytest.skip("it offers its model no questions over ACP")
    prompt = talk.do(turns.ask(turns.choice("Which?", "SQLite", "Postgres")))
    assert prompt["type"] == "question"
    assert prompt["questions"][0]["question"] == "Which?"
    assert talk.answer(prompt, {"0": "Postgres"}).status == 200
    assert "Postgres" in str(talk.outputs())
    talk.finish()


def test_the_cli_ends_with_a_server_that_is_killed_and_its_session_goes_on(talk, turns):
    prompt = talk.do(turns.shell("touch lost.txt && ls"))
    lose_server(talk, "acp", "kimi-code")  # Kimi Code puts its name there in place of "acp"
    goes_on(talk, prompt, after="lost")
    assert not (talk.cwd / "lost.txt").exists()
    assert "please do number" in str(talk.log.main()[-1].body), "the conversation goes on"
