"""What of a message is searched, and how results read."""

from __future__ import annotations

import pytest

from clawtap_core.model import Block, Message
from clawtap_core.search.message_text import message_text


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("exec_command", "Run it"),
        ("AskUserQuestion", "Ask User Question it"),
        ("google_web_search", "google web search it"),
        ("mcp__db__query", "mcp db query it"),
        ("", "it"),
    ],
)
def test_a_tool_is_named_in_words(tool: str, words: str) -> None:
    call = Block("tool_use", "", "c1", tool, {"what": "it"})
    assert message_text(Message("m1", "assistant", (call,))) == words


def test_questions_read_as_they_were_asked() -> None:
    asked = {"id": "q0", "header": "Place", "question": "Where to?"}
    call = Block("tool_use", "", "c1", "request_user_input", {"questions": [asked]})
    assert message_text(Message("m1", "assistant", (call,))) == "Question Place Where to?"
    call = Block("tool_use", "", "c1", "mcp__issues__get", {"id": "SHOP-12"})
    assert message_text(Message("m1", "assistant", (call,))) == "mcp issues get SHOP-12"
