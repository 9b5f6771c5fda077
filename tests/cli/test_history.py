"""`clawtap history`: what the CLIs keep, and one of them."""

from __future__ import annotations

import json
from typing import Any


def test_stored_sessions_are_listed(run: Any, server: Any) -> None:
    shown = run("history", "--cwd", "/proj", "--limit", "5")
    assert "c0ffee-1" in shown.output
    assert "What is here?" in shown.output
    assert ("history", {"adapter": None, "cwd": "/proj", "limit": 5}) in server.calls


def test_one_is_read_by_the_beginning_of_its_id(run: Any, server: Any) -> None:
    shown = run("history", "demo", "c0f")
    assert "assistant: [Shell {'command': 'ls'}: success]\nIt is empty" in shown.stdout
    assert "there is more" in shown.stderr
    assert ("stored", "demo", "c0ffee-1", {"limit": 50}) in server.calls


def test_both_are_json_on_demand(run: Any) -> None:
    assert json.loads(run("history", "--json").output)[0]["cliSessionId"] == "c0ffee-1"
    reply = json.loads(run("history", "demo", "c0ffee-1", "--json").output)
    assert reply["page"]["messages"][0]["content"][1]["type"] == "text"
