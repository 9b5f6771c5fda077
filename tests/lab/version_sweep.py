"""Try versions of a CLI with `clawtap doctor --live`, one line each; what fails leaves its screen.

By hand: make sweep ARGS="claude 2.1.150 2.1.240". Versions are installed into the cache of
clilab.install, and the screens saved in .cache/sweep.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from clilab.install import InstallError, install

CLAWTAP = str(Path(sys.executable).with_name("clawtap"))
SCREENS = Path(".cache") / "sweep"
BAD = ("failed", "unfinished")
_SECONDS = "150"


def live_report(name: str, version: str, *, seconds: str = _SECONDS) -> dict[str, Any]:
    """Install a version and return what `clawtap doctor --live` says of it."""
    argv = [CLAWTAP, "doctor", "--live", name, "--json", "--timeout", seconds]
    argv += ["--program", str(install(name, version) / name)]
    argv += ["--screens", str(SCREENS / f"{name}-{version}")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    try:
        return dict(json.loads(done.stdout)["clis"][0])
    except (ValueError, LookupError):
        raise InstallError(done.stderr.strip() or "the check printed nothing") from None


def line(version: str, report: dict[str, Any]) -> str:
    """Return the outcome of a check in one line."""
    steps = report["steps"]
    good = sum(step["status"] == "ok" for step in steps)
    bad = [f"{step['step']}: {step['detail']}" for step in steps if step["status"] in BAD]
    words = "; ".join(bad) or "all"
    return f"{version:<10} {good} of {len(steps)} in {report['seconds']} s  {words}"


def main() -> None:
    """Try the versions that the arguments name; exit with 1 if one of them failed."""
    name, *versions = sys.argv[1:]
    failed = False
    for version in versions:
        try:
            report = live_report(name, version)
        except InstallError as error:
            failed = True
            print(f"{version:<10} {error}", flush=True)
            continue
        failed = failed or not report["ok"]
        print(line(version, report), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
