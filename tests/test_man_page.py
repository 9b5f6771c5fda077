"""The man page says what `--help` says."""

from __future__ import annotations

import configparser
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from clawtap_core.cli.app import BUILT_IN, cli

CHECKOUT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("man_page", CHECKOUT / ".ci" / "man_page.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def installed(generator: ModuleType, tmp_path: Path) -> Path:
    """A folder such as pip fills: bin/clawtap and share/man/man1/clawtap.1."""
    page = tmp_path / "share" / "man" / "man1" / "clawtap.1"
    page.parent.mkdir(parents=True)
    page.write_text(generator.man_page(), encoding="utf-8")
    (tmp_path / "bin").mkdir()
    return tmp_path


def commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, f"{path} {name}")


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_command_stands_there_with_its_options(generator: ModuleType, name: str) -> None:
    page = generator.man_page().replace("\\-", "-")
    command = cli.get_command(click.Context(cli), name)
    assert command
    for path, inner in commands(command, f"clawtap {name}"):
        assert f'\n.SS "{path}' in page
        section = page.split(f'\n.SS "{path}')[1].split("\n.SS ")[0]
        options = [option for option in inner.params if isinstance(option, click.Option)]
        assert [o.opts for o in options if not o.hidden and o.opts[-1] not in section] == []


def test_wheels_carry_the_page_to_where_man_looks(generator: ModuleType) -> None:
    setup = configparser.ConfigParser()
    setup.read(CHECKOUT / "setup.cfg")
    pattern = setup["options.data_files"]["share/man/man1"]
    assert generator.PAGE.relative_to(CHECKOUT).match(pattern)


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
def test_man_finds_the_page_beside_the_program_and_has_nothing_to_complain_of(
    installed: Path,
) -> None:
    env = {"PATH": f"{installed / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    options = {"env": env, "capture_output": True, "text": True, "check": True}
    found = subprocess.run(["man", "-w", "clawtap"], **options)
    assert found.stdout.strip() == str(installed / "share" / "man" / "man1" / "clawtap.1")
    shown = subprocess.run(["man", "--warnings", "-P", "cat", "clawtap"], **options)
    assert shown.stderr == ""
    assert "clawtap adopt" in shown.stdout
