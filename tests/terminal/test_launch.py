"""Starting programs in panes, listing and claiming panes."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from clawtap_core.errors import BadRequest, Impossible, NotFound
from clawtap_core.terminal import launch
from clawtap_core.terminal.tmux import TmuxTerminal
from clawtap_core.terminal.version import installed_version, parse_version

pytestmark = pytest.mark.tmux
TELL = (
    "import json,os,sys; file=sys.argv[1];"
    "open(file+'~','w').write(json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ),"
    " list(os.get_terminal_size())])); os.rename(file+'~', file); input()"
)


@pytest.fixture
def launched(terminal, environment, tmp_path):
    """Launch a program that tells how it was started."""

    def run(*arguments, cwd=None, env=None, **size):
        file = tmp_path / "launched.json"
        file.unlink(missing_ok=True)
        facts = terminal.launch(
            [sys.executable, "-c", TELL, str(file), *arguments],
            owner="s1",
            name="launched",
            cwd=str(cwd or tmp_path),
            env=env or environment,
            cols=size.get("cols", 100),
            rows=size.get("rows", 30),
        )
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return facts, *json.loads(file.read_text())

    return run


def test_arguments_folder_and_size_are_as_asked(launched, tmp_path):
    arguments = ["a b", "$HOME", ";", "'q'", '"', "#{pid}", "", "x\ny", "é", "-d", "~"]
    facts, argv, cwd, _, size = launched(*arguments, cols=101, rows=33)
    assert argv == arguments
    assert (cwd, size) == (str(tmp_path), [101, 33])
    assert (facts.cols, facts.rows, facts.cwd) == (101, 33, str(tmp_path))
    assert (facts.owner, facts.tmux_session, facts.dead) == ("s1", "launched", False)


def test_the_whole_environment_is_handed_on_however_large(launched, environment):
    extra = {f"LARGE_{number}": "x\n\"'$;é" * 400 for number in range(100)}
    odd = {"BASH_FUNC_f%%": "() {\n echo hi; }", "EMPTY": "", "TILDE": "~"}
    env = {**environment, **extra, **odd, "TMUX": "/x,1,1", "COLUMNS": "7", "TERM": "odd"}
    _, _, cwd, got, _ = launched(env=env)
    assert {name: got.get(name) for name in {**extra, **odd}} == {**extra, **odd}
    assert got["TMUX"] != "/x,1,1"
    assert "COLUMNS" not in got
    assert got["TERM"] != "odd"
    assert got["PWD"] == cwd


@pytest.mark.parametrize(
    ("set_by_user", "colours"),
    [
        ({}, "truecolor"),
        ({"COLORTERM": "24bit"}, "24bit"),
        ({"NO_COLOR": "1"}, None),
    ],
    ids=["unset", "set", "no-color"],
)
def test_programs_know_the_colours_that_tmux_takes(launched, environment, set_by_user, colours):
    if set_by_user and (parse_version(installed_version()) or (9, 9)) >= (3, 6):
        pytest.skip("tmux 3.6 sets COLORTERM by itself")
    env = {name: value for name, value in environment.items() if name != "COLORTERM"}
    _, _, _, got, _ = launched(env={**env, **set_by_user})
    assert got.get("COLORTERM") == colours


@pytest.mark.parametrize(
    "name", ["a b", "#(touch x)", "#{pid}", "#S", "##", "#[fg=red]", "##[x]", "a\nb", "é;", "%H"]
)
def test_a_folder_may_have_any_name(launched, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    facts, _, cwd, _, _ = launched(cwd=folder)
    assert cwd == facts.cwd == str(folder)
    assert not (folder / "x").exists()


def test_a_missing_folder_is_said_and_nothing_is_started(terminal, desk, environment, tmp_path):
    with pytest.raises(BadRequest, match="no such folder") as caught:
        terminal.launch(
            ["cat"],
            owner="s",
            name="n",
            cwd=str(tmp_path / "no"),
            env=environment,
            cols=80,
            rows=24,
        )
    assert caught.value.code == "no_such_folder"
    assert desk("-N", "list-sessions", check=False) == ""


def test_a_program_that_is_not_on_that_path_is_said(terminal, desk, environment, tmp_path):
    with pytest.raises(Impossible, match="'cat' was not found") as caught:
        terminal.launch(
            ["cat"],
            owner="s",
            name="n",
            cwd=str(tmp_path),
            env={**environment, "PATH": str(tmp_path)},
            cols=80,
            rows=24,
        )
    assert caught.value.code == "cli_not_installed"
    assert desk("-N", "list-sessions", check=False) == ""


def test_session_names_are_safe_and_unique(terminal, start, environment, tmp_path):
    names = [
        terminal.launch(
            ["cat"],
            owner="s",
            name=name,
            cwd=str(tmp_path),
            env=environment,
            cols=80,
            rows=24,
        ).tmux_session
        for name in ("my app: v1.2", "my app: v1.2", "my/app v1.2", "...", "x" * 99)
    ]
    assert names == ["my-app-v1-2", "my-app-v1-2-2", "my-app-v1-2-3", "session", "x" * 40]


def test_a_single_word_is_a_program_not_a_shell_line(launched, start, terminal, tmp_path):
    script = tmp_path / "a$(touch pwned)b"
    script.write_text("#!/bin/sh\nexec cat\n")
    script.chmod(0o755)
    name = start(str(script))
    assert [pane.id for pane in terminal.panes() if not pane.dead] == [name]
    assert not (tmp_path / "pwned").exists()


def test_panes_are_listed_without_our_helpers(terminal, desk, start):
    assert terminal.panes() == ()
    mine, theirs = start("cat"), desk.new("sleep", "100")
    deadline = time.monotonic() + 60
    listed = {pane.id: pane for pane in terminal.panes()}
    # tmux forks before it starts the program: until then its own command line is listed.
    while listed[theirs].argv != ("sleep", "100") or listed[theirs].command != "sleep":
        assert time.monotonic() < deadline, listed[theirs]
        time.sleep(0.01)
        listed = {pane.id: pane for pane in terminal.panes()}
    assert set(listed) == {mine, theirs}
    assert (listed[mine].owner, listed[theirs].owner) == ("s1", None)
    assert listed[theirs].argv == ("sleep", "100")
    assert listed[theirs].command == "sleep"
    assert listed[theirs].tty.startswith("/dev/")


def test_listing_starts_no_server(terminal, desk):
    assert terminal.panes() == ()
    assert desk("-N", "list-sessions", check=False) == ""
    with pytest.raises(Exception, match="cannot be reached"):
        terminal.claim("%1", "s")


def test_a_claim_is_found_by_the_next_process_until_it_is_freed(terminal, desk, environment):
    name = desk.new("sleep", "100")
    terminal.claim(name, "s7")
    later = TmuxTerminal(desk.socket, environment=environment)
    assert [pane.owner for pane in later.panes()] == ["s7"]
    later.claim(name, None)
    later.close()
    assert [pane.owner for pane in terminal.panes()] == [None]
    assert "clawtap" not in desk("show-options", "-p", "-t", name)
    with pytest.raises(NotFound):
        terminal.claim("%99", "s7")


def test_a_server_we_start_inherits_none_of_our_settings(terminal, desk, start, environment):
    secret = TmuxTerminal(desk.socket, environment={**environment, "CLAWTAP_TOKEN": "t", "A1": "b"})
    secret.launch(
        ["cat"], owner="s", name="n", cwd="/", env={"PATH": os.environ["PATH"]}, cols=80, rows=24
    )
    server = Path("/proc") / desk("display-message", "-p", "#{pid}") / "environ"
    assert b"CLAWTAP_TOKEN" not in server.read_bytes()
    assert "CLAWTAP_TOKEN" not in desk("show-environment", "-g")
    assert "A1=b" in desk("show-environment", "-g")
    secret.close()


CONFIG = """
set -g base-index 1
set -g pane-base-index 1
set -g default-shell /bin/false
set -g default-command "echo no; false"
set -g destroy-unattached on
set -g detach-on-destroy off
set -g status off
set -g default-terminal screen-256color
set -g exit-empty on
set -g aggressive-resize on
set -g window-size smallest
set -g default-size 33x7
set -g automatic-rename off
set -g remain-on-exit off
set -g update-environment "PATH HOME"
"""


def test_the_users_configuration_does_no_harm(desk, environment, launched, terminal, tmp_path):
    (tmp_path / ".tmux.conf").write_text(CONFIG)
    facts, _, _, got, size = launched(env={**environment, "MARK": "1"}, cols=90, rows=20)
    assert desk("show-options", "-gv", "default-size") == "33x7"
    assert (size, got["MARK"]) == ([90, 20], "1")
    assert [pane.id for pane in terminal.panes()] == [facts.id]


def test_launched_programs_outlive_us(desk, environment, start, terminal):
    later = TmuxTerminal(desk.socket, environment=environment)
    name = start("cat")
    later.panes()
    terminal.close()
    later.close()
    assert desk.ask(name, "pane_dead") == "0"
    assert "keeper" not in desk("list-sessions", "-F", "#{session_name}")


def test_kill_ends_what_runs_in_the_pane_also_when_it_will_not(terminal, desk, start):
    name = start("sh", "-c", "trap '' HUP TERM; while :; do sleep 100; done")
    pid = int(desk.ask(name, "pane_pid"))
    terminal.kill(name)
    ended(pid)
    with pytest.raises(NotFound):
        terminal.kill(name)


def ended(pid):
    status, deadline = Path(f"/proc/{pid}/status"), time.monotonic() + 60
    # It may end between two looks at it.
    with suppress(FileNotFoundError, ProcessLookupError):
        while "(zombie)" not in status.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_names_to_try_never_end_too_soon():
    names = launch.safe_names("a:b")
    assert [next(names) for _ in range(3)] == ["a-b", "a-b-2", "a-b-3"]
