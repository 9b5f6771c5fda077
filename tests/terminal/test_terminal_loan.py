"""A CLI that runs an editor on its terminal: what the pane shows is not the CLI's."""

from __future__ import annotations

import sys

import pytest
from patience import until

from clawtap_core.system import processes

pytestmark = [
    pytest.mark.process,
    pytest.mark.tmux,
    pytest.mark.skipif(not processes.has_proc(), reason="no /proc here"),
]
# Like Claude Code it has a server with pipes, and runs an editor where its own input is.
CLI = """
import subprocess, sys
server = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
print("composer", flush=True)
for line in sys.stdin:
    if line == "edit\\n":
        subprocess.run(["sh", "-c", "echo editor; head -n 1; true"], check=False)
    elif line == "tool\\n":
        tool = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    print("composer", flush=True)
"""


@pytest.fixture
def pane(terminal, desk, seen, tmp_path):
    script = tmp_path / "cli.py"
    script.write_text(CLI)
    # A wrapper has the terminal, too.
    name = desk.new("sh", "-c", f"{sys.executable} -S {script}; true")
    pane = terminal.watch(name, seen)
    seen.shows("composer")
    pane.shows_cli()
    return pane


def test_a_cli_has_its_terminal_itself(pane):
    assert not pane.is_lent()


def test_an_editor_has_the_terminal_until_it_is_closed(pane, seen):
    pane.type("edit")
    pane.press("Enter")
    seen.shows("editor")
    until(pane.is_lent)
    pane.press("Enter")
    until(lambda: not pane.is_lent())


def test_a_tool_that_the_cli_runs_does_not_have_its_terminal(pane, seen):
    pane.type("tool")
    pane.press("Enter")
    seen.until(lambda: seen.screens[-1].text.count("composer") == 2)
    until(lambda: len(processes.group_members(pane.group)) == 4)
    assert not pane.is_lent()


def test_before_the_cli_was_seen_nothing_says_who_has_the_terminal(terminal, desk, seen):
    pane = terminal.watch(desk.new("sh", "-c", "echo starts; head -n 1"), seen)
    seen.shows("starts")
    assert not pane.is_lent()
