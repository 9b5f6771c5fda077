"""What Claude Code sent to the scripted Anthropic model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clilab.request_log import Request, RequestLog

# The CLI's own words stand in the user's name, in tags like this.
_NOT_SAID = "<system-reminder>"


class AnthropicLog(RequestLog):
    """The log, read in the terms of the Messages API."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self._old: set[str] = set()

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (_messages(request)[-1:] for request in self.main())
        texts = [_said(last[0]) for last in lasts if last]
        return [text for text in texts if text]

    def said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        return sum(_said(each).count(text) for each in _messages(main[-1])) if main else 0

    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the model's calls, each once, in order."""
        found = {name: told for name, told in self._outputs() if name not in self._old}
        return list(found.values())

    def begin(self) -> None:
        """Start a new chapter: what came before is not told again."""
        self._old = {name for name, _ in self._outputs()}
        super().begin()

    def _outputs(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for request in self.main():
            for part in (part for each in _messages(request) for part in _parts(each)):
                if part.get("type") == "tool_result":
                    failed = bool(part.get("is_error"))
                    told = {"response": part.get("content"), "is_error": failed}
                    yield part["tool_use_id"], told


def _messages(request: Request) -> list[Mapping[str, Any]]:
    return list(request.body.get("messages") or ())


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") or ()
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _said(message: Mapping[str, Any]) -> str:
    if message.get("role") != "user":
        return ""
    texts = [part["text"] for part in _parts(message) if part.get("type") == "text"]
    return "\n".join(text for text in texts if not text.startswith(_NOT_SAID))
