"""Scenarios that several CLIs go through over their machine protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol_testbed import ONCE, ProtocolCliSession


def option(prompt: Mapping[str, Any], effect: str) -> str:
    """The first option with this effect."""
    return next(each["value"] for each in prompt["options"] if each["effect"] == effect)


def allows_a_command_once(talk: ProtocolCliSession, turns: Any, tool: str) -> dict[str, Any]:
    """A command that is allowed once runs, and takes no second answer; returns its prompt."""
    prompt = talk.do(turns.shell("touch once.txt && ls"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", tool)
    assert prompt["toolInput"]["command"] == "touch once.txt && ls"
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "once.txt").exists()
    assert talk.approve(prompt).status == 409
    return prompt


def reports_a_call_once(talk: ProtocolCliSession, turns: Any) -> None:
    """A call that the transcript holds too is reported once."""
    prompt = talk.do(turns.shell("touch told.txt && ls"))
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert talk.reports_of(*talk.written_calls(1)) == ONCE


def asks_no_more_for_what_is_always_allowed(talk: ProtocolCliSession, turns: Any) -> None:
    """A command that is always allowed is not asked for again."""
    line = "mkdir -p always"
    prompt = talk.do(turns.shell(line), turns.shell(line))
    assert talk.approve(prompt, option=option(prompt, "allow_always")).status == 200
    assert len(talk.outputs(2)) == 2
    talk.finish()


def takes_back_what_a_cancelled_turn_asked(talk: ProtocolCliSession, turns: Any) -> None:
    """An interrupt cancels the prompt, and there is nothing more to interrupt or answer."""
    prompt = talk.do(turns.shell("touch never.txt && ls"))
    assert talk.post("interrupt").status == 200
    assert talk.resolved(prompt)["state"] == "cancelled"
    talk.idle()
    assert talk.post("interrupt").status == 409
    assert talk.approve(prompt).status == 409
    assert not (talk.cwd / "never.txt").exists()


def queues_a_message_until_the_turn_ends(talk: ProtocolCliSession, turns: Any) -> None:
    """A message for a busy session reaches the model once, after the turn."""
    prompt = talk.do(turns.shell("touch first.txt && ls"))
    text = "and then this"
    assert talk.post("message", message=text).status == 202
    assert talk.log.times_said(text) == 0
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert talk.log.wait(lambda log: log.times_said(text) == 1)
    talk.idle()


def switches_the_model(talk: ProtocolCliSession, model: str) -> None:
    """The next turn is the new model's."""
    assert talk.post("model", model=model).status == 200
    talk.play()
    talk.say()
    talk.finish()
    assert talk.log.main()[-1].model == model


def reports_an_error_of_the_model(talk: ProtocolCliSession, error: Mapping[str, Any]) -> None:
    """An error of the model's server, with "a bad thing" in it, reaches the user."""
    talk.play({"status": 400, "error": {"error": error}})
    talk.say()
    assert "a bad thing" in talk.problem("turn_failed")["error"]
    talk.idle()
