"""What one CLI's ACP has of its own: an adapter overrides what differs from these defaults."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from clawtap_core.model import AgentEvent, Option, PromptForm, Response
from clawtap_core.protocol_io.acp.tool_calls import Payload, body_of, edit_of
from clawtap_core.protocol_io.json_values import mapping, text

Answer = Callable[[Response], tuple[str, Payload] | None]


@dataclass(frozen=True, slots=True)
class SpecialForm:
    """The form of a request that is no plain permission.

    `answerable` are the options that the CLI takes as they are. `answer` returns, for any other
    response, the value of the option that stands for it, and what the reply says besides.
    """

    form: PromptForm
    answerable: Sequence[Option]
    answer: Answer | None = None


class Dialect:
    """The defaults: what the protocol itself says.

    `modes` are our names of permission modes by the CLI's. `tools_by_argument` names the tools of
    calls that have no name, by an argument that only they have. `switched_at_start` names what the
    command line cannot choose: "mode", "model".
    """

    modes: ClassVar[Mapping[str, str]] = {}
    tools_by_argument: ClassVar[Mapping[str, str]] = {}
    switched_at_start: ClassVar[Sequence[str]] = ()

    def normal(self, call: Payload) -> Payload:
        """Return a call, or an update of one, with its id and raw input where ACP has them."""
        return call

    def tool(self, call: Payload) -> str | None:
        """Return the CLI's name of the tool, as its transcripts have it."""
        if name := text(mapping(call.get("_meta")), "toolName"):
            return name
        if text(call, "kind") in ("", "other"):
            return None  # a tool of an MCP server may have any argument
        raw = mapping(call.get("rawInput"))
        return next((tool for name, tool in self.tools_by_argument.items() if name in raw), None)

    def title(self, call: Payload) -> tuple[str, str]:
        """Return the title of a call and its description."""
        raw = mapping(call.get("rawInput"))
        if command := text(raw, "command"):
            return command, text(raw, "description")
        return text(call, "title"), ""

    def input(self, call: Payload) -> Payload | None:
        """Return the tool's input, as far as it is reported."""
        return mapping(call.get("rawInput")) or edit_of(call)

    def body(self, call: Payload) -> str:
        """Return the texts and diffs of a call; without any, its input."""
        raw = mapping(call.get("rawInput"))
        if (body := body_of(call)) or not raw or text(raw, "command"):
            return body
        return "\n".join(f"{name}: {_shown(value)}" for name, value in raw.items())

    def special_form(
        self, call: Payload, options: Sequence[Option], common: Mapping[str, Any], version: str
    ) -> SpecialForm | None:
        """Return the form of a question or a plan; None for a permission."""
        return None

    def mode_in(self, piece: str) -> str | None:
        """Return the CLI's mode that a piece of text reports instead of saying something."""
        return None

    def failure(self, error: str) -> AgentEvent:
        """Return the event of a turn that failed."""
        return AgentEvent("session_error", {"code": "turn_failed", "error": error})

    def hides_errors(self, version: str) -> bool:
        """Return True if a failed turn ends like any other, and no transcript says why."""
        return False

    def asked_no_model(self, result: Payload) -> bool:
        """Return True if the CLI says that no model got the message of this turn."""
        return False

    def tokens(self, result: Payload) -> Mapping[str, int]:
        """Return the tokens that a turn used, where no transcript has them."""
        return {}


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
