"""What Kimi Code's ACP has of its own: calls that are text, and questions that are permissions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption, Response
from clawtap_core.protocol_io.acp.dialect import Dialect, SpecialForm
from clawtap_core.protocol_io.acp.tool_calls import Payload, arguments
from clawtap_core.protocol_io.json_values import mapping, objects_in, text
from clawtap_kimi.info import MANUAL, PLAN

_FIRST_ONLY = "Over its protocol, Kimi Code asks only its first question and takes one answer."
# 0.31 writes none, 0.34 does; those between were not seen.
_WITH_ERRORS = (0, 34)
_ASK, _SHOW_PLAN = "AskUserQuestion", "ExitPlanMode"


class KimiDialect(Dialect):
    """What differs from the protocol in 0.30 and 2.1."""

    modes: ClassVar[Mapping[str, str]] = {
        "default": MANUAL,
        "plan": PLAN,
        "auto": "auto",
        "yolo": "yolo",
    }
    switched_at_start = ("mode", "model")

    def normal(self, call: Payload) -> Payload:
        """Return a call as its transcript has it.

        An id has the number of its turn before it, the arguments come as text until they are
        complete, and the title is the tool's name until it runs.
        """
        turn, _, name = text(call, "toolCallId").partition(":")
        normal = {**call, "toolCallId": name or turn}
        if text(call, "sessionUpdate") != "tool_call_update":
            normal["_meta"] = {"toolName": text(call, "title")}
        texts = [text(mapping(part.get("content")), "text") for part in objects_in(call, "content")]
        encoded = next(filter(None, map(arguments, texts)), None)
        if encoded is not None and text(call, "status") not in ("completed", "failed"):
            normal.setdefault("rawInput", encoded)
            normal["content"] = [p for p in objects_in(call, "content") if p.get("type") == "diff"]
        return normal

    def body(self, call: Payload) -> str:
        """Return the difference or the arguments: the text of a request only announces them."""
        if call.get("rawInput") and self.tool(call) not in (_ASK, _SHOW_PLAN):
            diffs = [part for part in objects_in(call, "content") if part.get("type") == "diff"]
            call = {**call, "content": diffs}
        return super().body(call)

    def hides_errors(self, version: str) -> bool:
        """Return True for the versions whose transcripts have no errors."""
        numbers = tuple(map(int, re.findall(r"\d+", version)[:2]))
        return () < numbers < _WITH_ERRORS

    def special_form(
        self, call: Payload, options: Sequence[Option], common: Mapping[str, Any], version: str
    ) -> SpecialForm | None:
        """Return the first question of a call, or its plan.

        The CLI drops further questions, and takes one answer.
        """
        tool = self.tool(call)
        if tool == _SHOW_PLAN:
            return SpecialForm(PromptForm(Kind.PLAN, options=tuple(options), **common), options)
        if tool != _ASK:
            return None
        refusals = tuple(option for option in options if option.effect is Effect.DENY)
        values = {option.label: option.value for option in options if option not in refusals}
        question = Question(
            common["description"], options=tuple(QuestionOption(label) for label in values)
        )

        def answer(response: Response) -> tuple[str, Payload] | None:
            chosen = values.get(str(response.answers.get("0")))
            return (chosen, {}) if chosen else None

        asked = objects_in(mapping(call.get("rawInput")), "questions")
        more = len(asked) > 1 or any(each.get("multi_select") for each in asked)
        fields = {**common, "title": question.question, "description": _FIRST_ONLY if more else ""}
        form = PromptForm(Kind.QUESTION, options=refusals, questions=(question,), **fields)
        return SpecialForm(form, refusals, answer)
