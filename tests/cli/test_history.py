"""`clawtap history`: what the CLIs keep, and one of them."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from clawtap_core.model import Machine, MachineState, MachineStatus


def test_stored_sessions_are_listed(run: Any, server: Any) -> None:
    shown = run("history", "--cwd", "/proj", "--limit", "5")
    assert "c0ffee-1" in shown.output
    assert "What is here?" in shown.output
    asked = {"adapter": None, "cwd": "/proj", "cursor": None, "limit": 5}
    assert ("history", asked) in server.calls
    assert "MACHINE" not in shown.output


def test_one_is_read_by_the_beginning_of_its_id(run: Any, server: Any) -> None:
    shown = run("history", "demo", "c0f")
    assert "assistant: [Shell {'command': 'ls'}: success]\nIt is empty" in shown.stdout
    assert "there is more" in shown.stderr
    assert ("stored", "demo", "c0ffee-1", {"limit": 50}) in server.calls


def test_both_are_json_on_demand(run: Any) -> None:
    assert json.loads(run("history", "--json").output)[0]["cliSessionId"] == "c0ffee-1"
    reply = json.loads(run("history", "demo", "c0ffee-1", "--json").output)
    assert reply["page"]["messages"][0]["content"][1]["type"] == "text"


def test_over_several_machines_each_row_names_its_own(run: Any, server: Any) -> None:
    server.stored_on = Machine("m2", "laptop")
    server.cursor = "next-page"
    shown = run("history", "--cursor", "this-page")
    assert shown.stdout.splitlines()[0].split()[:2] == ["MACHINE", "ADAPTER"]
    assert shown.stdout.splitlines()[1].startswith("laptop ")
    assert "(there is more: --cursor next-page)" in shown.stderr
    run("history", "demo", "c0f")
    at = server.calls.index(("at", "m2"))
    assert server.calls[at + 1] == ("stored", "demo", "c0ffee-1", {"limit": 50})


def test_a_machine_whose_part_is_missing_is_named(run: Any, server: Any) -> None:
    away = Machine("m3", "macbook", MachineState.AWAY)
    seen = datetime(2026, 1, 2, 14, 2, tzinfo=timezone.utc)
    server.missing = (
        MachineStatus(away, "0.1", since=seen, detail="macbook cannot be reached"),
        MachineStatus(Machine("m4", "server"), "0.1", detail="server does not answer"),
    )
    local = seen.astimezone().strftime("%Y-%m-%d %H:%M")
    for command, *options in (("history",), ("history", "--json"), ("journal", "--latest")):
        lines = run(command, *options).stderr.splitlines()
        assert f"(macbook has been away since {local}: its {command} is not shown)" in lines
        assert f"(server does not answer: its {command} is not shown)" in lines
