#!/usr/bin/env python3
"""Make a release: one version in the core and all plugins, the changelog, wheels, sdists, a tag.

    make release VERSION=0.2.0          # try: build and check, then put the files back
    make release VERSION=0.2.0 COMMIT=1 # and commit and tag it

Nothing is published: the last lines say how. The packages are used in bare environments before
anything is committed; when they fail, the files are put back.
"""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

CHECKOUT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
UNRELEASED = "## {version} (unreleased)\n"


def main(arguments: list[str]) -> int:
    """Make the release; return the exit status."""
    commit = "--commit" in arguments
    words = [word for word in arguments if word != "--commit"]
    if len(words) != 1 or not VERSION.fullmatch(words[0]):
        print("usage: make release VERSION=0.2.0 [COMMIT=1], or 0.2.0rc1", file=sys.stderr)
        return 2
    try:
        return release(words[0], commit=commit)
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        return refuse(f"{command} failed: {(error.stderr or '').strip()}; nothing was changed")


def release(version: str, *, commit: bool) -> int:
    """Check the tree, build and check the packages, commit and tag; return the exit status."""
    if run("git", "status", "--porcelain"):
        return refuse("there are uncommitted changes; commit them first")
    if run("git", "tag", "--list", f"v{version}"):
        return refuse(f"the tag v{version} exists already; choose another version")
    head, branch = run("git", "rev-parse", "HEAD"), run("git", "branch", "--show-current")
    if commit and not branch:
        return refuse("HEAD is detached, so the release would be on no branch; check one out")
    dated = changelog(version)
    if not dated:
        return refuse(f"CHANGELOG.md has no heading {UNRELEASED.format(version=version).strip()!r}")
    changed = versions(version) | dated
    before = {path: path.read_text(encoding="utf-8") for path in changed}
    put(changed)
    try:
        subprocess.run([sys.executable, CHECKOUT / ".ci/packages.py"], check=True)
        build(CHECKOUT / "dist" / version)
    except (subprocess.CalledProcessError, LookupError, KeyboardInterrupt) as error:
        put(before)
        return refuse(f"the packages do not work ({error}); nothing was changed")
    if not commit:
        put(before)
        print(
            f"{version} can be released: its packages work, and are in dist/{version} to look at."
        )
        print(f"Nothing was committed; make release VERSION={version} COMMIT=1 does it.")
        return 0
    try:
        run("git", "commit", "-q", "-m", f"Release {version}", *map(str, changed))
        run("git", "tag", "-a", "-m", f"ClawTap {version}", f"v{version}")
    except subprocess.CalledProcessError:
        run("git", "reset", "-q", head)
        put(before)
        raise
    print(f"v{version} is committed and tagged; its files are in dist/{version}. To publish it:")
    print(f"    git push origin {branch} v{version}")
    print(f"    python -m twine upload dist/{version}/*")
    return 0


def put(texts: dict[Path, str]) -> None:
    """Write the texts of files."""
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


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


def build(folder: Path) -> None:
    """Build the wheel and the sdist of every distribution into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, ".ci/man_page.py")
    for source in (CHECKOUT, *sorted(CHECKOUT.glob("plugins/*"))):
        command = [sys.executable, "-m", "build", "-o", folder, source]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (core,) = folder.glob("clawtap-*.whl")
    # A file that the sdist leaves out is missing in the wheel that is made from it.
    if not any(name.endswith("man1/clawtap.1") for name in ZipFile(core).namelist()):
        raise LookupError(f"{core.name} has no man page")


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
