"""What a CLI sent to the scripted OpenAI model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.testing.scripted.request_log import Request, RequestLog

_OUTPUTS = ("function_call_output", "custom_tool_call_output")
# The CLI's own words stand in the user's name, in brackets like these.
_NOT_SAID = ("<", "# AGENTS.md")


class OpenAILog(RequestLog):
    """The log, read in the terms of the Responses API: every call has an id of its own."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self._old: set[str] = set()

    def begin(self) -> None:
        """Start a new chapter: what came before is not listed again."""
        self._old |= dict(self._outputs()).keys()
        super().begin()

    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the model's calls, each once, in order.

        What stands before the user's words in the chapter's first request belongs to the chapter
        before: the outcomes of an interrupted turn are sent along with the next message.
        """
        first = next((_input(request) for request in self.main()), [])
        said = max((at for at, item in enumerate(first) if _user_text(item)), default=0)
        old = self._old | {item["call_id"] for item in first[:said] if item.get("type") in _OUTPUTS}
        found = {name: output for name, output in self._outputs() if name not in old}
        return [{"response": output} for output in found.values()]

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (_input(request)[-1:] for request in self.main())
        texts = [_user_text(last[0]) for last in lasts if last]
        return [text for text in texts if text]

    def times_said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        return sum(_user_text(item).count(text) for item in _input(main[-1])) if main else 0

    def _outputs(self) -> Iterator[tuple[str, Any]]:
        for request in self.main():
            for item in _input(request):
                if item.get("type") in _OUTPUTS:
                    yield item["call_id"], item["output"]


def _input(request: Request) -> list[Mapping[str, Any]]:
    return [item for item in request.body.get("input") or () if isinstance(item, dict)]


def _user_text(item: Mapping[str, Any]) -> str:
    if item.get("role") != "user":
        return ""
    pieces = [part.get("text", "") for part in item.get("content") or ()]
    return "".join(piece for piece in pieces if not piece.startswith(_NOT_SAID))
