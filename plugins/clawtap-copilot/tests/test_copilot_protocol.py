"""The peer of GitHub Copilot CLI's ACP, in exchanges that it really had."""

from __future__ import annotations

import json
from pathlib import Path

from clawtap_copilot.protocol.dialect import CopilotDialect

from clawtap_core import (
    AgentEvent,
    LaunchRequest,
    Message,
    Response,
    SessionFacts,
    SessionState,
)
from clawtap_core.protocol_io.acp.peer import AcpPeer
from clawtap_core.protocol_io.json_lines import json_line
from clawtap_core.testing import AcpPeerContract

EXCHANGES = Path(__file__).with_name("protocol")
REQUEST = LaunchRequest("copilot", "/home/me/proj", channel="protocol")
ONCE, DENY = Response("r", "allow-once"), Response("r", "deny")
ANSWERS = (ONCE, DENY, ONCE, ONCE, ONCE, ONCE, ONCE)


class _Contract(AcpPeerContract):
    adapter = "copilot"
    dialect = CopilotDialect()
    responses = ANSWERS

    def test_commands_and_edits_are_read(self):
        """The command is the title, and a difference is shown."""
        shell, refused, left, right, edit, write = self.asked()[:6]
        assert shell.title == shell.tool_input["command"] == "touch once.txt && ls"
        assert refused.title == "touch no.txt && ls"
        assert {left.title, right.title} == {"mkdir -p left", "mkdir -p right"}
        assert "-alpha\n+ALPHA" in edit.description
        assert "two" in write.description

    def test_the_conversation_is_reported(self):
        """Messages, thoughts, tools and modes."""
        heard = self.replayed().heard
        said = [each for each in heard if isinstance(each, Message)]
        assert [(each.role, each.content[0].type) for each in said[:3]] == [
            ("user", "text"),
            ("assistant", "thinking"),
            ("assistant", "text"),
        ]
        assert any(isinstance(each, SessionFacts) and each.mode == "plan" for each in heard)
        kinds = {each.type for each in heard if isinstance(each, AgentEvent)}
        assert kinds >= {"text_delta", "thinking", "tool_call_start", "tool_result"}


class TestNew(_Contract):
    exchange = EXCHANGES / "acp-1.0.102.jsonl"


def test_a_version_that_wants_an_account_says_so():
    """1.0.64 begins no session without one, and nothing else tells why."""
    peer = AcpPeer(REQUEST, CopilotDialect())
    peer.open()
    lines = map(json.loads, (EXCHANGES / "acp-1.0.64.jsonl").read_text().splitlines())
    replies = [json_line(line["said"]) for line in lines if line["from"] == "agent"]
    error, facts = [event for reply in replies for event in peer.receive(reply)][-2:]
    assert error.data == {"code": "login_required", "error": "Authentication required"}
    assert facts.state is SessionState.ENDED
