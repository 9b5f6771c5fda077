"""Forms of MCP servers in GitHub Copilot CLI: a page for each field, and those without fields."""

from __future__ import annotations

import json

import pytest
from clawtap_copilot.live import turns
from clilab.environment import MCP_FORMS

from clawtap_core.testing.scripted.turns import call, turn


@pytest.fixture
def talk(testbed):
    """A session with a server of tools that ask."""
    if testbed.version == "1.0.64":
        pytest.skip("knows no forms of servers")
    with testbed.settings(mcp_server=MCP_FORMS):
        talk = testbed.start()
        talk.idle(90)
        yield talk
        talk.leave()


def asks(tool):
    return turn(call(f"lab-{tool}"))


def fill(talk, prompt, *answers):
    """Answer the pages of a form one by one; what the server got."""
    for answer in answers:
        reply = talk.answer(prompt, {"0": answer})
        assert reply.status == 200, (reply, talk.seat.text())
        if answer is not answers[-1]:
            prompt = talk.prompt()
    return json.loads(talk.outputs()[-1])


def test_fields_of_every_type_are_filled_in_and_left_as_they_are(talk):
    prompt = talk.do(asks("ask_everything"))
    assert prompt["title"] == "lab needs information."
    answers = ("Ann", "42", "-1.5", "No", "", "dark grey", "a@b.de", "\n")
    assert fill(talk, prompt, *answers)["content"] == {
        "name": "Ann",
        "count": 42,
        "ratio": -1.5,
        "urgent": False,
        "loud": True,
        "colour": "dark grey",
        "mail": "a@b.de",
        "note": "as before",
    }
    talk.finish()


def test_a_field_that_may_not_be_empty_is_asked_for_again(talk):
    prompt = talk.do(asks("ask_form"))
    assert talk.answer(prompt, {"0": ""}).status == 502
    again = talk.prompt()
    assert "required" in again["description"]
    filled = fill(talk, again, "1.2", "beta", "Yes")
    assert filled["content"] == {"version": "1.2", "channel": "beta", "notify": True}
    talk.finish()


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_a_form_without_fields_is_decided(talk, action):
    prompt = talk.do(asks("ask_confirm"))
    assert prompt["description"] == "Publish release 1.2.3?"
    assert talk.respond(prompt, selectedOption=action).status == 200
    assert action in talk.outputs()[-1]
    talk.finish()


@pytest.mark.parametrize(("option", "action"), [("open", "accept"), ("cancel", "cancel")])
def test_a_page_that_a_server_wants_opened_is_opened_or_not(talk, option, action):
    prompt = talk.do(asks("ask_page"))
    assert "https://example.com/sign-in?a=1" in prompt["description"]
    assert talk.respond(prompt, selectedOption=option).status == 200
    assert action in talk.outputs()[-1]
    talk.finish()


def test_a_form_behind_the_prompt_of_a_command_is_asked_after_it(talk):
    command = turns.shell("touch beside.txt")["parts"]
    prompt = talk.do(turn(*command, call("lab-ask_form")))
    assert prompt["toolName"] == "bash"
    assert talk.approve(prompt).status == 200
    form = talk.prompt()
    assert talk.deny(form).status == 200
    assert "decline" in str(talk.outputs(2))
    talk.finish()
    assert (talk.cwd / "beside.txt").exists()
