"""What Claude Code sent to the scripted Anthropic model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.testing.scripted.request_log import Request, RequestLog

# The CLI's own words are in the user's name, in tags like this.
_NOT_SAID = "<system-reminder>"


class AnthropicLog(RequestLog):
    """The log, read in the terms of the Messages API."""

    def messages(self, request: Request) -> list[Mapping[str, Any]]:
        """The messages of a request, without the system's, which 2.1.300 puts last."""
        messages = request.body.get("messages") or ()
        return [message for message in messages if message.get("role") != "system"]

    def user_text(self, message: Mapping[str, Any]) -> str:
        """What the user says in a message."""
        if message.get("role") != "user":
            return ""
        texts = [part["text"] for part in _parts(message) if part.get("type") == "text"]
        return "\n".join(text for text in texts if not text.startswith(_NOT_SAID))

    def function_responses(self) -> list[Mapping[str, Any]]:
        """The outcomes of the model's calls, each once, in order.

        What the chapter's first request tells belongs to the one before: the outcome of a call
        that was cancelled is kept back until the next message.
        """
        reported = [dict(self._outcomes(request)) for request in self.main()]
        old = reported[0] if reported else {}
        latest = {call: outcome for outcomes in reported for call, outcome in outcomes.items()}
        return [outcome for call, outcome in latest.items() if call not in old]

    def _outcomes(self, request: Request) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for part in (part for said in self.messages(request) for part in _parts(said)):
            if part.get("type") == "tool_result":
                failed = bool(part.get("is_error"))
                yield part["tool_use_id"], {"response": part.get("content"), "is_error": failed}


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") or ()
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
