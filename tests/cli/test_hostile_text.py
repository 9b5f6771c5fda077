"""No text of a CLI, a plugin or another machine can give orders to the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import pytest
from click.testing import CliRunner

from clawtap_core.cli.app import cli
from clawtap_core.errors import NotFound
from clawtap_core.model import Machine, MachineState, MachineStatus, Restoration, RestoreOutcome

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b2J\x9d0;x\x9c\x08\r"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class HostileServer:
    """A server whose every text has escape sequences in it."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._server, name)

        def called(*arguments: Any, **options: Any) -> Any:
            result = method(*arguments, **options)
            return map(hostile, result) if isinstance(result, Iterator) else hostile(result)

        return called


def hostile(value: Any) -> Any:
    """Return a value with escape sequences in each of its texts."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return f"{value}{HOSTILE}"
    if isinstance(value, list | tuple):
        return type(value)(map(hostile, value))
    if isinstance(value, Mapping):
        return {name: hostile(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.init]
        return replace(value, **{name: hostile(getattr(value, name)) for name in names})
    return value


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "pending",
        "adopt",
        "adopt %7",
        "history",
        "history demo c0ffee",
        "search words",
        "queue s-alpha",
        "mode s-alpha plan",
        "model s-alpha opus",
        "interrupt s-alpha",
        "archive s-alpha",
        "end s-alpha",
        "send s-alpha hello",
        "journal",
        "journal --latest",
        "watch",
        "restore --dry-run",
    ],
)
def test_no_escape_sequence_is_printed(
    server: Any, monkeypatch: pytest.MonkeyPatch, command: str, as_json: bool
) -> None:
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")
    away = MachineStatus(Machine("m2", "laptop", state=MachineState.AWAY), "1", detail="no reply")
    server.happened = [server.happen("tool_use", 3, title="a", text="b", device="c", by="d")]
    server.streams = [[*server.happened]]
    server.missing, server.cursor = (away,), "7"
    server.restorations = [Restoration(server.live[0], RestoreOutcome.IMPOSSIBLE, "why")]
    shown = CliRunner().invoke(
        cli,
        [*command.split(), *(["--json"] if as_json else [])],
        env={"CLAWTAP_URL": "http://fake"},
        obj=lambda *_: HostileServer(server),
    )
    assert shown.exception is None or isinstance(shown.exception, SystemExit)
    assert not CONTROL.search(shown.output), repr(shown.output)


def test_the_text_of_an_error_is_harmless(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")
    server.refusal = NotFound(f"no such thing: {HOSTILE}", code="prompt_not_found")
    shown = CliRunner().invoke(
        cli,
        ["queue", "s-alpha", "--take-back", "m1"],
        env={"CLAWTAP_URL": "http://fake"},
        obj=lambda *_: server,
    )
    assert "no such thing" in shown.output
    assert not CONTROL.search(shown.output)
