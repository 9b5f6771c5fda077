"""clawtap install and clawtap completion."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clawtap_core.cli import install


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What would be run; it ends with the status in `status`."""
    ran: list[list[str]] = []

    def run(command, **_):
        ran.append(command)
        return subprocess.CompletedProcess(command, 1 if "clawtap-missing" in command else 0)

    monkeypatch.setattr(install.subprocess, "run", run)
    return ran


@pytest.mark.parametrize(
    ("names", "packages"),
    [
        (["claude"], ["clawtap-claude"]),
        (["codex", "clawtap-gemini"], ["clawtap-codex", "clawtap-gemini"]),
        (["all"], ["clawtap[all]"]),
    ],
)
def test_plugins_go_into_the_python_that_clawtap_runs_in(run, commands, names, packages):
    done = run("install", *names)
    assert done.exit_code == 0, done.output
    assert commands == [[sys.executable, "-m", "pip", "install", *packages]]
    assert "restart a running server" in done.stdout


def test_the_folder_it_is_started_in_cannot_put_a_program_in_pips_place(run, monkeypatch, tmp_path):
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)
    # Nothing is fetched: the index is a folder without packages.
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    run("install", "nothing-of-this-name")
    assert not (tmp_path / "ran").exists()


def test_environments_of_uv_have_no_pip(run, commands, monkeypatch):
    monkeypatch.setattr(install, "find_spec", lambda _: None)
    monkeypatch.setattr(install.shutil, "which", {"uv": "/opt/uv"}.get)
    assert run("install", "--upgrade", "claude").exit_code == 0
    into = ["/opt/uv", "pip", "install", "--python", sys.executable]
    assert commands == [[*into, "--upgrade", "clawtap-claude"]]


def test_without_pip_and_uv_it_says_what_is_missing(run, commands, monkeypatch):
    monkeypatch.setattr(install, "find_spec", lambda _: None)
    monkeypatch.setattr(install.shutil, "which", lambda _: None)
    done = run("install", "claude")
    assert done.exit_code == 1
    assert "neither pip nor uv was found" in done.stderr
    assert not commands


def test_a_package_that_cannot_be_installed_is_an_error(run, commands):
    done = run("install", "missing")
    assert done.exit_code == 1
    assert "clawtap-missing could not be installed" in done.stderr


@pytest.mark.parametrize("name", ["--index-url=http://x", "../here", "a b", "git+https://x/y", ""])
def test_a_bad_name_never_reaches_pip(run, commands, name):
    done = run("install", "--", name)
    assert done.exit_code == 2
    assert "is not the name of a package" in done.stderr
    assert not commands


@pytest.mark.process
def test_bash_completes_commands():
    env = {**os.environ, "_CLAWTAP_COMPLETE": "bash_complete", "COMP_WORDS": "clawtap ap"}
    command = Path(sys.executable).parent / "clawtap"
    done = subprocess.run([command], env={**env, "COMP_CWORD": "1"}, capture_output=True, text=True)
    assert done.stdout == "plain,approve\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_own_lines(run, shell):
    done = run("completion", shell)
    assert done.exit_code == 0
    assert f"_CLAWTAP_COMPLETE={shell}_complete" in done.stdout


def test_the_users_shell_is_the_default(run, monkeypatch):
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert "zsh_complete" in run("completion").stdout
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = run("completion")
    assert done.exit_code == 2
    assert "name your shell: bash, zsh, fish" in done.stderr
