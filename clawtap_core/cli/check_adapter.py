"""The command check-adapter, which runs the contract on an installed adapter."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.live_check import (
    FAILED,
    check_has_live_check,
    exit_status,
    live_options,
    report_json,
    run_live,
)
from clawtap_core.cli.output import as_json, echo, one_line, paint, print_json
from clawtap_core.cli.screens import adapter_named
from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.host.discovery import installed
from clawtap_core.testing.installed_adapter import Check, run_contract
from clawtap_core.testing.recordings import Recording

_SHOWN = 3


@click.command
@click.argument("name", shell_complete=complete.adapters)
@click.option(
    "--recordings",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder with its recordings; default: tests/recordings of its package, or here.",
)
@click.option("--live", is_flag=True, help="Also run its live check on the installed CLI.")
@live_options
@as_json
def check_adapter(
    name: str,
    recordings: Path | None,
    live: bool,
    program: str | None,
    screens: Path,
    timeout: float,
    as_json: bool,
) -> None:
    """Check whether the installed adapter NAME keeps the contract.

    It is tried on its recordings, on altered and broken screens, and must have no side effects.
    With --live, also on its real CLI, as `clawtap doctor --live` does. Exits with 1 if a check
    failed, with 124 if only the time for the real CLI ran out.
    """
    if program and not live:
        raise click.UsageError("--program goes with --live")
    if not (find_spec("pytest") and find_spec("hypothesis")):
        raise Unavailable(
            "the contract needs pytest and hypothesis: pip install 'clawtap[kit]'",
            code=ErrorCode.INSTALL_FAILED,
        )
    adapter = adapter_named(name)
    if live:
        check_has_live_check(adapter)
    plugin = adapter.name
    folder = recordings or _recordings_of(plugin)
    recorded = Recording.load_all(folder) if folder else []
    checks = run_contract(plugin, folder)
    failed = [check for check in checks if check.failures]
    if not as_json:
        echo(f"recordings: {folder or 'none found; name a folder with --recordings'}")
        for check in checks:
            _print(check)
        _print_unaccepted(recorded, name)
        total = f"{len(failed)} of {len(checks)} checks failed"
        echo(total if failed else f"{name} keeps the contract: {len(checks)} checks")
    report = run_live(name, program, screens, timeout, quiet=as_json) if live else None
    status = FAILED if failed else exit_status([report] if report else [])
    if as_json:
        results = {"checks": [asdict(check) for check in checks]}
        more = {"live": report_json(report, timeout)} if report else {}
        print_json({"ok": status == 0, "recordings": folder and str(folder), **results, **more})
    sys.exit(status)


def _recordings_of(plugin: str) -> Path | None:
    """Return the folder tests/recordings nearest to the adapter's source, or the one here."""
    entry = next(entry for entry in installed() if entry.name == plugin)
    module = sys.modules.get(entry.module)
    file = Path(getattr(module, "__file__", None) or ".").resolve()
    # A package installed from its checkout has its tests a few folders up; another one has none.
    nearest = [folder / "tests" / "recordings" for folder in file.parents[:4]]
    folders = [*nearest, Path("tests", "recordings")]
    return next((folder for folder in folders if folder.is_dir()), None)


def _print_unaccepted(recordings: Sequence[Recording], name: str) -> None:
    unaccepted = [each.name for each in recordings if each.truth.is_prompt is None]
    if unaccepted:
        files = ", ".join(unaccepted[:_SHOWN]) + (", …" if len(unaccepted) > _SHOWN else "")
        text = (
            f"{len(unaccepted)} of {len(recordings)} recordings have no truth yet ({files}):"
            f" clawtap record --accept --adapter {name} FILE…"
        )
        echo(paint(text, "33"))


def _print(check: Check) -> None:
    level = "FAILED" if check.failures else "ok" if check.passed else "skipped"
    times = check.passed + len(check.failures)
    of = f"{len(check.failures)} of {times}" if check.failures else f"{times}"
    count = f"  ({of})" if times > 1 else ""
    colour = {"FAILED": "31", "ok": "32"}.get(level, "33")
    echo(f"{paint(f'{level:<7}', colour)}  {check.name}{count}")
    for failure in check.failures[:_SHOWN]:
        echo(f"         {one_line(failure, 300)}")
    if len(check.failures) > _SHOWN:
        echo(f"         and {len(check.failures) - _SHOWN} more")
