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
    """What would be run, with the line of its constraints; `clawtap-missing` cannot be had."""
    ran: list[list[str]] = []
    there = {"clawtap": "0.1.0", "clawtap-demo": "0.1.0"}

    def run(command, **_):
        *words, option, constraints = command
        assert option == "--constraint"
        ran.append([*words, Path(constraints).read_text()])
        missing = "clawtap-missing" in command
        if not missing:
            there.update({word: "2.0" for word in words if word.startswith("clawtap-")} | there)
        output = "Requirement already satisfied: click\nThe conflict is this\n"
        return subprocess.CompletedProcess(command, int(missing), stdout=output)

    monkeypatch.setattr(install.subprocess, "run", run)
    monkeypatch.setattr(install, "_versions", lambda: dict(there))
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
    assert commands == [[sys.executable, "-m", "pip", "install", *packages, "clawtap==0.1.0\n"]]


def test_what_is_new_is_named(run, commands):
    done = run("install", "claude", "demo")
    assert done.stdout == "installed: clawtap-claude 2.0; restart a running server to use it\n"
    done = run("install", "claude", "demo")
    there = "already installed: clawtap-claude, clawtap-demo"
    assert done.stdout == f"{there}; --upgrade looks for a newer version\n"
    done = run("install", "--upgrade", "demo")
    assert done.stdout == "already installed: clawtap-demo; no newer version was found\n"


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
    assert commands == [[*into, "--upgrade", "clawtap-claude", "clawtap>=0.1.0\n"]]


def test_a_tool_of_uv_loses_what_its_receipt_does_not_name(run, commands, monkeypatch, tmp_path):
    monkeypatch.setattr(install.sys, "prefix", str(tmp_path))
    (tmp_path / "uv-receipt.toml").touch()
    done = run("install", "claude", "codex")
    assert "uv tool install clawtap --with clawtap-claude --with clawtap-codex" in done.stderr


def test_without_pip_and_uv_it_says_what_is_missing(run, commands, monkeypatch, tmp_path):
    monkeypatch.setattr(install, "find_spec", lambda _: None)
    monkeypatch.setattr(install.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(install.shutil, "which", lambda _: None)
    done = run("install", "claude")
    assert done.exit_code == 1
    assert "has no pip, and uv is not on the PATH" in done.stderr
    assert f"run `{sys.executable} -m ensurepip`" in done.stderr
    (tmp_path / "pipx_metadata.json").touch()
    assert "run `pipx inject clawtap clawtap-claude`" in run("install", "claude").stderr
    assert not commands


def test_a_package_that_cannot_be_installed_is_an_error(run, commands):
    done = run("install", "missing")
    assert done.exit_code == 1
    assert "clawtap-missing could not be installed, as the lines above say" in done.stderr
    assert "newer than 0.1.0, --upgrade installs that, too" in done.stderr
    assert "plugins of this project: claude, codex" in done.stderr
    assert "The conflict is this" in done.stderr
    assert "already satisfied" not in done.stderr
    assert "--upgrade" not in run("install", "--upgrade", "missing").stderr.split("error:")[1]


def test_the_python_of_the_system_takes_no_packages(run, commands, monkeypatch, tmp_path):
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(install.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(install.sys, "base_prefix", sys.prefix)
    done = run("install", "missing")
    assert "belongs to the operating system" in done.stderr
    assert "into a virtual environment, or with pipx or uv (install_failed)" in done.stderr


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
