"""What Claude Code sent to the scripted Anthropic model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.testing.scripted.request_log import Request, RequestLog

# The CLI's own words stand in the user's name, in tags like this.
_NOT_SAID = "<system-reminder>"


class AnthropicLog(RequestLog):
    """The log, read in the terms of the Messages API."""

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (_messages(request)[-1:] for request in self.main())
        texts = [_user_text(last[0]) for last in lasts if last]
        return [text for text in texts if text]

    def times_said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        return sum(_user_text(each).count(text) for each in _messages(main[-1])) if main else 0

    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the model's calls, each once, in order.

        What the chapter's first request tells belongs to the one before: the outcome of a call
        that was cancelled is kept back until the next message.
        """
        reported = [dict(_outcomes(request)) for request in self.main()]
        old = reported[0] if reported else {}
        found = {name: each for outcomes in reported for name, each in outcomes.items()}
        return [each for name, each in found.items() if name not in old]


def _outcomes(request: Request) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for part in (part for said in _messages(request) for part in _parts(said)):
        if part.get("type") == "tool_result":
            failed = bool(part.get("is_error"))
            yield part["tool_use_id"], {"response": part.get("content"), "is_error": failed}


def _messages(request: Request) -> list[Mapping[str, Any]]:
    return list(request.body.get("messages") or ())


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") or ()
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _user_text(message: Mapping[str, Any]) -> str:
    if message.get("role") != "user":
        return ""
    texts = [part["text"] for part in _parts(message) if part.get("type") == "text"]
    return "\n".join(text for text in texts if not text.startswith(_NOT_SAID))
