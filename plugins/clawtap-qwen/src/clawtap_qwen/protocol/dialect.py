"""What Qwen Code's ACP has of its own: questions and plans, which come as permissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from clawtap_core import Effect, Kind, Option, PromptForm, Response
from clawtap_core.prompts.merging import reported_questions
from clawtap_core.protocol_io.acp.dialect import Dialect, SpecialForm
from clawtap_core.protocol_io.acp.tool_calls import Payload
from clawtap_core.protocol_io.json_values import mapping
from clawtap_qwen.info import MODES
from clawtap_qwen.screen.permissions import PLAN, SHELL
from clawtap_qwen.screen.questions import ASK

_MCP = "mcp__"


class QwenDialect(Dialect):
    """What differs from the protocol in 0.15 and 0.24."""

    modes: ClassVar[Mapping[str, str]] = {mode.id: mode.id for mode in MODES}

    # 0.15 names no tool.
    tools_by_argument: ClassVar[Mapping[str, str]] = {
        "command": SHELL,
        "old_string": "edit",
        "content": "write_file",
        "questions": ASK,
        "plan": PLAN,
        "url": "web_fetch",
    }

    def title(self, call: Payload) -> tuple[str, str]:
        """Return the name of an MCP tool instead of its arguments."""
        tool = self.tool(call) or ""
        return (tool, "") if tool.startswith(_MCP) else super().title(call)

    def special_form(
        self, call: Payload, options: Sequence[Option], common: Mapping[str, Any], version: str
    ) -> SpecialForm | None:
        """Return the questions of a call, or its plan."""
        tool = self.tool(call)
        if tool == PLAN:
            return SpecialForm(PromptForm(Kind.PLAN, options=tuple(options), **common), options)
        asked = mapping(call.get("rawInput")).get("questions")
        questions = reported_questions(asked, multi_select="multiSelect")
        if tool != ASK or not questions:
            return None
        refusals = tuple(option for option in options if option.effect is Effect.DENY)
        submit = next((option.value for option in options if option not in refusals), "")

        def answer(response: Response) -> tuple[str, Payload] | None:
            answers = {
                index: given if isinstance(given, str) else ", ".join(given)
                for index, given in response.answers.items()
            }
            return (submit, {"answers": answers}) if submit and answers else None

        fields = {**common, "description": ""}
        form = PromptForm(Kind.QUESTION, options=refusals, questions=questions, **fields)
        return SpecialForm(form, refusals, answer)
