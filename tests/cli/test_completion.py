"""Completion: ids and names in each shell, and silence where there is nothing to complete."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from clawtap_core.cli import argument_completion
from clawtap_core.cli.app import cli
from clawtap_core.errors import Unavailable
from clawtap_core.model import AdapterInfo, AdapterStatus, Choice

BIN = Path(sys.executable).parent


@pytest.fixture
def complete(server, monkeypatch):
    """Complete the last word of a command line on the fake server; (word, help) pairs."""
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")
    monkeypatch.setenv("CLAWTAP_URL", "http://fake")

    def completed(line: str, make=lambda *_: server):
        *words, incomplete = line.split(" ")
        shell = ShellComplete(cli, {"obj": make}, "clawtap", "_CLAWTAP_COMPLETE")
        return [(item.value, item.help) for item in shell.get_completions(words, incomplete)]

    return completed


TAKE_SESSIONS = [
    "attach",
    "archive",
    "end",
    "send",
    "queue",
    "wait",
    "interrupt",
    "limit",
    "mode",
    "model",
    "pending",
    "watch",
    "restore",
]


@pytest.mark.parametrize("command", [*TAKE_SESSIONS, "restore s-beta-22", "journal --session"])
def test_sessions_are_completed_with_their_titles(complete, command):
    assert complete(f"{command} s-a") == [("s-alpha-", "about s-alpha-1")]
    assert complete(f"{command} s-alpha-1") == [("s-alpha-1", "about s-alpha-1")]
    assert len(complete(f"{command} ")) == 2


@pytest.mark.parametrize("command", ["approve", "deny", "answer", "respond", "rules explain"])
def test_open_prompts_are_completed_with_what_they_ask(complete, command):
    assert complete(f"{command} ") == [("p-1", "Run this?")]
    assert complete(f"{command} x") == []


@pytest.mark.parametrize("command", ["new", "run", "history", "doctor", "detect --adapter"])
def test_adapters_are_completed(complete, command):
    assert ("demo", None) in complete(f"{command} d")
    assert ("notify", None) not in complete(f"{command} ")


def test_plugins_of_this_project_are_completed(complete):
    assert complete("install c") == [("claude", None), ("codex", None), ("copilot", None)]
    assert ("all", None) in complete("install claude ")


def test_panes_modes_and_models_are_completed(complete, server, monkeypatch):
    assert complete("adopt ") == [("%7", "gemini in /proj")]
    info = AdapterInfo(
        "demo", "Demo", permission_modes=(Choice("plan", "Plan"),), models=(Choice("sage", "Sage"),)
    )
    monkeypatch.setattr(server, "adapters", lambda: [AdapterStatus(info, True)])
    assert complete("mode s-alpha-1 p") == [("plan", "Plan")]
    assert complete("model s-alpha-1 ") == [("sage", "Sage")]
    assert complete("mode nobody ") == []


def test_without_a_server_nothing_is_completed_or_said(complete, capfd):
    def away(*_):
        raise Unavailable("no answer", code="server_unreachable")

    assert complete("approve ", make=away) == []
    assert capfd.readouterr() == ("", "")


def test_a_server_that_does_not_answer_holds_no_shell_up(complete, monkeypatch):
    monkeypatch.setattr(argument_completion, "PATIENCE", 0.05)
    began = time.monotonic()
    assert complete("approve ", make=lambda *_: time.sleep(2)) == []
    assert time.monotonic() - began < 1


@pytest.mark.process
@pytest.mark.parametrize(
    ("shell", "script", "expected"),
    [
        pytest.param(
            "bash",
            'eval "$(clawtap completion bash)"; complete -p clawtap',
            "_clawtap_completion clawtap",
            id="bash",
        ),
        pytest.param(
            "zsh",
            'eval "$(clawtap completion zsh)"; print $_comps[clawtap]',
            "_clawtap_completion",
            id="zsh",
        ),
        pytest.param(
            "fish",
            'clawtap completion fish | source; complete -C "clawtap app"',
            "approve",
            id="fish",
        ),
    ],
)
def test_a_shell_without_settings_takes_the_lines(shell, script, expected, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    plain = {"bash": "--norc", "zsh": "-f", "fish": "-N"}[shell]
    env = {"HOME": str(tmp_path), "PATH": f"{BIN}:{os.environ['PATH']}", "TERM": "xterm"}
    done = subprocess.run([shell, plain, "-c", script], env=env, capture_output=True, text=True)
    assert expected in done.stdout
    assert done.stderr == ""
