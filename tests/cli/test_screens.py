"""detect, steps, record: without a server."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from patience import until

from clawtap_core.cli import record
from clawtap_core.cli.app import cli

PROMPT = """\
 ◆ I run it.

╭─ Command ────────────────────╮
│ Run this command?            │
│                              │
│ $ make test                  │
├──────────────────────────────┤
│ ❯ Yes, run it (y)            │
│   No, don't run it (esc)     │
╰──────────────────────────────╯
 ↑↓ move · enter choose · esc
"""


def clawtap(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    file = tmp_path / "ask.ansi"
    file.write_text(PROMPT)
    return file


def test_a_screen_from_stdin_is_read_as_one_line(captured: Path) -> None:
    result = clawtap("detect", "--adapter", "demo", stdin=PROMPT)
    assert result.exit_code == 0
    (line,) = result.output.splitlines()
    found = json.loads(line)
    assert (found["file"], found["state"]) == ("-", "waiting")
    assert found["prompt"]["type"] == "permission"
    assert found["prompt"]["toolInput"] == {"command": "make test"}
    assert [option["effect"] for option in found["prompt"]["options"]] == ["allow_once", "deny"]


def test_each_file_gives_a_line_and_nothing_is_null(captured: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("$ ls\nnothing here\n")
    result = clawtap("detect", "--adapter", "demo", str(captured), str(empty))
    first, second = map(json.loads, result.output.splitlines())
    assert first["file"] == str(captured)
    assert second == {"file": str(empty), "prompt": None, "state": None}


def test_facts_are_read_from_the_file_beside(captured: Path) -> None:
    from clawtap_core.cli.screens import read_screen

    facts = {"cols": 50, "rows": 20, "cursor": [3, 4], "pane_title": "T", "alternate_screen": True}
    captured.with_suffix(".json").write_text(json.dumps({**facts, "cursor_visible": False}))
    screen = read_screen(str(captured), None, None)
    assert (screen.cols, screen.rows, screen.cursor, screen.title) == (50, 20, (3, 4), "T")
    assert (screen.cursor_visible, screen.alternate) == (False, True)
    screen = read_screen(str(captured), 40, "U")
    assert (screen.cols, screen.title) == (40, "U")


def test_what_each_row_is_read_as_can_be_shown(captured: Path, tmp_path: Path) -> None:
    lines = clawtap("detect", "--adapter", "demo", "--explain", str(captured)).output.splitlines()
    assert lines[0] == f"{captured}: permission 'Run this command?', state waiting"
    assert lines[4] == "   4  title             │ │ Run this command?            │"
    assert lines[-1] == "  state: waiting, no composer"
    other = tmp_path / "other.txt"
    other.write_text("Which?\n❯ 1. Red\n  2. Blue\n")
    lines = clawtap("detect", "--adapter", "demo", "--explain", str(other)).output.splitlines()
    assert lines[0] == f"{other}: no prompt, state unknown"
    assert "  no prompt: rows 2 to 3 look like options; the cursor is on row 2" in lines


@pytest.mark.parametrize("beside", ["{", "[1]"])
def test_a_damaged_file_next_to_a_recording_is_reported_or_ignored(
    captured: Path, beside: str
) -> None:
    captured.with_suffix(".json").write_text(beside)
    result = clawtap("detect", "--adapter", "demo", str(captured))
    assert result.exit_code == (1 if beside == "{" else 0)
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "beside", ['{"cursor": 5}', '{"cursor": [1]}', '{"cursor": ["a", 1]}', '{"cols": "wide"}']
)
def test_facts_of_a_wrong_type_are_refused_in_one_line(captured: Path, beside: str) -> None:
    captured.with_suffix(".json").write_text(beside)
    result = clawtap("detect", "--adapter", "demo", str(captured))
    assert result.exit_code == 1
    assert "is not valid: cols and rows are numbers" in result.output
    assert result.stdout == ""


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(bytes(range(256)) * 4)
    assert json.loads(clawtap("detect", "--adapter", "demo", str(junk)).output)["prompt"] is None


def test_unknown_adapters_and_files_are_named(captured: Path) -> None:
    result = clawtap("detect", "--adapter", "nope", str(captured))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no such adapter: 'nope'" in result.stderr
    result = clawtap("detect", "--adapter", "demo", "nowhere.ansi")
    assert result.stderr == (
        "error: nowhere.ansi cannot be read: No such file or directory (no_file)\n"
    )


def test_the_first_steps_of_an_answer_are_shown(captured: Path) -> None:
    result = clawtap("steps", "--adapter", "demo", "--option", "No, don't run it", str(captured))
    reply = json.loads(result.output)
    assert reply["steps"] == [{"press": "Down"}, {"expect": "❯No, don't run it (esc)"}]
    assert reply["done"] is False
    reply = json.loads(
        clawtap("steps", "--adapter", "demo", "--option", "yes-run-it", str(captured)).output
    )
    assert reply["done"] is True
    assert reply["steps"] == [{"press": "Enter", "deciding": True}]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(("--option", "Maybe"), 1), (("--text", "words"), 1), ((), 2)],
)
def test_what_cannot_be_answered_is_said(
    captured: Path, arguments: tuple[str, ...], status: int
) -> None:
    result = clawtap("steps", "--adapter", "demo", *arguments, str(captured))
    assert result.exit_code == status
    assert result.stdout == ""


@pytest.mark.tmux
def test_a_pane_is_recorded_with_its_facts(tmux_socket: str, tmp_path: Path) -> None:
    script = "printf '\\033[31mred\\033[0m\\n\\033]2;the title\\007'; exec sleep 60"
    own = ["tmux", "-L", tmux_socket, "-f", "/dev/null"]
    new = [*own, "new-session", "-d", "-x", "50", "-y", "12", "-P", "-F", "#{pane_id}", script]
    pane = subprocess.run(new, check=True, capture_output=True, text=True).stdout.strip()
    until(lambda: "red" in _capture(own, pane))
    result = clawtap("record", pane, "--socket", tmux_socket, "-o", str(tmp_path / "sub"))
    file = tmp_path / "sub" / "pane-0.ansi"
    assert (result.exit_code, result.output) == (0, f"{file}\n")
    assert file.read_text().startswith("\x1b[31mred")
    facts = json.loads(file.with_suffix(".json").read_text())
    assert facts == {
        "cols": 50,
        "rows": 12,
        "cursor": [0, 1],
        "cursor_visible": True,
        "alternate_screen": False,
        "pane_title": "the title",
    }
    assert clawtap("record", "%99", "--socket", tmux_socket).exit_code == 1


def test_what_is_read_can_be_accepted_as_the_truth(captured: Path) -> None:
    sidecar = captured.with_suffix(".json")
    before = {"cols": 40, "rows": 20, "scenario": "mine", "title": "Run it?", "command": "make"}
    sidecar.write_text(json.dumps(before))
    result = clawtap("record", "--accept", "--adapter", "demo", str(captured))
    assert result.exit_code == 0
    assert "  title: Run this command?  (before: Run it?)\n" in result.output
    assert "  options: Yes, run it | No, don't run it\n" in result.output
    assert result.output.splitlines()[-1].startswith("compare it with the screen and correct it")
    truth = json.loads(sidecar.read_text())
    assert truth == {
        "cols": 40,
        "rows": 20,
        "scenario": "mine",
        "is_prompt": True,
        "kind": "permission",
        "title": "Run this command?",
        "description": "make test",
        "options": [
            {"index": 1, "label": "Yes, run it"},
            {"index": 2, "label": "No, don't run it"},
        ],
        "selected_index": 1,
        "text_input": False,
        "multi_select": False,
        "state": "waiting",
    }


def test_a_screen_without_a_prompt_is_accepted_as_such(tmp_path: Path) -> None:
    file = tmp_path / "quiet.ansi"
    file.write_text("nothing\n")
    result = clawtap("record", "--accept", "--adapter", "demo", str(file))
    assert json.loads(file.with_suffix(".json").read_text()) == {"is_prompt": False}
    assert "if the screen asks something, see clawtap detect --explain" in result.output


def test_several_recordings_are_accepted_at_once(captured: Path, tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.ansi"
    quiet.write_text("nothing\n")
    result = clawtap("record", "--accept", "--adapter", "demo", str(captured), str(quiet))
    read = [json.loads(f.with_suffix(".json").read_text())["is_prompt"] for f in (captured, quiet)]
    assert (result.exit_code, read) == (0, [True, False])
    assert result.output.count("compare it with the screen") == 1


def test_options_that_no_prompt_was_read_of_are_not_accepted_in_silence(tmp_path: Path) -> None:
    file = tmp_path / "asks.ansi"
    file.write_text("Which?\n  1. Red\n\x1b[7m  2. Green\x1b[0m\n  3. Blue\n")
    result = clawtap("record", "--accept", "--adapter", "demo", str(file))
    assert "warning: no prompt was read, though rows 2 to 4 look like options" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("%1", "--accept"),
        ("%1", "--adapter", "demo"),
        ("allow.ansi",),
        ("%1", "%2"),
        ("%1", "allow.ansi", "--accept", "--adapter", "demo"),
    ],
)
def test_accepting_needs_an_adapter_and_recording_one_pane(arguments: tuple[str, ...]) -> None:
    assert clawtap("record", *arguments).exit_code == 2


@pytest.mark.tmux
def test_a_recording_without_a_tmux_server_says_so(tmux_socket: str) -> None:
    result = clawtap("record", "foo", "--tmux-socket", tmux_socket)
    assert result.exit_code == 1
    assert "name another one with --tmux-socket (tmux_gone)" in result.output


def _capture(own: list[str], pane: str) -> str:
    done = subprocess.run(
        [*own, "capture-pane", "-p", "-t", pane], check=True, capture_output=True, text=True
    )
    return done.stdout


def test_a_title_with_tabs_stays_whole() -> None:
    assert record.pane_facts("80\t24\t[1,2]\t0\t1\ta\tb\n")["pane_title"] == "a\tb"


def test_the_name_of_the_machine_is_not_recorded():
    title = socket.gethostname()
    assert "pane_title" not in record.pane_facts(f"80\t24\t[1,2]\t0\t1\t{title}\n")


def test_a_recordings_name_stays_in_its_folder(tmp_path: Path) -> None:
    assert clawtap("record", "%0", "-o", str(tmp_path), "--name", "../x").exit_code == 2
