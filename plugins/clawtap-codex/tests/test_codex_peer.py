"""The peer of Codex's app server, in exchanges that both versions really had."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_codex.protocol import CodexPeer, permissions

from clawtap_core import (
    AgentEvent,
    Interrupt,
    Kind,
    LaunchRequest,
    Message,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
)
from clawtap_core.protocol_io.json_lines import json_line
from clawtap_core.testing import RpcPeerContract

EXCHANGES = Path(__file__).with_name("protocol")
REQUEST = LaunchRequest("codex", "/home/me/demo", permission_mode="read-only", channel="protocol")
YES = Response("r", "yes-proceed")
NOTED = Response("r", answers={"0": "SQLite"})
ALLOW = Response("r", "allow")
FORM = Response("r", answers={"0": "beta", "1": "True", "2": "1.2.3"})
GRANT = Response("r", "yes-grant-these-permissions-for-this-turn")


class _Contract(RpcPeerContract):
    refused = ("not_initialized", "thread_not_started")

    def peer(self):
        return CodexPeer(REQUEST)

    def does(self, peer, said):
        if said["method"] == "turn/start":
            return peer.message(said["params"]["input"][0]["text"])
        if said["method"] == "turn/interrupt":
            return peer.control(Interrupt())
        return None

    def test_it_says_what_was_said(self):
        """The recording declined and noted in ways that no user of ours can: those differ."""
        wrote = self.replayed().wrote
        assert [each.get("method") for each in wrote][:3] == [
            "initialize",
            "initialized",
            "thread/start",
        ]
        assert wrote[2]["params"] == {
            "cwd": "/home/me/demo",
            "approvalPolicy": "on-request",
            "sandbox": "read-only",
        }
        answers = [each["result"] for each in wrote if "result" in each]
        assert answers[0] == {"decision": "accept"}
        assert answers[3] == {"answers": {"db": {"answers": ["SQLite"]}}}
        assert answers[4]["scope"] == "turn"
        assert answers[-1]["content"] == {"channel": "beta", "notify": True, "version": "1.2.3"}
        assert wrote[-1]["method"] == "turn/interrupt"


class TestNew(_Contract):
    exchange = EXCHANGES / "app-server-0.169.0.jsonl"
    responses = (YES, YES, YES, NOTED, GRANT, ALLOW, ALLOW, FORM)

    def test_prompts_are_those_that_the_tui_shows(self):
        """Titles and options have the TUI's words."""
        forms = [each.form for each in self.replayed().heard if isinstance(each, PromptRequested)]
        assert [form.title for form in forms][:3] == [
            "Would you like to run the following command?",
            "Would you like to run the following command?",
            "Would you like to make the following edits?",
        ]
        assert [option.label for option in forms[0].options] == [
            "Yes, proceed",
            "Yes, and don't ask again for commands that start with `git push`",
            "No, and tell Codex what to do differently",
        ]
        assert "+    print('hello, world')" in forms[2].description
        assert [option.label for option in forms[5].options] == [
            "Allow",
            "Allow for this session",
            "Always allow",
            "Cancel",
        ]

    def test_the_conversation_is_reported(self):
        """Messages, thoughts, tools and tokens."""
        heard = self.replayed().heard
        said = [each for each in heard if isinstance(each, Message)]
        assert (said[0].role, said[0].content[0].text) == ("user", "push")
        assert said[1].content[0].type == "thinking"
        assert said[3].content[0].input == {"command": "git push origin main"}
        kinds = {each.type for each in heard if isinstance(each, AgentEvent)}
        assert kinds >= {"text_delta", "thinking", "tool_call_start", "tool_result"}
        states = [each.state for each in heard if isinstance(each, SessionFacts) and each.state]
        assert states == [SessionState.IDLE, *[SessionState.BUSY, SessionState.IDLE] * 8]


class TestOld(_Contract):
    exchange = EXCHANGES / "app-server-0.116.0.jsonl"
    responses = (YES, YES, YES, NOTED, GRANT, ALLOW, FORM)

    def test_a_tool_of_a_server_is_a_permission(self):
        """It comes as a question."""
        forms = [each.form for each in self.replayed().heard if isinstance(each, PromptRequested)]
        tool = forms[5]
        assert (tool.kind, tool.tool_name) == (Kind.PERMISSION, "demo.delete_note")
        assert tool.tool_input == {"id": "n1"}


@pytest.fixture
def peer():
    """A peer with a thread."""
    peer = CodexPeer(REQUEST)
    peer.open()
    peer.receive(json_line({"id": 1, "result": {"userAgent": "clawtap/0.169.0 (x)"}}))
    peer.receive(json_line({"id": 2, "result": {"thread": {"id": "T"}, "model": "m"}}))
    return peer


def notice(method, **params):
    return json_line({"method": method, "params": {"threadId": "T", **params}})


def test_a_switch_that_the_server_does_not_know_goes_with_the_next_turn(peer):
    outgoing = peer.control(SwitchMode("plan"))
    error = {"code": -32600, "message": "Invalid request: unknown variant `thread/settings/update`"}
    heard = peer.receive(json_line({"id": 3, "error": error}))
    assert heard[0] == SessionFacts(mode="plan", model="m")
    assert (heard[1].receipt, heard[1].error) == (outgoing.receipt, None)
    assert b'"mode":"plan"' in peer.message("plan it").data
    assert b'"mode":"plan"' not in peer.message("again").data


def test_a_plan_that_was_proposed_is_asked_about_once_its_turn_is_over(peer):
    peer.receive(notice("turn/started", turn={"id": "t"}))
    item = {"type": "plan", "id": "p", "text": "# Plan\n"}
    peer.receive(notice("item/completed", item=item))
    asked, idle = peer.receive(notice("turn/completed", turn={"id": "t", "status": "completed"}))
    assert (asked.form.kind, asked.form.description) == (Kind.PLAN, "# Plan")
    assert idle == SessionFacts(SessionState.IDLE)
    assert (
        b"Implement the plan."
        in peer.answer(asked.call, Response("r", "yes-implement-this-plan")).data
    )
    assert peer.answer(asked.call, Response("r", "yes-implement-this-plan")) is None


REFUSED = {"code": -32603, "message": "not now"}


def test_settings_of_a_turn_that_the_server_refuses_go_with_the_next_one():
    peer = CodexPeer(LaunchRequest("codex", "/home/me", permission_mode="plan", channel="protocol"))
    peer.open()
    peer.receive(json_line({"id": 1, "result": {"userAgent": "clawtap/0.169.0 (x)"}}))
    peer.receive(json_line({"id": 2, "result": {"thread": {"id": "T"}, "model": "m"}}))
    assert b'"mode":"plan"' in peer.message("plan it").data
    (refused,) = peer.receive(json_line({"id": 3, "error": REFUSED}))
    assert refused.error == "not now"
    assert b'"mode":"plan"' in peer.message("plan it").data


def test_a_plan_whose_approval_the_server_refuses_is_still_proposed(peer):
    peer.receive(notice("turn/started", turn={"id": "t"}))
    peer.receive(notice("item/completed", item={"type": "plan", "id": "p", "text": "x"}))
    asked, _ = peer.receive(notice("turn/completed", turn={"id": "t", "status": "completed"}))
    assert peer.answer(asked.call, Response("r", "yes-implement-this-plan")).receipt
    peer.receive(json_line({"id": 3, "error": REFUSED}))
    assert b'"mode":"default"' not in peer.message("change it first").data
    peer.receive(json_line({"id": 4, "error": REFUSED}))
    again = peer.answer(asked.call, Response("r", "yes-implement-this-plan"))
    assert b"Implement the plan." in again.data
    assert b'"mode":"default"' in again.data


def test_a_plan_that_is_used_up_is_a_usage_limit(peer):
    words = "You’ve hit your usage limit. Try again at 10:22 AM."
    turn = {"id": "t", "status": "failed", "error": {"message": words}}
    error, _ = peer.receive(notice("turn/completed", turn=turn))
    assert error.data == {"code": "usage_limit", "error": words}


def test_a_plan_is_asked_about_no_more_when_another_turn_begins(peer):
    peer.receive(notice("turn/started", turn={"id": "t"}))
    peer.receive(notice("item/completed", item={"type": "plan", "id": "p", "text": "x"}))
    asked, _ = peer.receive(notice("turn/completed", turn={"id": "t", "status": "completed"}))
    withdrawn, _ = peer.receive(notice("turn/started", turn={"id": "u"}))
    assert withdrawn == RequestCancelled(asked.call, detail="another turn began")


def test_what_no_human_answers_is_refused_at_once(peer):
    (outgoing,) = peer.receive(json_line({"id": 9, "method": "item/tool/call", "params": {}}))
    assert b"not supported" in outgoing.data


def test_access_to_a_host_is_no_command():
    """0.171.0 reports it as an approval of an empty one."""
    context = {"host": "nowhere.example", "protocol": "http"}
    asked = permissions.command({"command": "", "networkApprovalContext": context}, {}).form
    assert asked.title == 'Do you want to approve network access to "nowhere.example"?'
    assert (asked.tool_name, asked.tool_input) == (None, context)
