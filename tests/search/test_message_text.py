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
