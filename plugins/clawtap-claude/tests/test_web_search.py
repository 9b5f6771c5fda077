"""A search of the web is asked for under the title that calls of MCP servers have."""

from __future__ import annotations

from pathlib import Path

import clawtap_claude

from clawtap_core import Kind, PromptForm
from clawtap_core.testing import Recording

RECORDING = Path(__file__).with_name("recordings") / "2.1.332" / "web-search-100x36.ansi"


def call(query: str) -> PromptForm:
    asked = {"query": query}
    return PromptForm(Kind.PERMISSION, "WebSearch", tool_name="WebSearch", tool_input=asked)


def test_a_search_names_its_tool_and_is_completed_by_its_call() -> None:
    seen = clawtap_claude.detect_prompt(Recording.load(RECORDING).screen)
    assert seen is not None
    assert seen.tool_name == "WebSearch"
    whole = clawtap_claude.merge_prompt(seen, call("weather in Bern"))
    assert whole is not None
    assert whole.tool_input == {"query": "weather in Bern"}
    assert clawtap_claude.merge_prompt(seen, call("weather in Rome")) is None
