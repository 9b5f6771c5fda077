"""The command install: add plugins to the environment that ClawTap runs in."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click

from clawtap_core.cli.output import echo
from clawtap_core.errors import ErrorCode, Unavailable, UsageError

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_NO_NEWS = "Requirement already satisfied"  # a line for each of ClawTap's own requirements
_PLUGIN = re.compile(r"clawtap-(?P<name>[\w-]+).*extra == .all.")


def _plugins() -> list[str]:
    """Return the names of this project's plugins."""
    required = metadata.requires("clawtap") or ()
    return [match["name"] for line in required if (match := _PLUGIN.match(line))]


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in [*_plugins(), "all"] if name.startswith(incomplete)]


@click.command
@click.argument("names", nargs=-1, required=True, shell_complete=_complete)
@click.option("--upgrade", is_flag=True, help="Upgrade what is already installed.")
def install(names: tuple[str, ...], upgrade: bool) -> None:
    """Install adapters and other plugins, such as `claude`.

    NAME stands for the package clawtap-NAME; `all` installs every plugin of this project. ClawTap
    itself keeps its version, unless --upgrade is given and a plugin needs a newer one.
    """
    packages = [_package(name) for name in names]
    command = [*_installer(packages), *(["--upgrade"] if upgrade else []), *packages]
    echo(" ".join(command), err=True)
    before = _versions()
    with tempfile.NamedTemporaryFile("w", prefix="clawtap-", suffix=".txt") as constraints:
        # Otherwise a plugin could replace the ClawTap that this is, by a newer or an older one.
        print(
            f"clawtap{'>=' if upgrade else '=='}{before['clawtap']}", file=constraints, flush=True
        )
        done = subprocess.run(
            [*command, "--constraint", constraints.name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # In the folder of a project, files of the project would speak for pip and uv.
            cwd=sys.prefix,
            text=True,
        )
    if done.returncode:
        for line in done.stdout.splitlines():
            if not line.startswith(_NO_NEWS):
                echo(line, err=True)
        raise Unavailable(
            _failure(packages, before["clawtap"], upgrade=upgrade), code=ErrorCode.INSTALL_FAILED
        )
    importlib.invalidate_caches()
    new = sorted(" ".join(package) for package in _versions().items() - before.items())
    if new:
        echo(f"installed: {', '.join(new)}; restart a running server to use it")
    else:
        hint = "no newer version was found" if upgrade else "--upgrade looks for a newer version"
        echo(f"already installed: {', '.join(packages)}; {hint}")
    if Path(sys.prefix, "uv-receipt.toml").exists():
        kept = " ".join(f"--with {package}" for package in packages)
        note = f"`uv tool upgrade` removes it, unless you run: uv tool install clawtap {kept}"
        echo(f"note: {note}", err=True)


def _failure(packages: list[str], version: str, *, upgrade: bool) -> str:
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix == sys.base_prefix and marker.exists():
        return (
            f"this Python ({sys.executable}) belongs to the operating system, which allows no"
            " packages in it; install ClawTap into a virtual environment, or with pipx or uv"
        )
    plugins = _plugins()
    reason = f"{', '.join(packages)} could not be installed, as the lines above say"
    if not upgrade:
        reason += f"; if it needs a ClawTap newer than {version}, --upgrade installs that, too"
    if not {f"clawtap-{name}" for name in plugins}.issuperset(packages):
        reason += f"; plugins of this project: {', '.join(plugins)}"
    return reason


def _versions() -> dict[str, str]:
    """Return the version of each installed distribution."""
    return {found.name: found.version for found in metadata.distributions()}


def _package(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not the name of a package", code=ErrorCode.BAD_NAME)
    if name == "all":
        return "clawtap[all]"
    return name if name.startswith("clawtap-") else f"clawtap-{name}"


def _installer(packages: list[str]) -> list[str]:
    """Return the command that installs into this Python; environments of uv have no pip."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "install"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable]
    by_pipx = Path(sys.prefix, "pipx_metadata.json").exists()
    remedy = f"pipx inject clawtap {' '.join(packages)}"
    raise Unavailable(
        f"{sys.executable} has no pip, and uv is not on the PATH; put uv there, or run"
        f" `{remedy if by_pipx else f'{sys.executable} -m ensurepip'}`",
        code=ErrorCode.INSTALL_FAILED,
    )
