"""What a CLI sent to the scripted OpenAI model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clilab.request_log import Request, RequestLog

_OUTPUTS = ("function_call_output", "custom_tool_call_output")
# The CLI's own words stand in the user's name, in brackets like these.
_NOT_SAID = ("<", "# AGENTS.md")


class OpenAILog(RequestLog):
    """The log, read in the terms of the Responses API."""

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (_input(request)[-1:] for request in self.main())
        texts = [_said(last[0]) for last in lasts if last]
        return [text for text in texts if text]

    def said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        return sum(_said(item).count(text) for item in _input(main[-1])) if main else 0

    def _responses(self, first: int = 0) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for request in list(self._requests)[first:]:
            for item in _input(request):
                if item.get("type") in _OUTPUTS:
                    yield item["call_id"], {"response": item["output"]}


def _input(request: Request) -> list[Mapping[str, Any]]:
    return [item for item in request.body.get("input") or () if isinstance(item, dict)]


def _said(item: Mapping[str, Any]) -> str:
    if item.get("role") != "user":
        return ""
    pieces = [part.get("text", "") for part in item.get("content") or ()]
    return "".join(piece for piece in pieces if not piece.startswith(_NOT_SAID))
