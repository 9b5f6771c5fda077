"""What Gemini CLI's ACP has of its own.

Questions come as permissions: allowing one answers it with nothing, and a plan allowed in 0.34
counts as rejected. Such prompts can be shown and refused, but not answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from clawtap_core import AgentEvent, Effect, Kind, Option, PromptForm, Question
from clawtap_core.protocol_io.acp.dialect import Dialect, SpecialForm
from clawtap_core.protocol_io.acp.tool_calls import Payload, arguments, body_of, edit_of
from clawtap_core.protocol_io.json_values import mapping, text
from clawtap_core.transcripts.usage_limit import limit_reached
from clawtap_gemini.transcript.conversation import LIMIT

_SHELL, _QUESTION, _PLAN = "run_shell_command", "ask_user", "exit_plan_mode"
_OLD = "0.34."
_NAMED = re.compile(r"(?P<name>[A-Za-z_]\w*?)(?:__|-\d)")
_SHELL_TITLE = re.compile(
    r"(?P<command>.*) (?P<where>\[current working directory .*?\](?: \(.*\))?)", re.DOTALL
)
_ASKING = re.compile(r"Asking user: (?P<question>.*)", re.DOTALL)
_MODE = re.compile(r"\[MODE_UPDATE\] (?P<mode>\w+)")


class GeminiDialect(Dialect):
    """What differs from the protocol in 0.34 and 0.61."""

    modes: ClassVar[Mapping[str, str]] = {
        "default": "default",
        "autoEdit": "auto_edit",
        "yolo": "yolo",
        "plan": "plan",
    }

    def tool(self, call: Payload) -> str | None:
        """Return the tool's name: a call's id begins with it."""
        match = _NAMED.match(text(call, "toolCallId"))
        return match["name"] if match else None

    def title(self, call: Payload) -> tuple[str, str]:
        """Return the title, and what 0.34 puts behind a shell command."""
        title = text(call, "title")
        match = _SHELL_TITLE.fullmatch(title) if self.tool(call) == _SHELL else None
        return (match["command"], match["where"]) if match else (title, "")

    def input(self, call: Payload) -> Payload | None:
        """Return the command, the edit, or the arguments of an MCP tool."""
        tool, (title, _) = self.tool(call), self.title(call)
        if tool == _SHELL:
            return {"command": title}
        if edit := edit_of(call):
            return edit
        if tool and tool.startswith("mcp_"):
            return arguments(body_of(call)) or arguments(title)
        return None

    def special_form(
        self, call: Payload, options: Sequence[Option], common: Mapping[str, Any], version: str
    ) -> SpecialForm | None:
        """Return a question, which can only be refused, or a plan."""
        tool, (title, _) = self.tool(call), self.title(call)
        refusals = tuple(option for option in options if option.effect is Effect.DENY)
        if tool == _QUESTION:
            match = _ASKING.fullmatch(title)
            question = Question(match["question"] if match else title, input_type="text")
            form = PromptForm(Kind.QUESTION, options=refusals, questions=(question,), **common)
            return SpecialForm(form, refusals)
        if tool == _PLAN:
            form = PromptForm(Kind.PLAN, options=tuple(options), **common)
            return SpecialForm(form, refusals if version.startswith(_OLD) else options)
        return None

    def mode_in(self, piece: str) -> str | None:
        """Return the mode that 0.61 reports in a chunk of its own."""
        match = _MODE.fullmatch(piece)
        return match["mode"] if match else None

    def failure(self, error: str) -> AgentEvent:
        """Tell a used-up quota apart; it says nowhere when a quota begins again."""
        return limit_reached(error, None) if LIMIT.search(error) else super().failure(error)

    def asked_no_model(self, result: Payload) -> bool:
        """Return True for a turn with an empty list of models, as after a refusal by a hook."""
        return _quota(result).get("model_usage") == []

    def tokens(self, result: Payload) -> Mapping[str, int]:
        """Return the tokens of a turn."""
        counts = mapping(_quota(result).get("token_count"))
        return {name: value for name, value in counts.items() if isinstance(value, int)}


def _quota(result: Payload) -> Payload:
    return mapping(mapping(result.get("_meta")).get("quota"))
