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

    def function_responses(self) -> list[Mapping[str, Any]]:
        """What came of the model's calls, in order.

        What the chapter's first request tells belongs to the one before: a CLI keeps the outcome
        of a cancelled call back until the next message.
        """
        reported = [list(_news(request)) for request in self.main()]
        return [
            response
            for at, news in enumerate(reported[1:], 1)
            if reported[at - 1] != news
            for response in news
        ]

    def user_texts(self) -> list[str]:
        """What the user said last in each request, where it ended with the user's words."""
        lasts = (_contents(request)[-1:] for request in self.main())
        texts = ["".join(_texts(last[0])) for last in lasts if last and last[0]["role"] == "user"]
        return [own for text in texts if (own := _OWN.sub("", text))]

    def times_said(self, text: str) -> int:
        """How often the conversation, as last sent, holds this text in the user's words."""
        main = self.main()
        contents = _contents(main[-1]) if main else []
        users = [content for content in contents if content["role"] == "user"]
        return sum("".join(_texts(content)).count(text) for content in users)


def _news(request: Request) -> Iterator[Mapping[str, Any]]:
    """The outcomes of calls that came after the model's last words."""
    for content in reversed(_contents(request)):
        if content["role"] == "model":
            return
        yield from (
            part["functionResponse"] for part in content["parts"] if "functionResponse" in part
        )


def _contents(request: Request) -> list[Mapping[str, Any]]:
    return list(request.body.get("contents") or ())


def _texts(content: Mapping[str, Any]) -> Iterator[str]:
    return (part["text"] for part in content.get("parts", ()) if part.get("text"))
