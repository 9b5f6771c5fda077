"""A user's file adds to what an adapter knows of its CLI's words; a wrong one is left out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.words import MOST_BYTES, USER_WORDS, Words, load_words

TABLE = r"""
[patterns.state]
working = 'Working \((?P<time>\d+)s\)'
goodbye = ["Bye", "See you"]
[texts.composer]
placeholders = ["Ask anything"]
[timings.keys]
settled = 0.2
"""
RECORDINGS = Path(__file__).parents[2] / "plugins/clawtap-codex/tests/recordings"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads the table of a small package with what a user wrote."""
    package = tmp_path / "toywords"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "words.toml").write_text(TABLE)
    (tmp_path / "adapters").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(text: str | None = None) -> Words:
        if text is not None:
            (tmp_path / "adapters" / "toy.toml").write_text(text)
        return load_words("toywords", "toy", tmp_path)

    yield load
    USER_WORDS.pop("toywords", None)
    sys.modules.pop("toywords", None)


def errors() -> tuple[str, ...]:
    return USER_WORDS["toywords"].errors


def test_an_adapter_reads_its_own_table(load: Any) -> None:
    words = load()
    assert words.pattern("state.working").fullmatch("Working (3s)")["time"] == "3"
    assert words.pattern("state.goodbye").search("See you later")
    assert words.texts("composer.placeholders") == ("Ask anything",)
    assert words.seconds("keys.settled") == 0.2
    assert "toywords" not in USER_WORDS


def test_a_user_adds_patterns_and_words_and_sets_timings(load: Any) -> None:
    words = load(
        "[patterns.state]\nworking = 'Busy for (?P<time>.+)'\n"
        "[texts.composer]\nplaceholders = ['Say it']\n[timings.keys]\nsettled = 1\n"
    )
    working = words.pattern("state.working")
    assert working.match("Working (3s)")
    assert working.fullmatch("Busy for 3")["time"] == "3"
    assert working.search("now Busy for 3")
    assert not working.fullmatch("idle")
    assert words.texts("composer.placeholders") == ("Ask anything", "Say it")
    assert words.seconds("keys.settled") == 1
    assert USER_WORDS["toywords"].rules == (
        "patterns.state.working",
        "texts.composer.placeholders",
        "timings.keys.settled",
    )
    assert errors() == ()


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ("[patterns.state]\nworkin = 'x'", "patterns.state.workin is not in this adapter's table"),
        ("[patterns.state]\nworking = '('", "patterns.state.working is not a regular expression"),
        ("[patterns.state]\nworking = 'Busy'", "lacks the group (?P<time>…)"),
        ("[patterns.state]\ngoodbye = '.*'", "would match an empty row"),
        ("[patterns.state]\ngoodbye = ''", "must be a text, or a list of texts"),
        ("[patterns.state]\ngoodbye = [1]", "must be a text, or a list of texts"),
        ("[patterns.state]\ngoodbye = []", "must be a text, or a list of texts"),
        ("[texts.composer]\nplaceholders = true", "must be a text, or a list of texts"),
        ("[timings.keys]\nsettled = 'soon'", "must be a number of seconds from 0 to 10"),
        ("[timings.keys]\nsettled = nan", "must be a number of seconds from 0 to 10"),
        ("[timings.keys]\nsettled = 3600", "must be a number of seconds from 0 to 10"),
        ("patterns = 3", "patterns is not in this adapter's table"),
    ],
)
def test_a_wrong_rule_is_left_out_with_its_reason(load: Any, rule: str, complaint: str) -> None:
    words = load(rule)
    (error,) = errors()
    assert complaint in error
    assert words.pattern("state.working").fullmatch("Working (3s)")
    assert words.seconds("keys.settled") == 0.2
    assert USER_WORDS["toywords"].rules == ()


def test_a_wrong_rule_does_not_take_the_right_ones_along(load: Any) -> None:
    words = load("[patterns.state]\nworking = '('\ngoodbye = 'Ciao'\n")
    assert words.pattern("state.goodbye").fullmatch("Ciao")
    assert len(errors()) == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[patterns", "it was not read: "),
        ("x" * (MOST_BYTES + 1), "it was not read: it is larger than"),
        ("\n".join(f"a{number} = 1" for number in range(300)), "it has more than 200 rules"),
        (f"a = {'[' * 50_000}", "it was not read: it is nested too deeply"),
        (f"{'a.' * 2_000}a = 1", "it was not read: it is nested too deeply"),
    ],
)
def test_a_file_that_is_no_table_is_left_out(load: Any, text: str, complaint: str) -> None:
    assert load(text).pattern("state.goodbye").search("Bye")
    assert errors()[0].startswith(complaint)


def test_a_folder_that_cannot_be_opened_stops_no_adapter(tmp_path: Path) -> None:
    words = load_words("clawtap_codex", "codex", tmp_path / ("x" * 300))
    assert words.seconds("keys.after_text") > 0
    assert USER_WORDS.pop("clawtap_codex").errors[0].startswith("it was not read: ")


def test_a_pipe_in_place_of_the_file_keeps_nobody_waiting(load: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "adapters" / "toy.toml")
    assert load().pattern("state.goodbye").search("Bye")
    assert "it is no regular file" in errors()[0]


def clawtap(home: Path, *arguments: str) -> str:
    env = {**os.environ, "CLAWTAP_CONFIG": str(home / "config.toml")}
    done = subprocess.run(
        [sys.executable, "-m", "clawtap_core.cli", *arguments],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.process
def test_a_cli_that_changed_its_words_overnight_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "config.toml").touch()
    screen = (RECORDINGS / "0.169.0" / "exec_long-120x40.ansi").read_text()
    changed = tmp_path / "changed.ansi"
    changed.write_text(screen.replace("to confirm", "to approve").replace("to cancel", "to leave"))
    detect = ("detect", "--adapter", "codex", str(changed))
    assert json.loads(clawtap(tmp_path, *detect))["prompt"] is None
    folder = tmp_path / "adapters"
    folder.mkdir()
    rule = "[patterns.block]\napproval_footer = 'Press.{1,14}?toapproveor.{1,14}?toleave'\n"
    (folder / "codex.toml").write_text(f"{rule}[timings.keys]\nafter_text = 99\n")
    (folder / "codx.toml").touch()
    assert json.loads(clawtap(tmp_path, *detect))["prompt"]["type"] == "permission"
    lines = clawtap(tmp_path, "plugins").splitlines()
    assert "codex: your rules: patterns.block.approval_footer" in lines
    (left_out,) = (line for line in lines if "left out" in line)
    assert "timings.keys.after_text must be" in left_out
    assert f"{folder / 'codx.toml'}: no installed adapter reads this file" in lines
    plugins = json.loads(clawtap(tmp_path, "plugins", "--json"))
    (codex,) = (plugin for plugin in plugins if plugin["name"] == "codex")
    assert codex["userRules"] == ["patterns.block.approval_footer"]
    assert codex["userErrors"][0].endswith("must be a number of seconds from 0 to 10")
