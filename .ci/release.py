#!/usr/bin/env python3
"""Make a release: one version in the core and all plugins, the changelog, wheels, sdists, a tag.

    .ci/release.py 0.2.0

Nothing is published: the last lines say how. The packages are used in bare environments before
anything is committed; when they fail, the files are put back.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
UNRELEASED = "## {version} (unreleased)\n"


def main(arguments: list[str]) -> int:
    """Make the release; return the exit status."""
    if len(arguments) != 1 or not VERSION.fullmatch(arguments[0]):
        print("usage: .ci/release.py VERSION, such as 0.2.0 or 0.2.0rc1", file=sys.stderr)
        return 2
    (version,) = arguments
    if run("git", "status", "--porcelain"):
        return refuse("there are uncommitted changes; commit them first")
    if run("git", "tag", "--list", f"v{version}"):
        return refuse(f"v{version} has been released")
    dated = changelog(version)
    if not dated:
        return refuse(f"CHANGELOG.md has no heading {UNRELEASED.format(version=version).strip()!r}")
    changed = versions(version) | dated
    before = {path: path.read_text(encoding="utf-8") for path in changed}
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    try:
        subprocess.run([sys.executable, CHECKOUT / ".ci/packages.py"], check=True)
        build()
    except (subprocess.CalledProcessError, KeyboardInterrupt):
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")
        return refuse("the packages do not work; nothing was changed")
    run("git", "commit", "-q", "-m", f"Release {version}", *map(str, changed))
    run("git", "tag", "-a", "-m", f"ClawTap {version}", f"v{version}")
    print(f"v{version} is committed and tagged; its files are in dist/. To publish it:")
    print(f"    git push origin main v{version}")
    print("    python -m twine upload dist/*")
    return 0


def versions(version: str) -> dict[Path, str]:
    """Return the files that name the version, with the new one."""
    files = {
        path: re.sub(r"(?m)^version = .*$", f"version = {version}", path.read_text("utf-8"))
        for path in (CHECKOUT / "setup.cfg", *sorted(CHECKOUT.glob("plugins/*/setup.cfg")))
    }
    package = CHECKOUT / "clawtap_core" / "__init__.py"
    assignment = f'__version__ = "{version}"'
    files[package] = re.sub(r'(?m)^__version__ = ".*"$', assignment, package.read_text("utf-8"))
    return files


def changelog(version: str) -> dict[Path, str]:
    """Return the changelog with the date of the version."""
    path = CHECKOUT / "CHANGELOG.md"
    text = path.read_text("utf-8")
    heading = UNRELEASED.format(version=version)
    if heading not in text:
        return {}
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return {path: text.replace(heading, f"## {version} ({today})\n")}


def build() -> None:
    """Build the wheel and the sdist of every distribution into dist/."""
    for source in (CHECKOUT, *sorted(CHECKOUT.glob("plugins/*"))):
        command = [sys.executable, "-m", "build", "-o", CHECKOUT / "dist", source]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def run(*command: str) -> str:
    """Return what a command prints in the checkout; the script ends when it fails."""
    done = subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def refuse(reason: str) -> int:
    """Print why there is no release; return the exit status."""
    print(f"error: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
