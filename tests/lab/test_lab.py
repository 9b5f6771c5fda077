"""The lab itself: the scripted model, the MCP server, the installer, the desk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests
from clawtap_gemini.live import home as gemini_home
from clawtap_gemini.live import turns as gemini_turns
from clawtap_gemini.live.model import GeminiModel
from clilab import mcp_server
from clilab.altering_terminal import changed_keys
from clilab.desk import Desk, NotSeen
from clilab.environment import MCP_SERVER
from clilab.install import InstallError, install

pytestmark = pytest.mark.process

TOOLS = {"tools": [{"functionDeclarations": [{"name": "ls"}]}]}
USER = {"role": "user", "parts": [{"text": "hello"}]}


@pytest.fixture
def model() -> Iterator[GeminiModel]:
    model = GeminiModel().start()
    yield model
    model.stop()


def ask(model: GeminiModel, *contents: Any) -> list[Any]:
    body = {**TOOLS, "contents": list(contents)}
    path = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"
    answer = requests.post(model.url + path, json=body, timeout=60)
    answer.raise_for_status()
    lines = [line for line in answer.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line[6:])["candidates"][0] for line in lines]


def test_turns_are_spoken_in_order_then_the_model_says_it_is_done(model: GeminiModel) -> None:
    model.play("one", gemini_turns.shell("ls"))
    (text,), (call,), (done,) = ask(model, USER), ask(model, USER), ask(model, USER)
    assert text["content"]["parts"] == [{"text": "one"}]
    assert text["finishReason"] == "STOP"
    assert call["content"]["parts"][0]["functionCall"]["args"]["command"] == "ls"
    assert done["content"]["parts"] == [{"text": "SCENARIO DONE 3"}]


def test_thoughts_and_cut_texts_are_chunks_and_only_the_last_one_finishes(
    model: GeminiModel,
) -> None:
    model.play({"parts": [{"thought": "**Hm**"}, {"text": "abcd", "split": 3}]})
    chunks = ask(model, USER)
    parts = [chunk["content"]["parts"][0] for chunk in chunks]
    assert parts == [{"text": "**Hm**", "thought": True}, {"text": "abc"}, {"text": "d"}]
    assert [chunk.get("finishReason") for chunk in chunks] == [None, None, "STOP"]


def test_a_turn_can_be_an_error_and_the_last_one_repeats(model: GeminiModel) -> None:
    model.play({"status": 429}, "again", repeat_last=True)
    with pytest.raises(requests.HTTPError, match="429"):
        ask(model, USER)
    assert ask(model, USER) == ask(model, USER)


def test_a_turn_that_holds_waits_for_its_release(model: GeminiModel) -> None:
    model.play({"parts": [{"text": "late"}], "hold": True})
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(ask, model, USER)
        assert model.log.wait(lambda log: log.main(), 60)
        assert not answer.done()
        model.release()
        assert answer.result(60)


def test_the_log_has_what_was_delivered_in_this_chapter_only(model: GeminiModel) -> None:
    def result(name: str) -> dict[str, Any]:
        response = {"functionResponse": {"id": name, "name": "ls", "response": {"output": name}}}
        return {"role": "user", "parts": [response]}

    call = {"role": "model", "parts": [{"functionCall": {"name": "ls"}}]}
    ask(model, USER, call)
    model.play()
    ask(model, USER, call, result("old"), USER)
    ask(model, USER, call, result("old"), USER, call, result("new"))
    assert [each["id"] for each in model.log.function_responses()] == ["new"]
    assert model.log.user_texts() == ["hello"]
    assert model.log.times_said("hello") == 2


def test_side_jobs_get_a_valid_answer_or_the_one_that_was_set(model: GeminiModel) -> None:
    properties = {"reason": {"type": "string"}, "n": {"type": "INTEGER"}, "l": {"type": "array"}}
    schema = {"type": "object", "properties": properties}
    body = {"generationConfig": {"responseJsonSchema": schema}}
    url = f"{model.url}/v1beta/models/m:generateContent"

    def text() -> str:
        candidate = requests.post(url, json=body, timeout=60).json()["candidates"][0]
        return str(candidate["content"]["parts"][0]["text"])

    assert json.loads(text()) == {"reason": "aux", "n": 0, "l": []}
    model.aux["reason"] = "said"
    assert text() == "said"


def test_the_mcp_server_greets_and_adds() -> None:
    calls = [
        {"method": "initialize", "params": {"protocolVersion": "x"}},
        {"method": "tools/call", "params": {"name": "greet", "arguments": {"name": "Ann"}}},
        {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1, "b": 2}}},
        {"method": "nothing"},
    ]
    lines = "".join(json.dumps({"id": at, **call}) + "\n" for at, call in enumerate(calls))
    command = (sys.executable, mcp_server.__file__)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    first, greeting, total, wrong = (json.loads(line) for line in done.stdout.splitlines())
    assert first["result"]["protocolVersion"] == "x"
    assert greeting["result"]["content"][0]["text"] == "Hello Ann"
    assert total["result"]["content"][0]["text"] == "The sum is 3"
    assert wrong["error"]["message"] == "no method nothing"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of the PATH beside the system's, with a node that does nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script(folder / "node", "exit 0")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin{os.pathsep}/usr/bin")
    return folder


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


GOOD_NPM = """
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"; echo run >> "$2/node_modules/.bin/gemini"
"""


def test_a_cli_is_installed_once_and_nothing_else_is_left(programs: Path, tmp_path: Path) -> None:
    script(programs / "npm", GOOD_NPM)
    cache = tmp_path / "cache"
    commands = install("gemini", "1.2.3", cache)
    assert commands == cache / "gemini-1.2.3" / "node_modules" / ".bin"
    assert install("gemini", "1.2.3", cache) == commands
    assert (commands / "gemini").read_text() == "run\n"
    assert [path.name for path in cache.iterdir()] == ["gemini-1.2.3"]


def test_a_failed_install_says_why_and_leaves_nothing(programs: Path, tmp_path: Path) -> None:
    script(programs / "npm", "echo 'npm error 404 no such version' >&2; exit 1")
    with pytest.raises(InstallError, match=r"@google/gemini-cli@9 .*404 no such version"):
        install("gemini", "9", tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_missing_node_is_one_clear_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InstallError, match=r"^node is not on the PATH: install Node.js 20"):
        install("gemini", "1.2.3", tmp_path / "cache")


def test_the_home_starts_the_cli_without_a_dialog_and_the_key_can_be_left_out(
    tmp_path: Path,
) -> None:
    gemini_home.write_home(tmp_path, gemini_home.settings(mcp_server=MCP_SERVER))
    written = json.loads((tmp_path / ".gemini" / "settings.json").read_text())
    assert written["security"]["auth"] == {"selectedType": "gemini-api-key"}
    assert list(written["mcpServers"]) == ["lab"]
    with_key = gemini_home.environment("http://x")
    assert with_key["GEMINI_API_KEY"]
    assert "GEMINI_API_KEY" not in gemini_home.environment("u", key=False)


@pytest.mark.tmux
def test_the_desk_types_and_sees(tmp_path: Path, tmux_socket: str) -> None:
    desk = Desk(tmux_socket)
    seat = desk.open(("cat",), tmp_path, {"TERM": "xterm"}, cols=60, rows=10)
    seat.say("hello there")
    assert seat.see("hello there\nhello there")
    with pytest.raises(NotSeen, match=r"waited 0.1 s for .*goodbye"):
        seat.see("goodbye", seconds=0.1)
    desk.close()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (b"1", b"3"),
        (b"\x1b", b""),
        (b"\x1b[B", b""),
        (b"\x1b[200~1 of 1\x1b[201~1", b"\x1b[200~1 of 1\x1b[201~3"),
        (b"\x1b[1~", b"\x1b[1~"),
        (b"\x1b]11;rgb:1111/0/0\x1b\\1", b"\x1b]11;rgb:1111/0/0\x1b\\3"),
    ],
)
def test_an_altered_key_is_a_key_and_no_part_of_a_paste_or_of_another_one(typed, read) -> None:
    assert changed_keys(typed, {"1": "3", "\x1b": "", "\x1b[B": ""}) == read
