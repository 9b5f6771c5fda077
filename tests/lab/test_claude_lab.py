"""The scripted Anthropic model: turns as streams, side jobs, what came of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests
from clawtap_claude.live import turns
from clawtap_claude.live.model import AnthropicModel

pytestmark = pytest.mark.process

TOOLS = [{"name": "Bash"}, {"name": "Read"}]


@pytest.fixture
def model() -> Iterator[AnthropicModel]:
    model = AnthropicModel().start()
    yield model
    model.stop()


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def result(key: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": key, "content": text}


def ask(model: AnthropicModel, *messages: Any, **more: Any) -> list[dict[str, Any]]:
    body = {"model": "m", "tools": TOOLS, "stream": True, "messages": list(messages), **more}
    answer = requests.post(f"{model.url}/v1/messages?beta=true", json=body, timeout=60)
    lines = answer.text.splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def test_a_call_is_streamed_and_stops_for_its_use(model: AnthropicModel) -> None:
    model.play(turns.shell("ls"))
    events = ask(model, user({"type": "text", "text": "go"}))
    (delta,) = (each["delta"] for each in events if each["type"] == "content_block_delta")
    assert json.loads(delta["partial_json"])["command"] == "ls"
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_pieces_of_a_text_are_one_block(model: AnthropicModel) -> None:
    model.play({"parts": [{"text": "abcd", "split": 3}]})
    events = ask(model, user({"type": "text", "text": "go"}))
    said = [each["delta"]["text"] for each in events if each["type"] == "content_block_delta"]
    assert said == ["abc", "d"]
    assert [each["type"] for each in events].count("content_block_start") == 1


def test_a_plan_goes_to_the_file_that_the_cli_names(model: AnthropicModel) -> None:
    model.play(turns.plan("# P")[0])
    words = {"type": "text", "text": "write to /home/me/.claude/plans/a-b.md please"}
    (delta,) = (e["delta"] for e in ask(model, user(words)) if e["type"] == "content_block_delta")
    assert json.loads(delta["partial_json"])["file_path"] == "/home/me/.claude/plans/a-b.md"


def test_a_side_job_takes_no_turn(model: AnthropicModel) -> None:
    model.play("the turn")
    body = {"model": "m", "messages": [user()], "system": "Write a title"}
    answer = requests.post(f"{model.url}/v1/messages", json=body, timeout=60).json()
    assert "title" in answer["content"][0]["text"]
    assert "the turn" in json.dumps(ask(model, user({"type": "text", "text": "go"})))


def test_a_turn_for_an_agent_waits_for_the_agent_with_that_task(model: AnthropicModel) -> None:
    model.play({**turns.turn(text="counted"), "to": "count files"}, "meanwhile")
    assert "meanwhile" in json.dumps(ask(model, user({"type": "text", "text": "go"})))
    assert "SCENARIO DONE" in json.dumps(ask(model, user({"type": "text", "text": "go"})))
    assert "counted" in json.dumps(ask(model, user({"type": "text", "text": "count files"})))


def test_what_the_first_request_of_a_chapter_reports_belongs_to_the_one_before(
    model: AnthropicModel,
) -> None:
    model.play("one", "two")
    first = [user(result("a", "old"), {"type": "text", "text": "go"})]
    ask(model, *first)
    ask(model, *first, user(result("b", "new")))
    assert [each["response"] for each in model.log.function_responses()] == ["new"]
    assert model.log.times_said("go") == 1
