"""What the Gemini CLI sent to the scripted Gemini model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.testing.scripted.request_log import Request, RequestLog

# What the CLI puts before the first message of a session.
_OWN = re.compile(r"<session_context>.*?</session_context>\s*", re.DOTALL)


class GeminiLog(RequestLog):
    """The log, read in the terms of the Gemini API."""

    def messages(self, request: Request) -> list[Mapping[str, Any]]:
        """The contents of a request."""
        return list(request.body.get("contents") or ())

    def user_text(self, message: Mapping[str, Any]) -> str:
        """What the user says in a content."""
        if message["role"] != "user":
            return ""
        return _OWN.sub("", "".join(part.get("text") or "" for part in message.get("parts", ())))

    def function_responses(self) -> list[Mapping[str, Any]]:
        """The outcomes of the model's calls, in order.

        What the chapter's first request tells belongs to the one before: a CLI keeps the outcome
        of a cancelled call back until the next message.
        """
        reported = [list(self._news(request)) for request in self.main()]
        return [
            response
            for at, news in enumerate(reported[1:], 1)
            if reported[at - 1] != news
            for response in news
        ]

    def _news(self, request: Request) -> Iterator[Mapping[str, Any]]:
        """Yield the outcomes of calls that came after the model's last words."""
        for content in reversed(self.messages(request)):
            if content["role"] == "model":
                return
            yield from (
                part["functionResponse"] for part in content["parts"] if "functionResponse" in part
            )
