"""The contract passes for a good adapter, and names what is wrong with a bad one."""

from __future__ import annotations

import socket
from typing import Any

import pytest

# Loaded here once: pytester forgets what a run imports.
import clawtap_core.testing.contract
import clawtap_core.testing.junk  # noqa: F401

pytest_plugins = ["pytester"]

GOOD = """
from pathlib import Path
from types import SimpleNamespace
import re
from clawtap_core import *
from clawtap_core.testing import AdapterContract

ASK = re.compile(r"^Run (?P<command>.+)\\? \\[y/N\\]\\s*\\Z", re.MULTILINE)
OPTIONS = (
    Option("run-it", "Run it", Effect.ALLOW_ONCE, hint="y"),
    Option("refuse", "Refuse", Effect.DENY, hint="n"),
)

class MyCli:
    @hookimpl
    def adapter_info(self):
        return AdapterInfo(id="mycli", name="My CLI", commands=("mycli",))

    @hookimpl
    def detect_prompt(self, screen):
        if found := ASK.search(screen.text):
            return PromptForm(Kind.PERMISSION, f"Run {found['command']}?", options=OPTIONS)

    @hookimpl
    def detect_state(self, screen):
        return SeenState(SessionState.WAITING if ASK.search(screen.text) else SessionState.IDLE)

    @hookimpl
    def respond(self, response):
        return Steps((Press("y" if response.selected_option == "run-it" else "n"),))
"""
SUITE = """
class TestMyCli(AdapterContract):
    plugin = MyCli()
    recordings = Path(RECORDINGS)
    junk_examples = EXAMPLES
    altered_examples = EXAMPLES
"""
# Enough for adapters that any check but the one of altered recordings finds out.
EXAMPLES = 30
MANY_EXAMPLES = 2000
BAD = {
    "a wrong kind": ("Kind.PERMISSION", "Kind.QUESTION", "the kind is 'question'"),
    "a lost command": ("Run {found['command']}?", "Run it?", "the command 'make all' is not in"),
    "a wrong label": ('"Refuse"', '"Reject"', "there is no option 'Reject'"),
    "no steps": ('Press("y" if response.selected_option == "run-it" else "n"),', "", "nothing to"),
    "an id with capitals": ('id="mycli"', 'id="MyCLI"', "is not lower-case words"),
    "a scoped package": ('("mycli",)', '("@scope/mycli",)', "leave out a folder, and the @scope/"),
    "a false alarm": (
        "if found := ASK.search(screen.text):",
        "if found := re.search('(?P<command>m.*)', screen.text):",
        "test_a_screen_that_asks_nothing_gives_no_prompt",
    ),
    "a file that is read": (
        "if found := ASK.search",
        "open('/dev/null').close()\n        if found := ASK.search",
        "open ('/dev/null',)",
    ),
    "a place on the screen that matters": (
        "if found := ASK.search(screen.text)",
        "if screen.cols == 40 and (found := ASK.search(screen.text))",
        "a wider pane without repainting: no prompt was read; if no adapter can tell:"
        ' "cannot_tell": ["wider"]',
    ),
    "half a prompt": (
        "\\? \\[y/N\\]\\s*\\Z",
        "",
        "test_a_half_painted_screen_gives_the_whole_prompt_or_none",
    ),
    "a raise on junk": (
        "if found := ASK.search(screen.text)",
        "assert screen.text.startswith('$')\n        if found := ASK.search(screen.text)",
        "test_junk_never_raises",
    ),
    "a raise on a recording with a row twice": (
        "if found := ASK.search(screen.text)",
        "assert screen.text.count('[y/N]') < 2\n        if found := ASK.search(screen.text)",
        "test_an_altered_recording_never_raises",
    ),
    "a wrong state": ("else SessionState.IDLE", "else SessionState.BUSY", "busy"),
}


def run(
    pytester: pytest.Pytester, recordings: Any, source: str, examples: int = EXAMPLES
) -> pytest.RunResult:
    values = f"RECORDINGS, EXAMPLES = {str(recordings)!r}, {examples}"
    pytester.makepyfile(f"{source}\n{values}\n{SUITE}")
    # The outer run looks for what nobody raised; here that would collect the garbage five times.
    quick = ("-p", "no:cacheprovider", "-p", "no:unraisableexception")
    return pytester.runpytest_inprocess(*quick, "-q")


def test_a_good_adapter_passes(pytester: pytest.Pytester, recordings: Any) -> None:
    result = run(pytester, recordings, GOOD)
    result.assert_outcomes(passed=13, skipped=1)


@pytest.mark.parametrize("what", BAD)
def test_a_bad_adapter_is_found_out(pytester: pytest.Pytester, recordings: Any, what: str) -> None:
    good, bad, said = BAD[what]
    assert good in GOOD
    examples = MANY_EXAMPLES if "altered_recording" in said else EXAMPLES
    result = run(pytester, recordings, GOOD.replace(good, bad), examples)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert said in result.stdout.str()


def test_a_folder_without_recordings_is_said(pytester: pytest.Pytester, tmp_path: Any) -> None:
    result = run(pytester, tmp_path / "none", GOOD)
    assert "there is no .ansi file below" in result.stdout.str()


def test_a_socket_is_an_effect() -> None:
    from clawtap_core.testing.purity import effects

    with effects() as seen:
        socket.socket().close()
    assert seen
    socket.socket().close()
    assert len(seen) == 1
