"""What a CLI sent to the scripted chat-completions model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clawtap_core.testing.scripted.request_log import Request, RequestLog

# What the CLI itself says in the user's name.
_NOT_SAID = "<system-reminder>"


class ChatLog(RequestLog):
    """The log, read in the terms of chat completions: every call has an id of its own."""

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path)
        self._old: set[str] = set()

    def begin(self) -> None:
        """Start a new chapter: what came before is not listed again."""
        self._old |= dict(self._outputs()).keys()
        super().begin()

    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the chapter's calls, each once, in order."""
        old = self._old | self._ended_before()
        found = {name: output for name, output in self._outputs() if name not in old}
        return [{"response": output} for output in found.values()]

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        texts = (
            _users_words(_messages(request)[-1]) for request in self.main() if _messages(request)
        )
        return [text for text in texts if text]

    def times_said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        return sum(_users_words(said).count(text) for said in _messages(main[-1])) if main else 0

    def _ended_before(self) -> set[str]:
        """The calls that ended before the chapter: the next message reports interrupted ones."""
        first = next((_messages(request) for request in self.main()), [])
        at = max((at for at, message in enumerate(first) if _users_words(message)), default=0)
        return {message["tool_call_id"] for message in first[:at] if message["role"] == "tool"}

    def _outputs(self) -> Iterator[tuple[str, Any]]:
        for request in self.main():
            for message in _messages(request):
                if message["role"] == "tool":
                    yield message["tool_call_id"], message["content"]


def _messages(request: Request) -> list[Mapping[str, Any]]:
    return list(request.body.get("messages") or ())


def _users_words(message: Mapping[str, Any]) -> str:
    if message["role"] != "user":
        return ""
    content = message.get("content") or ""
    pieces = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    return "".join(piece for piece in pieces if not piece.startswith(_NOT_SAID))
