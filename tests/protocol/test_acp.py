"""The peer of the agent client protocol, whatever the CLI."""

from __future__ import annotations

import json

import pytest

from clawtap_core import (
    AgentEvent,
    LaunchRequest,
    PromptRequested,
    Response,
    SessionFacts,
    SessionState,
    Write,
)
from clawtap_core.protocol_io.acp.dialect import Dialect
from clawtap_core.protocol_io.acp.peer import AcpPeer
from clawtap_core.protocol_io.json_lines import json_line


class _Late(Dialect):
    modes = {"ask": "manual", "plan": "plan"}  # noqa: RUF012
    switched_at_start = ("mode", "model")


def begun(dialect=None, result=None, **request):
    """A peer whose session was opened, and what it reported at last."""
    peer = AcpPeer(
        LaunchRequest("x", "/home/me", channel="protocol", **request), dialect or _Late()
    )
    peer.open()
    peer.receive(json_line({"id": 1, "result": {"agentInfo": {"version": "1.0"}}}))
    return peer, peer.receive(json_line({"id": 2, "result": result or OPENED}))


OPENED = {
    "sessionId": "S",
    "modes": {"currentModeId": "ask"},
    "models": {"currentModelId": "small"},
}
OPTIONS = [
    {"optionId": "1", "name": "Allow", "kind": "allow_once"},
    {"optionId": "2", "name": "Deny", "kind": "reject_once"},
]


def update(peer, kind, **members):
    params = {"sessionId": "S", "update": {"sessionUpdate": kind, **members}}
    return peer.receive(json_line({"method": "session/update", "params": params}))


def ask(peer, **call):
    params = {"sessionId": "S", "options": OPTIONS, "toolCall": {"toolCallId": "c", **call}}
    request = {"id": 7, "method": "session/request_permission", "params": params}
    return peer.receive(json_line(request))


def test_what_the_command_line_cannot_choose_is_switched_before_the_first_message():
    peer, (first,) = begun(permission_mode="plan", model="large")
    assert json.loads(first.data)["params"] == {"sessionId": "S", "modeId": "plan"}
    (second,) = peer.receive(json_line({"id": 3, "result": {}}))
    assert json.loads(second.data)["params"] == {"sessionId": "S", "modelId": "large"}
    (facts,) = peer.receive(json_line({"id": 4, "result": {}}))
    assert facts == SessionFacts(SessionState.IDLE, "S", None, "plan", "large")


def test_a_session_that_cannot_have_its_mode_does_not_begin():
    peer, _ = begun(permission_mode="plan")
    error, facts = peer.receive(json_line({"id": 3, "error": {"code": 1, "message": "no plans"}}))
    assert error.data == {"code": "session_not_started", "error": "no plans"}
    assert facts == SessionFacts(SessionState.ENDED)


@pytest.mark.parametrize("wish", [{}, {"permission_mode": "manual", "model": "small"}])
def test_nothing_is_switched_that_the_session_has(wish):
    _, (facts,) = begun(**wish)
    assert facts.state is SessionState.IDLE


def test_what_a_resumed_conversation_repeats_is_no_part_of_the_next_turn():
    peer, (facts,) = begun(resume="S")
    assert facts.state is SessionState.IDLE
    # So did Gemini 0.34.0 and 0.61.0 with the last text: it came after the reply.
    assert update(peer, "agent_message_chunk", content={"text": "said before"}) == []
    assert update(peer, "current_mode_update", currentModeId="plan") == [SessionFacts(mode="plan")]
    peer.message("go on")
    said, delta = update(peer, "agent_message_chunk", content={"text": "said now"})
    assert (said.role, delta.data["text"]) == ("user", "said now")


def test_a_request_is_completed_by_the_call_that_was_reported():
    peer, _ = begun()
    diff = {"type": "diff", "path": "a.txt", "oldText": "one", "newText": "two"}
    update(peer, "tool_call", toolCallId="c", title="Edit a.txt", content=[diff])
    form = ask(peer, title="Edit file")[-1].form
    assert (form.title, form.tool_input["new_string"]) == ("Edit file", "two")
    assert "-one\n+two" in form.description


def test_a_command_is_its_title_and_arguments_stand_for_a_missing_text():
    peer, _ = begun()
    raw = {"command": "make", "description": "Build it"}
    form = ask(peer, title="Build it", rawInput=raw)[-1].form
    assert (form.title, form.description, form.tool_input) == ("make", "Build it", raw)
    form = ask(peer, title="Fetch", rawInput={"url": "http://x", "n": 2})[-1].form
    assert form.description.endswith("url: http://x\nn: 2")


def test_a_call_begins_when_its_arguments_are_there():
    peer, _ = begun()
    assert update(peer, "tool_call", toolCallId="c", title="Shell", rawInput={}) == []
    (start,) = update(peer, "tool_call_update", toolCallId="c", rawInput={"command": "ls"})
    assert start == AgentEvent(
        "tool_call_start", {"toolCallId": "c", "toolName": "ls", "input": {"command": "ls"}}
    )
    result = update(peer, "tool_call_update", toolCallId="c", status="failed", rawOutput="no")
    assert [event.data["text"] for event in result[1:2]] == ["no"]


def test_an_option_is_chosen_by_the_id_of_the_cli():
    peer, _ = begun()
    asked = ask(peer, title="x")[-1]
    assert isinstance(asked, PromptRequested)
    written = peer.answer(asked.call, Response("r", "deny"))
    assert isinstance(written, Write)
    chosen = {"outcome": "selected", "optionId": "2"}
    assert json.loads(written.data)["result"] == {"outcome": chosen}


@pytest.mark.parametrize(("kind", "tool"), [("execute", "shell"), ("other", None)])
def test_only_a_tool_of_the_cli_is_known_by_its_argument(kind, tool):
    class ByArgument(Dialect):
        tools_by_argument = {"command": "shell"}  # noqa: RUF012

    peer, _ = begun(ByArgument())
    form = ask(peer, title="x", kind=kind, rawInput={"command": "ls"})[-1].form
    assert form.tool_name == tool
