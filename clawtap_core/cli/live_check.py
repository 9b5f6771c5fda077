"""Run the live check of an adapter for a command, and print what it found."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from clawtap_core.cli.durations import Seconds
from clawtap_core.cli.output import echo, one_line, paint
from clawtap_core.cli.screens import host_with
from clawtap_core.errors import ClawTapError, ErrorCode, Impossible
from clawtap_core.host import Adapter, Host
from clawtap_core.model import CheckState, LiveStep
from clawtap_core.model.live_check import LONGEST_CHECK, longer_check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clawtap_core.model import StepResult
    from clawtap_core.testing.live.report import LiveReport

SECONDS = 55.0
FAILED, TIMED_OUT = 1, 124
_LEVELS = {"failed": "FAILED", "unfinished": "no time"}
_COLOURS = {"ok": "32", "failed": "31", "unfinished": "33", "skipped": "33"}


def live_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a live check."""
    for option in (
        click.option(
            "--timeout",
            type=Seconds(5, LONGEST_CHECK),
            default=SECONDS,
            show_default=True,
            help="With --live: seconds for each CLI.",
        ),
        click.option(
            "--screens",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path(),
            help="With --live: the folder for failing screens; default: this one.",
        ),
        click.option("--program", help="With --live: the program to check; default: on the PATH."),
    ):
        command = option(command)
    return command


def installed_clis() -> list[str]:
    """Return the adapters whose CLI is installed here and has a live check."""
    from clawtap_core.testing.live.program import find_program

    clis = []
    for adapter in Host.installed().adapters:
        try:
            find_program(adapter.info)
        except ClawTapError:
            continue
        # The demo agent comes with ClawTap: it proves nothing of the user's CLIs.
        if adapter.has("live_check") and adapter.id != "demo":
            clis.append(adapter.id)
    if not clis:
        raise Impossible(
            "no CLI with a live check is installed; try it with: clawtap doctor --live demo",
            code=ErrorCode.CLI_NOT_INSTALLED,
        )
    return clis


def check_has_live_check(adapter: Adapter) -> None:
    """Raise Impossible if the adapter has no live check."""
    if not adapter.has("live_check"):
        raise Impossible(
            f"the adapter {adapter.id} has no live check; its author can add the hook live_check",
            code=ErrorCode.CANNOT_ACT,
        )


def run_live(
    adapter_id: str, program: str | None, screens: Path, seconds: float, *, quiet: bool
) -> LiveReport:
    """Check one CLI; unless `quiet`, print each step as soon as it is done."""
    from clawtap_core.testing.live.checker import check_live
    from clawtap_core.testing.live.program import find_program

    host = host_with(adapter_id)
    adapter = host.adapter(adapter_id)
    check_has_live_check(adapter)
    path = find_program(adapter.info, program)
    if not quiet:
        echo(f"{adapter.info.name} ({path})")
    with _ended_by_signals():
        report = check_live(
            host,
            adapter,
            path,
            recordings=screens,
            seconds=seconds,
            report=(lambda result: None) if quiet else _print_step,
        )
    if not quiet:
        echo(_summary(adapter.info.name, report, seconds))
    return report


def report_json(report: LiveReport, seconds: float) -> dict[str, Any]:
    """Return a report as it is printed with --json."""
    return {"ok": report.ok, "state": report.state.value, "timeout": seconds, **asdict(report)}


def exit_status(reports: Iterable[LiveReport]) -> int:
    """Return 0 if all checks passed, FAILED if one failed, TIMED_OUT if only time ran out."""
    states = {report.state for report in reports}
    if CheckState.FAILED in states:
        return FAILED
    return TIMED_OUT if CheckState.UNFINISHED in states else 0


def _print_step(result: StepResult) -> None:
    level = _LEVELS.get(result.status, result.status)
    seconds = f" ({result.seconds} s)" if result.seconds else ""
    colour = _COLOURS[result.status]
    detail = one_line(result.detail, 300)
    echo(f"{paint(f'{level:<7}', colour)}  {result.step:<18}  {detail}{seconds}")
    if result.recording:
        echo(f"{'':<29}-> its screen: {result.recording}")


def _summary(name: str, report: LiveReport, seconds: float) -> str:
    version = f"{name} {report.version or 'of unknown version'}"
    if report.ok:
        return f"{version} works with ClawTap ({report.seconds} s)"
    late = _late(report, seconds)
    if report.state is CheckState.UNFINISHED:
        return f"{version} was {late}"
    if not late and [result.step for result in report.failed] == [LiveStep.WITHOUT_KEYS.value]:
        return f"{version} works with keys only ({report.seconds} s)"
    failed = ", ".join(result.step for result in report.failed) or "nothing could be checked"
    text = f"{version} does not work: {failed} ({report.seconds} s)"
    if any(result.recording for result in report.failed):
        text += (
            "\nthe screens show this check only, nothing of yours:"
            " please report them, with the .json file next to each"
        )
    return f"{text}\n{late}" if late else text


def _late(report: LiveReport, seconds: float) -> str:
    """Return what there was no time for and how to give it more, or ""."""
    if not report.unfinished:
        return ""
    steps = ", ".join(result.step for result in report.unfinished)
    longer = longer_check(seconds)
    again = f"; run again with --timeout {longer:g}" if longer else ""
    return f"not finished in the time ({seconds:g} s): {steps}{again}"


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Leave in order, with all that was started ended, when the command is asked to end."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
