"""The command install: add plugins to the environment that ClawTap runs in."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import click

from clawtap_core.errors import ErrorCode, Unavailable, UsageError

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


@click.command
@click.argument("names", nargs=-1, required=True)
@click.option("--upgrade", is_flag=True, help="Upgrade what is already installed.")
def install(names: tuple[str, ...], upgrade: bool) -> None:
    """Install adapters and other plugins, such as `claude`.

    NAME stands for the package clawtap-NAME; `all` installs every plugin of this project.
    """
    packages = [_package(name) for name in names]
    command = [*_installer(), *(["--upgrade"] if upgrade else []), *packages]
    click.echo(" ".join(command), err=True)
    # In the folder of a project, files of the project would speak for pip and uv.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, cwd=sys.prefix, check=False)
    if done.returncode:
        raise Unavailable(
            f"{', '.join(packages)} could not be installed; the lines above say why",
            code=ErrorCode.INSTALL_FAILED,
        )
    click.echo("installed; restart a running server to use it")


def _package(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not the name of a package", code=ErrorCode.BAD_NAME)
    if name == "all":
        return "clawtap[all]"
    return name if name.startswith("clawtap-") else f"clawtap-{name}"


def _installer() -> list[str]:
    """Return the command that installs into this Python; environments of uv have no pip."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable]
    raise Unavailable(
        f"neither pip nor uv was found for {sys.executable}; install one of them",
        code=ErrorCode.INSTALL_FAILED,
    )
