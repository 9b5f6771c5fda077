"""The lab for the Codex CLI: the scripted model, its log, the MCP server that asks, the HOME."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from clawtap_codex.live import home as codex_home
from clawtap_codex.live import turns as codex_turns
from clawtap_codex.live.model import TITLE, OpenAIModel
from clilab import mcp_forms

pytestmark = pytest.mark.process

USER = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}


@pytest.fixture
def model() -> Iterator[OpenAIModel]:
    model = OpenAIModel().start()
    yield model
    model.stop()


def ask(model: OpenAIModel, *items: Any, **more: Any) -> list[dict[str, Any]]:
    body = {"model": "gpt-5.5", "input": list(items), **more}
    answer = requests.post(f"{model.url}/v1/responses", json=body, timeout=60)
    answer.raise_for_status()
    lines = [line for line in answer.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line[6:]) for line in lines]


def output(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(events[-1]["response"]["output"])


def test_turns_are_spoken_in_order(model: OpenAIModel) -> None:
    model.play("one", codex_turns.shell("ls"))
    (text,), (call,) = output(ask(model, USER)), output(ask(model, USER))
    assert text["content"][0]["text"] == "one"
    assert (call["type"], call["name"]) == ("function_call", "exec_command")
    assert json.loads(call["arguments"])["cmd"] == "ls"


def test_a_text_that_is_split_streams_in_pieces(model: OpenAIModel) -> None:
    model.play({"parts": [{"thought": "**Hm**"}, {"text": "abcd", "split": 3}]})
    events = ask(model, USER)
    deltas = [each["delta"] for each in events if each["type"].endswith("output_text.delta")]
    assert deltas == ["abc", "d"]
    assert [each["type"] for each in output(events)] == ["reasoning", "message"]
    assert [each["sequence_number"] for each in events] == list(range(len(events)))


def test_a_patch_and_headers_are_sent(model: OpenAIModel) -> None:
    model.play(codex_turns.patch(codex_turns.new_file("a.txt", "x")), codex_turns.near_limit("hi"))
    (custom,) = output(ask(model, USER))
    assert custom["input"] == "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n"
    answer = requests.post(f"{model.url}/v1/responses", json={"input": []}, timeout=60)
    assert answer.headers["x-codex-primary-used-percent"] == "93"


def test_naming_the_conversation_takes_no_turn(model: OpenAIModel) -> None:
    model.play("kept")
    schema = {"format": {"schema": {"properties": {"title": {}}}}}
    (title,) = output(ask(model, USER, text=schema))
    assert json.loads(title["content"][0]["text"]) == {"title": TITLE}
    (text,) = output(ask(model, USER))
    assert text["content"][0]["text"] == "kept"
    assert len(model.log.main()) == 1


def test_the_log_has_what_was_said_and_the_results_of_calls(model: OpenAIModel) -> None:
    model.play("one")
    result = {"type": "function_call_output", "call_id": "c1", "output": "done"}
    own = {"role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]}
    ask(model, own, USER, result)
    assert model.log.times_said("hello") == 1
    assert model.log.times_said("environment") == 0
    assert [each["response"] for each in model.log.function_responses()] == ["done"]
    model.play("two")
    ask(model, USER, result, USER)
    assert model.log.function_responses() == []
    assert model.log.user_texts() == ["hello"]


def test_outcomes_that_come_along_with_the_next_message_belong_to_the_chapter_before(
    model: OpenAIModel,
) -> None:
    model.play("one")
    ask(model, USER)
    model.play("two")
    late, new = (
        {"type": "function_call_output", "call_id": name, "output": name}
        for name in ("late", "new")
    )
    ask(model, USER, late, USER)
    ask(model, USER, late, USER, new)
    assert [each["response"] for each in model.log.function_responses()] == ["new"]


def test_the_mcp_server_asks_before_it_answers() -> None:
    requests_: list[dict[str, Any]] = [
        {"id": 1, "method": "tools/call", "params": {"name": "ask_confirm"}},
        {"id": 1000, "result": {"action": "accept"}},
        {"id": 2, "method": "tools/list"},
    ]
    text = "".join(json.dumps(each) + "\n" for each in requests_)
    command = [sys.executable, mcp_forms.__file__]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    asked, answered, tools = map(json.loads, done.stdout.splitlines())
    assert asked["method"] == "elicitation/create"
    assert json.loads(answered["result"]["content"][0]["text"]) == {"action": "accept"}
    assert {each["name"] for each in tools["result"]["tools"]} >= {"delete_note", "ask_form"}


def test_a_home_asks_what_it_shall(tmp_path: Path) -> None:
    config = codex_home.settings("0.169.0", "http://127.0.0.1:1", [tmp_path])
    codex_home.write_home(tmp_path, config, update=True, hooks=True)
    folder = tmp_path / ".codex"
    assert "model_migrations" in (folder / "config.toml").read_text()
    assert (folder / "hooks.json").exists()
    codex_home.write_home(tmp_path, config)
    assert not (folder / "version.json").exists()
