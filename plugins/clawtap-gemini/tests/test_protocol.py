"""The peer of Gemini's ACP, in exchanges that both versions really had."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_gemini.protocol.peer import GeminiPeer

from clawtap_core import (
    Ack,
    AgentEvent,
    Effect,
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
    Write,
)
from clawtap_core.protocol_io.json_lines import json_line
from clawtap_core.testing import RpcPeerContract

EXCHANGES = Path(__file__).with_name("protocol")
REQUEST = LaunchRequest("gemini", "/home/me/proj", channel="protocol")
ONCE, REJECT = Response("r", "allow"), Response("r", "reject")


class _Contract(RpcPeerContract):
    refused = ("not_initialized", "session_not_started")
    responses = (ONCE, ONCE, REJECT, REJECT)

    def peer(self):
        return GeminiPeer(REQUEST)

    def does(self, peer, said):
        if said["method"] == "session/prompt":
            return peer.message(said["params"]["prompt"][0]["text"])
        if said["method"] == "session/set_mode":
            return peer.control(SwitchMode(said["params"]["modeId"]))
        if said["method"] == "session/cancel":
            return peer.control(Interrupt())
        return None


class TestNew(_Contract):
    exchange = EXCHANGES / "acp-0.61.0.jsonl"

    def test_permissions_are_read(self):
        """Tool, command, diff and options."""
        shell, edit, _ = [
            each.form for each in self.replayed().heard if isinstance(each, PromptRequested)
        ]
        assert (shell.tool_name, shell.tool_input) == (
            "run_shell_command",
            {"command": "touch acp1.txt && echo hi"},
        )
        assert [option.effect for option in shell.options] == [
            Effect.ALLOW_ALWAYS,
            Effect.ALLOW_ONCE,
            Effect.DENY,
        ]
        assert "-alpha\n+ALPHA" in edit.description

    def test_the_conversation_is_reported(self):
        """Messages, thoughts, tools; the mode that stands in a chunk is no text."""
        heard = self.replayed().heard
        said = [each for each in heard if isinstance(each, Message)]
        assert [(each.role, each.content[0].type) for each in said[:4]] == [
            ("user", "text"),
            ("assistant", "thinking"),
            ("assistant", "text"),
            ("assistant", "tool_use"),
        ]
        assert not any("MODE_UPDATE" in block.text for each in said for block in each.content)
        assert SessionFacts(mode="yolo") in heard
        kinds = {each.type for each in heard if isinstance(each, AgentEvent)}
        assert kinds >= {"text_delta", "thinking", "tool_call_start", "tool_result"}


class TestOld(_Contract):
    exchange = EXCHANGES / "acp-0.34.0.jsonl"

    def test_it_says_what_was_said(self):
        """But for the question, which was allowed in the recording, and answered nothing."""
        said = [each["method"] for each in self.replayed().wrote if "method" in each]
        assert said == [
            "initialize",
            "session/new",
            "session/prompt",
            "session/prompt",
            "session/set_mode",
            "session/prompt",
            "session/cancel",
        ]

    def test_a_question_can_only_be_refused(self):
        """It comes as a permission, whose Allow answers nothing."""
        asked = [each for each in self.replayed().heard if isinstance(each, PromptRequested)][-1]
        assert (asked.form.kind, asked.form.tool_name) == (Kind.QUESTION, "ask_user")
        peer = self.replayed(until=asked).peer
        assert peer.answer(asked.call, Response("r", answers={"0": "SQLite"})) is None
        assert isinstance(peer.answer(asked.call, REJECT), Write)

    def test_a_command_stands_without_its_folder(self):
        """0.34 puts the folder into the title."""
        shell = next(
            each.form for each in self.replayed().heard if isinstance(each, PromptRequested)
        )
        assert shell.tool_input == {"command": "touch acp1.txt && echo hi"}
        assert shell.title == "touch acp1.txt && echo hi"


@pytest.fixture
def peer():
    """A peer with a session."""
    peer = GeminiPeer(REQUEST)
    peer.open()
    peer.receive(json_line({"id": 1, "result": {"agentInfo": {"version": "0.61.0"}}}))
    peer.receive(json_line({"id": 2, "result": {"sessionId": "S"}}))
    return peer


def ask(peer, number=7):
    call = {"toolCallId": "run_shell_command__x", "title": "ls", "kind": "execute"}
    options = [{"optionId": "proceed_once", "name": "Allow", "kind": "allow_once"}]
    params = {"sessionId": "S", "options": options, "toolCall": call}
    request = {"id": number, "method": "session/request_permission", "params": params}
    return peer.receive(json_line(request))[-1]


def test_a_cancel_answers_what_waits_and_ends_with_the_turn(peer):
    peer.message("go")
    asked = ask(peer)
    outgoing = peer.control(Interrupt())
    assert b"session/cancel" in outgoing.data
    assert b'"outcome":"cancelled"' in outgoing.data
    assert peer.answer(asked.call, ONCE) is None
    heard = peer.receive(json_line({"id": 3, "result": {"stopReason": "cancelled"}}))
    assert heard == [
        RequestCancelled(asked.call, detail="the turn ended"),
        SessionFacts(SessionState.IDLE),
        Ack(outgoing.receipt),
    ]


def test_a_prompt_without_a_refusal_is_refused_by_the_protocol_itself(peer):
    peer.message("go")
    asked = ask(peer)
    outgoing = peer.answer(asked.call, Response("r", decision="deny"))
    assert b'"outcome":"cancelled"' in outgoing.data


def test_a_session_that_cannot_be_loaded_is_reported_and_another_begins():
    peer = GeminiPeer(LaunchRequest("gemini", "/home/me", channel="protocol", resume="old"))
    peer.open()
    peer.receive(json_line({"id": 1, "result": {}}))
    error = {"message": "Internal error", "data": {"details": "No previous sessions found"}}
    event, outgoing = peer.receive(json_line({"id": 2, "error": error}))
    assert event.data["code"] == "not_resumed"
    assert b"session/new" in outgoing.data


def test_a_used_up_quota_is_a_usage_limit_without_an_end(peer):
    peer.message("hello")
    words = "You have exhausted your daily quota on this model."
    heard = peer.receive(json_line({"id": 3, "error": {"code": 429, "message": words}}))
    (error,) = [each.data for each in heard if isinstance(each, AgentEvent)]
    assert error == {"code": "usage_limit", "error": words}


def test_a_turn_that_no_model_saw_is_a_message_that_was_refused(peer):
    """What 0.61.0 replies when a hook blocks a message."""
    peer.message("hello")
    quota = {"token_count": {"input_tokens": 0, "output_tokens": 0}, "model_usage": []}
    result = {"stopReason": "end_turn", "_meta": {"quota": quota}}
    heard = peer.receive(json_line({"id": 3, "result": result}))
    errors = [each.data for each in heard if getattr(each, "type", "") == "session_error"]
    assert [error["code"] for error in errors] == ["message_refused"]


def test_files_and_terminals_of_ours_are_not_lent(peer):
    (outgoing,) = peer.receive(json_line({"id": 9, "method": "fs/read_text_file", "params": {}}))
    assert b"not supported" in outgoing.data
