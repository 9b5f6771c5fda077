"""Run the contract on an installed adapter, and report each check in plain words."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from clawtap_core.testing.contract import AdapterContract

_MODULE = """
from clawtap_core.testing.installed_adapter import contract_of
TestInstalled = contract_of({plugin!r}, {recordings!r})
"""


@dataclass
class Check:
    """One check of the contract: how often it passed, was skipped, and how it failed."""

    name: str
    passed: int = 0
    skipped: int = 0
    failures: list[str] = field(default_factory=list)


def contract_of(plugin: str, recordings: str | None) -> type[AdapterContract]:
    """Return the contract for a plugin, by the name of its entry point."""
    from clawtap_core.host.discovery import installed
    from clawtap_core.testing.contract import AdapterContract

    entry = next(entry for entry in installed() if entry.name == plugin)
    folder = Path(recordings) if recordings else None
    return type("Installed", (AdapterContract,), {"plugin": entry.load(), "recordings": folder})


def run_contract(plugin: str, recordings: Path | None) -> Sequence[Check]:
    """Run every check in a pytest of its own, which sees no settings or plugins of a project."""
    import pytest

    report = _Report()
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    with tempfile.TemporaryDirectory(prefix="clawtap-") as folder:
        file = Path(folder) / "test_installed.py"
        folder_of_recordings = str(recordings.resolve()) if recordings else None
        file.write_text(_MODULE.format(plugin=plugin, recordings=folder_of_recordings))
        own = ["-p", "clawtap_core.testing.plugin", "-p", "no:terminal", "-p", "no:cacheprovider"]
        arguments = [*own, "-c", os.devnull, f"--rootdir={folder}", str(file)]
        pytest.main(arguments, plugins=[report])
    return [*report.checks.values()]


class _Report:
    """A plugin of pytest that counts the results of each check."""

    def __init__(self) -> None:
        self.checks = _ByName()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.checks["it can be tested"].failures.append(_last_line(report.longreprtext))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name, _, variant = report.nodeid.rpartition("::")[2].partition("[")
        check = self.checks[name.removeprefix("test_").replace("_", " ")]
        if report.failed:
            where = f"{variant[:-1]}: " if variant else ""
            check.failures.append(f"{where}{_message(report)}")
        elif report.skipped:
            check.skipped += 1
        elif report.when == "call":
            check.passed += 1


class _ByName(defaultdict[str, Check]):
    def __missing__(self, name: str) -> Check:
        check = self[name] = Check(name)
        return check


def _message(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    if not crash:
        return _last_line(report.longreprtext)
    message = str(crash.message).removeprefix("AssertionError: ").partition("\n")[0]
    file = Path(crash.path)
    # A check that fails says why; what the adapter raised is looked for at its place.
    place = "" if file.parent == Path(__file__).parent else f" ({file.name}, line {crash.lineno})"
    return f"{message}{place}"


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2].removeprefix("E").strip()
