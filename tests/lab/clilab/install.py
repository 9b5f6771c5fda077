"""CLIs from npm, each version once, in a cache folder.

The cache is $CLAWTAP_CLI_CACHE, or .cache/clis in the checkout; a CLI lies in <name>-<version>.
By hand: python -m clilab.install gemini 0.61.0
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CACHE_VARIABLE = "CLAWTAP_CLI_CACHE"
VERSIONS_VARIABLE = "CLAWTAP_CLI_VERSIONS"
_CHECKOUT = Path(__file__).parents[3]
_SECONDS = 600


class InstallError(Exception):
    """Why a CLI could not be installed, in one sentence."""


@dataclass(frozen=True, slots=True)
class Package:
    """A CLI as npm knows it; `beside` are packages that it needs in its folder."""

    name: str
    npm: str
    command: str
    needs_scripts: bool = False
    beside: tuple[str, ...] = ()


PACKAGES = {
    "gemini": Package("gemini", "@google/gemini-cli", "gemini"),
    "qwen": Package("qwen", "@qwen-code/qwen-code", "qwen"),
    "codex": Package("codex", "@openai/codex", "codex"),
    # From 2.1.1xx on its npm package holds a stub that its install script replaces by the binary
    # of a second package for this platform.
    "claude": Package("claude", "@anthropic-ai/claude-code", "claude", needs_scripts=True),
    # The same: its install script fetches the binary for this platform.
    "opencode": Package("opencode", "opencode-ai", "opencode", needs_scripts=True),
    "copilot": Package("copilot", "@github/copilot", "copilot"),
    # It needs a newer Node.js than the one that many have, which an npm package brings by a script.
    "kimi": Package(
        "kimi", "@moonshot-ai/kimi-code", "kimi", needs_scripts=True, beside=("node@24.9.0",)
    ),
}


def cache_folder() -> Path:
    """Where CLIs are kept."""
    return Path(os.environ.get(CACHE_VARIABLE) or _CHECKOUT / ".cache" / "clis")


def versions(*proved: str) -> tuple[str, ...]:
    """The versions to test: those in $CLAWTAP_CLI_VERSIONS, with blanks between, or the proved."""
    return tuple(os.environ.get(VERSIONS_VARIABLE, "").split()) or proved


def install(name: str, version: str, cache: Path | None = None) -> Path:
    """The folder that holds the CLI's command, installed if it is not there yet."""
    package = PACKAGES[name]
    target = (cache or cache_folder()) / f"{name}-{version}"
    commands = target / "node_modules" / ".bin"
    if not (commands / package.command).exists():
        _need("node")
        _fetch(package, version, target)
    return commands


def _need(program: str) -> str:
    found = shutil.which(program)
    if not found:
        raise InstallError(
            f"{program} is not on the PATH: install Node.js 20 or newer, with npm, and try again"
        )
    return found


def _fetch(package: Package, version: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
        fresh = Path(scratch) / "cli"
        fresh.mkdir()
        what = (f"{package.npm}@{version}", *package.beside)
        _npm(what, fresh, scripts=package.needs_scripts)
        _put(fresh, target)


def _npm(what: tuple[str, ...], folder: Path, *, scripts: bool) -> None:
    quiet = ("--no-audit", "--no-fund", "--loglevel=error")
    if not scripts:
        quiet += ("--ignore-scripts",)
    done = subprocess.run(
        (_need("npm"), "install", "--prefix", str(folder), *quiet, *what),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        packages = " and ".join(what)
        raise InstallError(
            f"npm could not install {packages} (exit code {done.returncode}): {last}"
        )


def _put(fresh: Path, target: Path) -> None:
    # Another run may have been first; then its copy stays, and ours goes with the scratch folder.
    if not target.exists():
        try:
            fresh.rename(target)
        except OSError:
            if not target.exists():
                raise


def main() -> None:
    """Install the CLI that the arguments name, and say where its command is."""
    try:
        print(install(*sys.argv[1:3]))
    except InstallError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
