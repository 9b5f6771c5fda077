"""Whether the CLI is in front: suspended, ended to a shell, helped by other processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest
from patience import until

from clawtap_core.errors import Conflict
from clawtap_core.system import processes
from clawtap_core.terminal import foreground

pytestmark = pytest.mark.tmux
CLI = "cat"


@pytest.fixture
def shell(desk, tmp_path):
    """An interactive shell that a user started by hand."""
    return desk.new("env", "PS1=desk> ", "HISTFILE=", "bash", "--norc", "--noprofile")


@pytest.fixture
def adopted(terminal, desk, shell, seen):
    """A CLI that the user started in that shell, claimed and watched."""

    def adopt(command=CLI, program=CLI):
        until(lambda: "desk>" in desk("capture-pane", "-p", "-t", shell))
        desk("send-keys", "-t", shell, command, "Enter")
        until(lambda: desk.ask(shell, "pane_current_command") == program)
        terminal.claim(shell, "s1")
        return terminal.watch(shell, seen)

    return adopt


def test_a_cli_that_is_suspended_is_not_in_front_but_not_gone(adopted, desk, shell, seen):
    pane = adopted()
    assert pane.runs_cli()
    desk("send-keys", "-t", shell, "C-z")
    seen.shows("Stopped")
    until(lambda: not pane.runs_cli())
    desk("send-keys", "-t", shell, "fg", "Enter")
    until(pane.runs_cli)
    assert seen.ended is None


def test_a_cli_that_exits_to_its_shell_is_gone(adopted, desk, shell, seen):
    pane = adopted()
    desk("send-keys", "-t", shell, "C-d")
    assert seen.end() == "ended"
    assert not pane.runs_cli()
    assert desk.ask(shell, "pane_dead") == "0"


@pytest.mark.parametrize(
    "type_into",
    [
        lambda pane: pane.press("y"),
        lambda pane: pane.type("yes"),
        lambda pane: pane.paste("yes"),
        lambda pane: pane.press_alone("y", pane.desk_keys, ""),
    ],
    ids=["key", "text", "paste", "alone"],
)
def test_the_shell_gets_no_key_when_its_cli_ends_right_before(adopted, desk, shell, type_into):
    pane = adopted()
    run = pane._input._run

    def end_first(*commands):
        os.kill(pane.group, signal.SIGKILL)
        until(lambda: desk.ask(shell, "pane_current_command") == "bash")
        run(*commands)

    pane._input._run = end_first
    with pytest.raises(Conflict, match="another program"):
        type_into(pane)
    until(lambda: desk("capture-pane", "-p", "-t", shell).count("desk>") == 2)
    desk("send-keys", "-t", shell, "-l", "nothing before this")
    until(lambda: desk("capture-pane", "-p", "-t", shell).endswith("desk> nothing before this"))


@pytest.mark.skipif(not processes.has_proc(), reason="no /proc here")
@pytest.mark.parametrize("collects", ["", "cli.wait()"], ids=["not collected", "collected"])
def test_the_shell_gets_no_key_when_a_wrapped_cli_ends_first(
    terminal, desk, shell, seen, tmp_path, collects
):
    """`npx` and scripts outlive the CLI that they run for a moment."""
    over, script = tmp_path / "over", tmp_path / "wrapper.py"
    os.mkfifo(over)
    runs = f"import subprocess; cli = subprocess.Popen(['{CLI}']); {collects}"
    script.write_text(f"{runs}\nopen('{over}').read()\n")
    until(lambda: "desk>" in desk("capture-pane", "-p", "-t", shell))
    desk("send-keys", "-t", shell, f"{sys.executable} -S {script}", "Enter")
    pid = int(desk.ask(shell, "pane_pid"))
    until(lambda: foreground.wrapped_argvs(pid) == [(CLI,)])
    terminal.claim(shell, "s1")
    pane = terminal.watch(shell, seen)
    pane.press("x")
    (cli,) = processes.run_by(pane.group)
    os.kill(cli, signal.SIGKILL)
    until(lambda: not processes.run_by(pane.group))
    for _ in range(2):
        with pytest.raises(Conflict, match="another program"):
            pane.press("y")
    over.write_text("")
    until(lambda: desk("capture-pane", "-p", "-t", shell).count("desk>") == 2)
    desk("send-keys", "-t", shell, "-l", "before this")
    until(lambda: "before this" in desk("capture-pane", "-p", "-t", shell))
    assert "ybefore" not in desk("capture-pane", "-p", "-t", shell)


def test_a_cli_that_is_killed_is_gone_at_once(adopted, desk, shell, seen, terminal):
    adopted()
    (facts,) = terminal.panes()
    assert facts.argv == ("cat",)
    os.kill(foreground.foreground_group(facts.pid), 9)
    assert seen.end() == "ended"


def test_a_cli_whose_helper_lives_on_is_gone_when_the_shell_is_back(adopted, desk, shell, seen):
    pane = adopted("sh -c 'sleep 7 & exec cat'")
    assert pane.runs_cli()
    desk("send-keys", "-t", shell, "C-d")
    assert seen.end() == "ended"


def test_a_restart_binds_the_cli_that_was_claimed(adopted, desk, shell, seen, terminal, another):
    pane = adopted()
    desk("send-keys", "-t", shell, "C-z")
    until(lambda: not pane.runs_cli())
    pane.close()
    again = terminal.watch(shell, another())
    assert not again.runs_cli()
    desk("send-keys", "-t", shell, "fg", "Enter")
    until(again.runs_cli)


def test_without_a_claim_what_is_in_front_is_bound(terminal, shell, seen, desk):
    until(lambda: "desk>" in desk("capture-pane", "-p", "-t", shell))
    assert terminal.watch(shell, seen).runs_cli()


@pytest.mark.skipif(not processes.has_proc(), reason="no /proc here")
@pytest.mark.parametrize(
    ("script", "wrapped"),
    [("sleep 100; true", [("sleep", "100")]), ("sleep 100 & sleep 200; true", [])],
    ids=["one", "two"],
)
def test_the_one_program_that_another_runs_is_known(desk, tmp_path, script, wrapped):
    """`npx` stays in front of the CLI that it runs."""
    file = tmp_path / "wrapper"
    file.write_text(script)
    leader = int(desk.ask(desk.new("bash", str(file)), "pane_pid"))
    until(lambda: len(processes.group_members(leader)) == script.count("sleep") + 1)
    until(lambda: foreground.wrapped_argvs(leader) == wrapped)
    assert foreground.foreground_argv(leader)[0] == "bash"


def test_a_process_that_does_not_lead_its_group_yet_is_not_gone():
    """A pane's program between tmux's fork and its setsid."""
    with subprocess.Popen(["sleep", "60"]) as forked:
        assert os.getpgid(forked.pid) != forked.pid
        assert not foreground.group_ended(forked.pid, forked.pid)
        forked.kill()
        forked.wait()
        assert foreground.group_ended(forked.pid, forked.pid)


def test_processes_without_a_terminal_have_no_foreground():
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as child:
        assert foreground.foreground_group(child.pid) is None
        assert foreground.foreground_argv(child.pid) == ()
        assert foreground.group_lives(child.pid)
        foreground.end_group(child.pid, patience=0)
    assert foreground.foreground_group(child.pid) is None
    assert not foreground.group_lives(child.pid)
    assert foreground.group_ended(child.pid, child.pid)


@pytest.mark.skipif(not shutil.which("ps"), reason="no ps here")
def test_where_there_is_no_proc_ps_is_asked(desk, monkeypatch, tmp_path):
    name = desk.new("sleep", "100")
    until(lambda: desk.ask(name, "pane_current_command") == "sleep")
    pid = int(desk.ask(name, "pane_pid"))
    monkeypatch.setattr(processes, "_PROC", tmp_path)
    assert foreground.foreground_group(pid) == pid
    assert foreground.foreground_argv(pid) == ("sleep", "100")
    assert foreground.foreground_group(2**22 + 1) is None


def test_a_terminal_says_whether_its_program_takes_keys(adopted, desk, shell):
    pane = adopted()
    assert not pane.takes_keys()
    desk("send-keys", "-t", shell, "C-c")
    desk("send-keys", "-t", shell, "stty -icanon; cat", "Enter")
    until(pane.takes_keys)


def test_a_cli_that_waits_to_be_continued_is(terminal, desk, seen):
    waits = "trap 'echo it continues' CONT; echo it waits; while :; do sleep 0.1; done"
    pane_id = desk.new("bash", "-c", waits)
    terminal.claim(pane_id, "s1")
    pane = terminal.watch(pane_id, seen)
    seen.shows("it waits")
    pane.resume()
    seen.shows("it continues")
