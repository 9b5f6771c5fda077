"""What a CLI sent to the scripted OpenAI model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.request_log import CallLog, Request

_OUTPUTS = ("function_call_output", "custom_tool_call_output")
# The CLI's own words are in the user's name, in brackets like these.
_NOT_SAID = ("<", "# AGENTS.md")


class OpenAILog(CallLog):
    """The log, read in the terms of the Responses API."""

    def messages(self, request: Request) -> list[Mapping[str, Any]]:
        """The items of a request."""
        return [item for item in request.body.get("input") or () if isinstance(item, dict)]

    def user_text(self, message: Mapping[str, Any]) -> str:
        """What the user says in an item."""
        if message.get("role") != "user":
            return ""
        parts = [part.get("text", "") for part in message.get("content") or ()]
        return "".join(part for part in parts if not part.startswith(_NOT_SAID))

    def outcomes(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Yield the outputs of calls."""
        for item in messages:
            if item.get("type") in _OUTPUTS:
                yield item["call_id"], item["output"]
