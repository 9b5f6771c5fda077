"""pending, approve, deny, answer, respond."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clawtap_core import PromptRequested
from clawtap_core.cli.answers import keyed
from clawtap_core.commands import shell_command
from clawtap_core.errors import BadRequest, Conflict
from clawtap_core.host import Host
from clawtap_core.model import Kind, LaunchRequest, Machine, Prompt, PromptForm, Response
from clawtap_core.prompts.identity import squeeze

PLUGINS = Path(__file__).parents[2] / "plugins"


@pytest.fixture
def question(server: Any) -> Prompt:
    """The only prompt that waits is a form of two questions."""
    prompt: Prompt = server.ask_questions()
    return prompt


def test_what_waits_is_shown_with_its_options(run: Any) -> None:
    assert run("pending").output.splitlines() == [
        "p-1  Demo agent  permission  in s-alpha-1: about s-alpha-1",
        "  Run this?",
        "    rm -rf build",
        "  - Yes, run it  [yes]",
        "  - Always  [always]",
        "  - No  [no]",
    ]
    assert run("pending", "s-beta").output == "no prompt is open\n"


@pytest.mark.parametrize(
    ("title", "description", "call", "body"),
    [
        ("touch a && ls", "", {"command": "touch a && ls"}, ["touch a && ls"]),
        ("Run this?", "in the sandbox", {"cmd": "rm a\nrm b"}, ["rm a", "rm b", "in the sandbox"]),
        ("Run this?", "rm -rf\n  build", {"command": "rm -rf build"}, ["rm -rf", "  build"]),
        ("Run this?", "", {"command": "ls", "directory": "/srv"}, ["ls", "directory: /srv"]),
        ("fetch_page", "", {"url": "http://a", "depth": 2}, ["url: http://a", "depth: 2"]),
        (
            "Write it?",
            "",
            {"path": "a", "content": "\x1b[8mb\n"},
            ["path: a", "content: ⟦U+001B⟧[8mb"],
        ),
    ],
)
def test_what_only_the_call_says_is_shown_too(
    run: Any, server: Any, title: str, description: str, call: dict[str, Any], body: list[str]
) -> None:
    form = replace(
        server.waiting[0].form, title=title, description=description, tool_input=call, options=()
    )
    server.waiting = [replace(server.waiting[0], form=form)]
    assert run("pending").output.splitlines()[2:] == [f"    {line}" for line in body]


@pytest.mark.parametrize("cli", ["copilot", "gemini", "kimi", "qwen"])
def test_each_command_that_a_cli_asked_for_over_acp_is_shown(
    run: Any, server: Any, cli: str
) -> None:
    commands = 0
    for path in PLUGINS.glob(f"clawtap-{cli}/tests/protocol/acp-*.jsonl"):
        for form in asked_in(cli, path):
            server.waiting = [replace(server.waiting[0], form=form)]
            command = shell_command(form.tool_input or {})
            assert squeeze(command) in squeeze(run("pending").output)
            commands += bool(command)
    assert commands


def asked_in(cli: str, path: Path) -> Iterator[PromptForm]:
    """Yield what a CLI asks in a recorded exchange."""
    request = LaunchRequest(cli, "/", channel="protocol")
    peer = Host.installed(only=[cli]).adapter(cli).open_protocol(request)
    assert peer
    peer.open()
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if line["from"] != "client":
            for event in peer.receive(f"{json.dumps(line['said'])}\n".encode()):
                if isinstance(event, PromptRequested):
                    yield event.form
        elif line["said"].get("method") == "session/prompt":
            peer.message("")


def test_a_prompt_that_the_cli_cut_is_shown_and_approved_as_one(run: Any, server: Any) -> None:
    server.cut()
    assert run("pending").output.splitlines()[3] == (
        "  the CLI shows only part of this; to see all of it: clawtap attach s-alpha-1"
    )
    assert run("approve").stderr == "note: the CLI had shown only part of it\n"


def test_questions_are_shown_with_their_answers(run: Any, question: Prompt) -> None:
    assert run("pending").output.splitlines()[2:] == [
        "  0: Which database?",
        "  - SQLite  one file",
        "  - None",
        "  - text",
        "  1: Which checks?",
        "  [ ] Tests",
        "  [ ] Types",
    ]


def test_what_waits_as_json_is_the_wire_form(run: Any) -> None:
    (prompt,) = json.loads(run("pending", "--json").output)
    assert prompt["requestId"] == "p-1"
    assert [option["effect"] for option in prompt["options"]] == [
        "allow_once",
        "allow_always",
        "deny",
    ]


def test_the_only_prompt_needs_no_id(run: Any, server: Any) -> None:
    assert run("approve").output == "answered: Run this? (p-1)\n"
    assert run("deny", "--reason", "too risky").exit_code == 0
    assert server.calls == [
        ("respond", "s-alpha-1", Response("p-1", decision="approve")),
        ("respond", "s-alpha-1", Response("p-1", decision="deny", reason="too risky")),
    ]


def test_another_option_can_be_named(run: Any, server: Any) -> None:
    run("approve", "p-", "--option", "Always")
    assert server.calls[0][2] == Response("p-1", selected_option="Always")


def test_several_prompts_are_listed_instead_of_guessing(run: Any, server: Any) -> None:
    server.ask_permission("p-2")
    result = run("approve")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "error: 2 prompts are open; name one of them (several_pending):",
        "  p-1  Run this?",
        "  p-2  Run this?",
    ]
    assert server.calls == []


def test_over_several_machines_each_prompt_names_its_own(run: Any, server: Any) -> None:
    laptop = Machine("m2", "laptop")
    server.live = [replace(session, machine=laptop) for session in server.live]
    heading = run("pending").output.splitlines()[0]
    assert heading.endswith("in s-alpha-1 on laptop: about s-alpha-1")


@pytest.mark.parametrize(
    "command", [("approve",), ("deny",), ("respond", "--option", "Always"), ("answer", "-a", "x")]
)
def test_the_only_prompt_of_one_machine_can_be_answered(
    command: tuple[str, ...], run: Any, server: Any
) -> None:
    run(*command, "--machine", "laptop")
    assert server.calls[0] == ("at", "laptop")
    assert server.calls[1][:2] == ("respond", "s-alpha-1")


def test_an_empty_name_of_a_machine_is_not_this_machine(run: Any, server: Any) -> None:
    run("approve", "--machine", "")
    assert server.calls[0] == ("at", "")


def test_nothing_waits_and_unknown_ids_say_so(run: Any, server: Any) -> None:
    assert "no such prompt: zzz (prompt_not_found)" in run("deny", "zzz").stderr
    server.waiting.clear()
    assert run("approve").stderr == "error: no prompt is open (nothing_pending)\n"


def test_an_answer_as_json_says_how_it_ended(run: Any) -> None:
    reply = json.loads(run("approve", "--json").output)
    assert (reply["ok"], reply["requestId"], reply["state"]) == (True, "p-1", "answered")
    assert reply["resolution"]["by"] == "user"


def test_answers_go_by_question(run: Any, server: Any, question: Prompt) -> None:
    run("answer", "-a", "SQLite", "-a", "1=Tests", "-a", "1=Types")
    given = Response("p-q", answers={"0": "SQLite", "1": ("Tests", "Types")})
    assert server.calls == [("respond", "s-alpha-1", given)]


def test_without_answers_the_questions_are_shown(run: Any, question: Prompt) -> None:
    result = run("answer")
    assert result.exit_code == 1
    assert "Which database?" in result.stderr


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["A"], {"0": "A"}),
        (["A", "B"], {"0": "A", "1": "B"}),
        (["1=B", "C"], {"1": "B", "2": "C"}),
        (["0=A", "0=B"], {"0": ("A", "B")}),
        (["x=1"], {"0": "x=1"}),
        (["0=x=1"], {"0": "x=1"}),
        (["0=two\nlines"], {"0": "two\nlines"}),
    ],
)
def test_answers_are_keyed(given: list[str], expected: dict[str, Any]) -> None:
    assert keyed(given) == expected


def test_a_whole_response_can_be_given(run: Any, server: Any) -> None:
    assert run("respond", "p-1", "--text", "change it").exit_code == 0
    assert server.calls[0][2] == Response("p-1", text_value="change it")
    assert run("respond", "p-1").exit_code == 2


def test_a_note_goes_to_the_question_of_its_number(run: Any, server: Any, question: Prompt) -> None:
    noted = ("--note", "1=the fast ones", "-n", "1=only")
    assert run("answer", "-a", "SQLite", "-a", "1=Tests", *noted).exit_code == 0
    given = {"0": "SQLite", "1": "Tests"}
    expected = Response("p-q", answers=given, notes={"1": "the fast ones\nonly"})
    assert server.calls[-1][2] == expected
    assert run("respond", "-a", "SQLite", "-n", "small").exit_code == 0
    assert server.calls[-1][2].notes == {"0": "small"}


def test_a_late_answer_says_who_was_first(run: Any, server: Any) -> None:
    server.refusal = Conflict("answered by user on phone at 3:04", code="already_answered")
    result = run("approve")
    assert result.exit_code == 1
    assert result.stderr == "error: answered by user on phone at 3:04 (already_answered)\n"


def test_an_option_that_the_list_hides_is_looked_for(run: Any, server: Any) -> None:
    prompt = server.waiting[0]
    server.refusal = BadRequest("'gold' is not offered", code="not_offered")
    assert run("respond", "--option", "gold").exit_code == 1
    server.waiting = [replace(prompt, form=replace(prompt.form, more_options=True))]
    assert run("respond", "--option", "gold").exit_code == 0
    assert [call[0] for call in server.calls] == ["respond", "respond", "expand", "respond"]


def test_a_prompt_nobody_knows_says_where_to_answer_it(run: Any, server: Any) -> None:
    form = PromptForm(Kind.UNKNOWN, "?", screen="\x1b[31mA storm")
    server.waiting = [replace(server.waiting[0], form=form)]
    assert run("pending").output.splitlines()[2:] == [
        "    A storm",
        "  not recognised; answer it in the terminal: clawtap attach s-alpha-1",
    ]
