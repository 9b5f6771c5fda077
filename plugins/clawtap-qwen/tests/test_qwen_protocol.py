"""The peer of Qwen Code's ACP, in exchanges that it really had."""

from __future__ import annotations

from pathlib import Path

from clawtap_qwen.protocol.dialect import QwenDialect

from clawtap_core import (
    AgentEvent,
    Kind,
    Message,
    Response,
    SessionFacts,
)
from clawtap_core.testing import AcpPeerContract

EXCHANGES = Path(__file__).with_name("protocol")
ONCE, REJECT = Response("r", "allow"), Response("r", "reject")
GIVEN = Response("r", answers={"0": "SQLite", "1": ("C", "D")})
PLAN = Response("r", "yes-restore-previous-mode-default")
ANSWERS = (ONCE, REJECT, ONCE, ONCE, ONCE, ONCE, ONCE, GIVEN, PLAN)


class _Contract(AcpPeerContract):
    adapter = "qwen"
    dialect = QwenDialect()
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

    def test_questions_are_one_prompt_and_a_plan_is_shown(self):
        """Both come as requests for permission."""
        questions, plan = self.asked()[7:]
        assert [each.question for each in questions.questions] == ["Which?", "What?"]
        assert [each.multi_select for each in questions.questions] == [False, True]
        assert (plan.kind, "1. Do it" in plan.description) == (Kind.PLAN, True)


class TestNew(_Contract):
    exchange = EXCHANGES / "acp-0.24.4.jsonl"

    def test_an_mcp_tool_is_named(self):
        """Its arguments are its input."""
        form = self.asked()[6]
        assert (form.tool_name, form.tool_input) == ("mcp__lab__greet", {"name": "Ada"})

    def test_an_error_of_the_model_is_reported(self):
        """It fails the turn."""
        errors = [
            e.data for e in self.replayed().heard if getattr(e, "type", "") == "session_error"
        ]
        assert errors == [{"code": "turn_failed", "error": "Internal error: 400 a bad thing"}]


class TestOld(_Contract):
    exchange = EXCHANGES / "acp-0.15.10.jsonl"

    def test_an_mcp_tool_has_no_name_and_is_taken_for_no_other(self):
        """Only the options name it, without its server."""
        form = self.asked()[6]
        assert (form.tool_name, form.tool_input) == (None, {"name": "Ada"})
        assert "greet" in form.options[0].label
