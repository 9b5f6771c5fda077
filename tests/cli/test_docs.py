"""What the documentation says is what there is."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.request import Request, urlopen

import click
import pytest
from documented_commands import documented_commands

import clawtap_core.screens
from clawtap_core import (
    Effect,
    Kind,
    LivePlace,
    LiveStep,
    Press,
    Response,
    Screen,
    Type,
    hookspecs,
)
from clawtap_core.cli.app import BUILT_IN, cli
from clawtap_core.host import Host
from clawtap_core.keystrokes import KeyProfile, choose, write

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = (DOCS / "cli.md").read_text(encoding="utf-8")
ADAPTERS = (DOCS / "adapters.md").read_text(encoding="utf-8")
EVERYWHERE = {"--url", "--token-file", "--data-dir", "--ca-file", "--machine", "--json", "--join"}
HOOKS = [name for name, hook in vars(hookspecs).items() if hasattr(hook, "clawtap_spec")]


def public(module: ModuleType) -> dict[str, Any]:
    """What `from module import *` gives; some names are loaded only when they are used."""
    return {name: getattr(module, name) for name in module.__all__}


def section(name: str) -> str:
    found = re.search(rf"^### clawtap {name}\n(.*?)(?=^##|\Z)", COMMANDS, re.DOTALL | re.MULTILINE)
    assert found, f"docs/cli.md has no heading for clawtap {name}"
    return found[1]


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_command_is_documented_with_an_example(name: str) -> None:
    text = section(name)
    assert re.search(rf"^\$ (?:.* \| )?clawtap {name}\b", text, re.MULTILINE)
    command = cli.get_command(click.Context(cli), name)
    assert command
    for parameter in command.params:
        options = [name for name in parameter.opts if name.startswith("-")]
        shown = {"--url", *EVERYWHERE} if name != "serve" else {"--json"}
        for option in set(options) - shown:
            assert f"{option}" in text, f"{option} of clawtap {name} is not documented"


def test_no_command_is_documented_that_is_not_there() -> None:
    assert set(re.findall(r"^### clawtap (\S+)$", COMMANDS, re.MULTILINE)) == set(BUILT_IN)


def test_options_of_every_command_are_documented_once() -> None:
    top = COMMANDS.split("## The server")[0]
    assert all(option in top for option in EVERYWHERE - {"--join"})


def test_every_command_of_the_docs_is_one_that_clawtap_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Groups look for their command as ever; what is found parses its words, and does not run.
    monkeypatch.setattr(click.Command, "invoke", lambda self, ctx: None)
    monkeypatch.chdir(tmp_path)
    wrong = []
    for documented in documented_commands():
        for word in documented.words:
            if word.endswith((".ansi", ".toml", ".pem", "FILE")):
                (tmp_path / word).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / word).touch()
        try:
            cli.main([*documented.words], "clawtap", standalone_mode=False)
        except click.UsageError as error:
            # A sentence may name a command without what it needs.
            if not (documented.mentioned and isinstance(error, click.MissingParameter)):
                wrong.append(f"{documented}\n  {error.format_message()}")
    assert wrong == []


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_has_a_heading_with_its_signature(name: str) -> None:
    signature = str(inspect.signature(getattr(hookspecs, name))).replace("'", "")
    assert f"### `{name}{signature}`\n" in ADAPTERS


def test_all_hooks_are_known_to_this_test() -> None:
    headings = re.findall(r"^### `(\w+)\(", ADAPTERS, re.MULTILINE)
    assert headings == HOOKS


@pytest.fixture
def tutorial() -> ModuleType:
    """The adapter that docs/adapters.md shows, as a module."""
    code = re.search(r"```python\n# clawtap_mycli\.py\n(.*?)```", ADAPTERS, re.DOTALL)
    assert code
    module = ModuleType("clawtap_mycli")
    exec(code[1], vars(module))
    return module


def test_the_adapter_of_the_tutorial_loads_and_reads(tutorial: Any) -> None:
    host = Host()
    assert host.add(tutorial, "mycli").status == "loaded"
    adapter = host.adapter("mycli")
    form = adapter.detect_prompt(Screen.from_text("hello\nRun make test? [y/N]"))
    assert form
    assert (form.kind, form.description) == (Kind.PERMISSION, "make test")
    steps = adapter.respond(form, Response("", selected_option="refuse"), Screen(("",)), None)
    assert steps
    assert steps.done
    assert adapter.detect_prompt(Screen.from_text("Run x? [y/N]\n> ")) is None
    assert adapter.health is None


def test_the_adapter_of_the_tutorial_composes(tutorial: Any) -> None:
    first = tutorial.compose("hello", Screen.from_text("> "), None)
    then = tutorial.compose("hello", Screen.from_text("> hello"), first.progress)
    assert (first.done, then.done) == (False, True)


def test_a_row_that_is_no_option_is_passed_by_the_arrows() -> None:
    found = re.search(r"### A row that is no option\n.*?```python\n(.*?)```", ADAPTERS, re.DOTALL)
    assert found
    shown = ["Run make?", "  1. Yes", "  2. No", "❯ 3. No, with feedback"]
    known: dict[str, Any] = {**public(clawtap_core), **public(clawtap_core.screens)}
    known |= {"lines": shown, "screen": Screen(tuple(shown)), "title": "Run?", "command": "make"}
    known |= {"EFFECTS": {"Yes": Effect.ALLOW_ONCE, "No": Effect.DENY}}
    exec(found[1], known)
    form, parsed = known["form"], known["parsed"]
    assert ([option.label for option in form.options], form.selected) == (["Yes", "No"], None)
    steps = choose(parsed, "No", KeyProfile())
    assert steps
    assert steps.steps == (Press("Up"),)


def test_a_text_field_is_read_and_written() -> None:
    found = re.search(r"### A text field\n.*?```python\n(.*?)```", ADAPTERS, re.DOTALL)
    assert found
    known: dict[str, Any] = {**public(clawtap_core), **public(clawtap_core.screens)}
    known |= {"KeyProfile": KeyProfile, "write": write, "re": re, "title": "A note?"}
    known |= {"lines": ["A note?", "  [      ]", "enter: next"], "progress": None}
    known |= {"response": Response("", answers={"0": "first"})}
    exec(found[1], known)
    assert known["form"].questions[0].input_type == "text"
    assert known["steps"].steps == (Type("first"),)


def test_the_live_check_writes_the_settings_and_its_model_calls_the_tools(tmp_path: Path) -> None:
    code = re.search(r"```python\n(from clawtap_core import LiveLaunch.*?)```", ADAPTERS, re.DOTALL)
    assert code
    names: dict[str, Any] = {}
    exec(code[1], names)
    check = names["MyCheck"]()
    launch = check.start(LivePlace(tmp_path, tmp_path, tmp_path / "mycli", {}))
    try:
        url = check.model.url
        assert (tmp_path / ".mycli.toml").read_text() == f'base_url = "{url}"\n'
        assert launch.args == ("--ask",)
        for step, tool in (
            (LiveStep.PERMISSION_ALLOWED, "bash"),
            (LiveStep.QUESTION, "ask_user"),
        ):
            assert step in check.steps
            check.play(step)
            body = json.dumps({"messages": [{"role": "user", "content": "go"}], "tools": [{}]})
            with urlopen(Request(f"{url}/chat/completions", body.encode()), timeout=10) as reply:
                assert tool in reply.read().decode()
    finally:
        check.stop()


def test_the_words_of_the_scenario_are_those_of_the_agent() -> None:
    from clawtap_demo.agent.samples import SAMPLES
    from clawtap_demo.agent.story import ITEMS

    scenario = ADAPTERS.split("Items of a scenario")[1]
    assert all(f'{{"{name}":' in scenario for name in ITEMS)
    assert all(f"`{name}`" in ADAPTERS for name in SAMPLES)
