"""clawtap doctor --live on the real CLIs: right on each version, and on one broken on purpose."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from clilab import altering_terminal
from clilab.install import install
from every_cli import VERSIONS

CLAWTAP = str(Path(sys.executable).with_name("clawtap"))
STEPS = ["permission allowed", "permission denied", "message", "question", "interrupt", "plan"]
WITHOUT_KEYS = "without keys"
NEWER = VERSIONS[::2]
# Those that no test breaks on purpose; a step that a CLI does not have is skipped.
OTHERS = [
    ("opencode", "1.18.33"),
    ("opencode", "1.17.19"),
    ("copilot", "1.0.102"),
    ("copilot", "1.0.64"),
    ("qwen", "0.24.4"),
    ("qwen", "0.15.10"),
    ("kimi", "2.1.0"),
    ("kimi", "0.30.0"),
]
LACKS = {"opencode": "plan"}
# Over ACP it begins no session without an account.
WANTS_AN_ACCOUNT = {("copilot", "1.0.64")}
WORDS = {
    "claude": {"shift+tab to approve": "press tab to approve"},
    "codex": {"Would you like to run the following command?": "Is this command all right?"},
    # Its prompts are known by their shape; without this mark no row is the chosen one.
    "gemini": {"●": "+"},
}
BOX = {
    "claude": {"Enter to select": "Press a key now"},
    "codex": {"›": ">"},
    "gemini": {"╭": "+", "│": "!", "╰": "+"},
}
# The CLI gets another key than the one that chooses: it then does what nobody answered.
KEYS = {"claude": {"1": "3"}, "codex": {"y": "\x1b"}, "gemini": {"\r": " "}}

# The step that has to fail at least: Claude's "3" allows this command for good.
FAILS = {
    "words": {"claude": "plan", "codex": "permission allowed", "gemini": "permission allowed"},
    "box": {"claude": "question", "codex": "permission allowed", "gemini": "permission allowed"},
    "keys": {"claude": "permission denied", "codex": "permission allowed", "gemini": ""},
}


def live(name: str, program: Path, folder: Path, *flags: str) -> dict:
    """The report on a program, made with enough time for a busy machine."""
    more = ("--program", str(program), "--screens", str(folder), "--timeout", "150", *flags)
    done = subprocess.run(
        (CLAWTAP, "doctor", "--live", name, *more, "--json"),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.stdout, done.stderr
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["ok"] else 1)
    return dict(report["clis"][0])


EVERY = [*VERSIONS, *OTHERS]


@pytest.mark.parametrize(("name", "version"), EVERY, ids=map("-".join, EVERY))
def test_every_step_succeeds_on_the_real_cli(name, version, tmp_path):
    report = live(name, install(name, version) / name, tmp_path)
    assert report["version"] == version
    assert [(step["step"], step["status"]) for step in report["steps"]] == [
        *((step, "skipped" if step == LACKS.get(name) else "ok") for step in STEPS),
        (WITHOUT_KEYS, "skipped" if (name, version) in WANTS_AN_ACCOUNT else "ok"),
    ], report["steps"]
    assert list(tmp_path.iterdir()) == []
    print(f"{name} {version}: {report['seconds']} s")


@pytest.mark.parametrize("changes", ["words", "box", "keys"])
@pytest.mark.parametrize(("name", "version"), NEWER, ids=map("-".join, NEWER))
def test_a_changed_cli_is_found_out_and_its_screen_is_saved(name, version, changes, tmp_path):
    wrapper = tmp_path / name
    program = install(name, version) / name
    if changes == "keys":
        altering_terminal.install(wrapper, program, keys=KEYS[name])
    else:
        table = WORDS if changes == "words" else BOX
        altering_terminal.install(wrapper, program, screen=table[name])
    screens = tmp_path / "screens"
    report = live(name, wrapper, screens)
    failed = [step for step in report["steps"] if step["status"] == "failed"]
    assert failed, report["steps"]
    assert FAILS[changes][name] in [*(step["step"] for step in failed), ""], failed
    print(f"{name} {version}, {changes}: {[(step['step'], step['detail']) for step in failed]}")
    for step in failed:
        recording = Path(step["recording"])
        assert recording.read_text(encoding="utf-8").strip()
        assert json.loads(recording.with_suffix(".json").read_text())["cli_version"] == version
