"""The peer of Kimi Code's ACP, in exchanges that it really had."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_kimi.protocol.dialect import KimiDialect

from clawtap_core import (
    AgentEvent,
    Kind,
    Message,
    Response,
    SessionFacts,
)
from clawtap_core.testing import AcpPeerContract

EXCHANGES = Path(__file__).with_name("protocol")
ONCE, REJECT = Response("r", "approve-once"), Response("r", "reject")
POSTGRES = Response("r", answers={"0": "Postgres"})
ANSWERS = (ONCE, REJECT, *[ONCE] * 5, POSTGRES, POSTGRES, Response("r", "approve"))


class _Contract(AcpPeerContract):
    adapter = "kimi"
    dialect = KimiDialect()
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

    def test_a_call_has_the_id_of_the_transcript(self):
        """Without the number of the turn."""
        assert all(form.tool_call_id.startswith("call_") for form in self.asked())

    def test_one_question_is_answered_and_a_plan_is_shown(self):
        """What the CLI drops is said."""
        one, several, plan = self.asked()[7:]
        assert (one.kind, one.title, one.description) == (Kind.QUESTION, "Which?", "")
        assert [option.label for option in one.questions[0].options] == ["SQLite", "Postgres"]
        assert "only its first question" in several.description
        assert (plan.kind, "1. Do it" in plan.description) == (Kind.PLAN, True)


class TestNew(_Contract):
    exchange = EXCHANGES / "acp-2.1.0.jsonl"


class TestOld(_Contract):
    exchange = EXCHANGES / "acp-0.30.0.jsonl"

    def test_a_turn_that_ends_without_an_answer_has_failed(self):
        """The CLI says nothing of the model's error."""
        events = [event for event in self.replayed().heard if isinstance(event, AgentEvent)]
        (error,) = [event.data for event in events if event.type == "session_error"]
        assert error["code"] == "turn_failed"


@pytest.mark.parametrize("version", ["0.34.0", "0.37.0", "0.43.1", "2.1.0"])
def test_an_error_that_the_transcript_has_is_not_reported_twice(version):
    assert not KimiDialect().hides_errors(version)


@pytest.mark.parametrize("version", ["0.30.0", "0.31.0"])
def test_an_error_that_no_transcript_has_is_reported(version):
    assert KimiDialect().hides_errors(version)
