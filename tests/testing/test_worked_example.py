"""The worked example of docs/adapters.md: the page shows its code, and it answers its CLI."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from demo_testbed import open_runtime
from patience import until

from clawtap_core import Kind, Prompt, PromptState, Response, Screen, SessionState
from clawtap_core.model import Actor
from clawtap_core.runtime import DirectTransport

DOCS = Path(__file__).parents[2] / "docs"
CLI = DOCS / "examples" / "formcli.py"
ADAPTER = DOCS / "examples" / "clawtap_formcli.py"
PAGE = (DOCS / "adapters.md").read_text(encoding="utf-8")


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Form:
    """The CLI in a pane that ClawTap watches."""

    tap: DirectTransport
    id: str
    socket: str

    def say(self, text: str) -> None:
        """Send a message once it can be sent."""
        until(lambda: self.tap.session(self.id).state is SessionState.IDLE, what=self.screen)
        self.tap.message(self.id, text)

    def prompt(self, title: str) -> Prompt:
        """Return the prompt with this title, once it waits."""

        def found() -> Prompt | None:
            waiting = self.tap.pending(self.id)
            return next((prompt for prompt in waiting if prompt.form.title == title), None)

        return until(found, what=self.screen)

    def answer(self, prompt: Prompt, **answer: Any) -> PromptState:
        return self.tap.respond(self.id, Response(prompt.request_id, **answer)).state

    def screen(self) -> str:
        command = ("tmux", "-L", self.socket, "capture-pane", "-p")
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def sees(self, text: str) -> None:
        until(lambda: text in self.screen(), what=self.screen)


@pytest.fixture
def form(tmp_path: Path, tmux_socket: str) -> Iterator[Form]:
    size = ("-x", "80", "-y", "30", "-c", str(tmp_path))
    command = ("tmux", "-L", tmux_socket, "-f", "/dev/null", "new-session", "-dP", *size)
    run = (*command, "-F", "#{pane_id}", "--", sys.executable, str(CLI))
    pane = subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()
    runtime = open_runtime(tmux_socket, tmp_path, plugin=load(ADAPTER))
    tap = DirectTransport(runtime, Actor("ann", "phone"))
    # Its script is the name by which the adapter knows it.
    yield Form(tap, tap.adopt(pane).id, tmux_socket)
    runtime.close()


@pytest.mark.tmux
class TestOnItsCli:
    def test_tabs_are_answered_one_by_one_and_the_review_page_is_sent(self, form: Form) -> None:
        form.say("ask")
        first = form.prompt("Which database?")
        assert (first.form.kind, first.form.questions[0].header) == (Kind.QUESTION, "Database")
        assert form.answer(first, answers={"0": "Postgres"}) is PromptState.ANSWERED
        second = form.prompt("Which checks?")
        assert (second.form.position.index, second.form.position.total) == (2, 2)
        assert form.answer(second, answers={"0": "None"}) is PromptState.ANSWERED
        form.sees("The user chose: Postgres and None")
        assert not form.tap.pending(form.id)

    def test_a_form_can_be_left(self, form: Form) -> None:
        form.say("ask")
        assert form.answer(form.prompt("Which database?"), decision="deny") is PromptState.DENIED
        form.sees("The user chose: nothing")

    def test_the_review_page_is_a_prompt_of_its_own_for_a_form_filled_in_at_the_desk(
        self, form: Form
    ) -> None:
        form.say("ask")
        form.prompt("Which database?")
        keys = ("tmux", "-L", form.socket, "send-keys", "Enter")
        subprocess.run(keys, check=True)
        form.prompt("Which checks?")
        subprocess.run(keys, check=True)
        review = form.prompt("Send these answers?")
        assert review.form.description == "Database: SQLite\nChecks: Tests"
        assert form.answer(review, answers={"0": "Drop"}) is PromptState.ANSWERED
        form.sees("The user chose: nothing")

    def test_a_subagents_prompt_says_whose_it_is(self, form: Form) -> None:
        form.say("run make test")
        prompt = form.prompt("Run this command?")
        assert (prompt.form.origin, prompt.form.description) == ("Reviewer", "make test")
        assert form.answer(prompt, decision="approve") is PromptState.ANSWERED
        form.sees("The user chose: Yes")

    @pytest.mark.parametrize("text", ["hello", "one\ntwo\n\nfour", "long " * 30])
    def test_a_message_arrives_whole_and_once(self, form: Form, text: str) -> None:
        form.say(text)
        form.sees(" / ".join(text.strip().splitlines())[-50:])
        assert form.screen().count("I read: ") == 1


def test_every_screen_of_the_page_is_drawn_by_the_cli_and_read_by_the_adapter() -> None:
    adapter, cli = load(ADAPTER), load(CLI)
    screens = re.findall(r"```text\n(.*?)\n```", example(), re.DOTALL)
    assert len(screens) == 3
    drawn: list[str] = []

    class Painted(cli.FormCli):
        def paint(self, *below: str) -> None:
            drawn.append("\n".join(below))

    keys = iter(("\r", "\r", "\r", "\r"))
    cli.read_key = lambda: next(keys)
    Painted().fill_in()
    Painted().take("run make test")
    for screen in screens:
        assert screen in drawn
        assert adapter.detect_prompt(Screen.from_text(screen))


def test_the_code_of_the_page_is_the_code_of_the_example() -> None:
    code = ADAPTER.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", example(), re.DOTALL)
    assert len(blocks) == 4
    assert [block for block in blocks if block not in code] == []


def example() -> str:
    return PAGE.split("## A worked example", 1)[1].split("\n## ", 1)[0]
