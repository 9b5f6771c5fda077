"""What a CLI sent to the scripted chat-completions model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clawtap_core.testing.scripted.request_log import CallLog, Request

# What the CLI itself says in the user's name.
_NOT_SAID = "<system-reminder>"


class ChatLog(CallLog):
    """The log, read in the terms of chat completions."""

    def messages(self, request: Request) -> list[Mapping[str, Any]]:
        """The messages of a request."""
        return list(request.body.get("messages") or ())

    def user_text(self, message: Mapping[str, Any]) -> str:
        """What the user says in a message."""
        if message["role"] != "user":
            return ""
        content = message.get("content") or ""
        parts = (
            [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        )
        return "".join(part for part in parts if not part.startswith(_NOT_SAID))

    def outcomes(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Yield what tools returned."""
        for message in messages:
            if message["role"] == "tool":
                yield message["tool_call_id"], message["content"]
