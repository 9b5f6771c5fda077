"""new-adapter: its package passes its own tests, and answers the CLI that it was written for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clawtap_core.cli.app import cli


def new_adapter(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["new-adapter", *arguments])


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module where the package is on the path."""
    env = {**os.environ, "PYTHONPATH": str(folder)}
    argv = [sys.executable, "-m", *command]
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_the_package_passes_its_own_tests(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    result = new_adapter("open-thing", "--folder", str(folder))
    assert result.exit_code == 0
    assert f"{folder}/clawtap_open_thing.py\n" in result.output
    done = run_in(folder, "pytest", "-q", "-p", "no:cacheprovider")
    assert "33 passed" in done.stdout, done.stdout


def test_every_mention_of_the_example_gets_the_name(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    new_adapter("open-thing", "--folder", str(folder))
    files = [path for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".md")]
    texts = "\n".join(path.read_text() for path in files)
    assert "mycli" not in texts.lower()
    assert 'open-thing = "clawtap_open_thing"' in texts
    assert 'name = "clawtap-open-thing"' in texts
    assert 'name="Open Thing"' in texts


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "mine").write_text("precious")
    result = new_adapter("mycli", "--folder", str(folder))
    assert (result.exit_code, [*folder.iterdir()]) == (2, [folder / "mine"])
    assert "is not empty" in result.output


@pytest.mark.parametrize("name", ["My CLI", "../x", "-x", "a--b", "9", ""])
def test_a_name_must_be_an_id(name: str, tmp_path: Path) -> None:
    assert new_adapter("--folder", str(tmp_path / "x"), "--", name).exit_code == 2
    assert not (tmp_path / "x").exists()


def test_an_installed_adapter_keeps_its_name(tmp_path: Path) -> None:
    result = new_adapter("demo", "--folder", str(tmp_path / "x"))
    assert result.exit_code == 2
    assert "an adapter named demo is installed already" in result.output
