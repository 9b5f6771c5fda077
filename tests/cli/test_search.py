"""`clawtap search` and `clawtap archive`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from clawtap_core.model import Machine, MachineState, MachineStatus


def test_sessions_and_messages_are_printed_without_what_a_terminal_obeys(
    run: Any, server: Any
) -> None:
    shown = run("search", "empty", "here", "--limit", "5")
    assert ("search", "empty here", {"cursor": None, "limit": 5}) in server.calls
    assert "Tests (archived)" in shown.stdout
    assert "What is here?" in shown.stdout
    assert "    It is empty here" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert "--cursor 77" in shown.stderr
    assert "still being read" in shown.stderr


def test_the_next_page_is_asked_for(run: Any, server: Any) -> None:
    run("search", "empty", "--cursor", "77")
    assert ("search", "empty", {"cursor": "77", "limit": 20}) in server.calls


def test_search_prints_json_on_request(run: Any) -> None:
    page = json.loads(run("search", "empty", "--json").output)
    assert page["messages"][0]["snippet"][1] == {"text": "\x1b[31mempty", "match": True}
    assert page["cursor"] == "77"


def test_of_several_machines_each_match_names_its_own_and_who_is_missing_is_said(
    run: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, laptop = server.search("empty"), Machine("m2", "lap\x1btop")
    away = MachineStatus(Machine("m3", "server", MachineState.AWAY), "1.0")
    found = replace(
        page,
        sessions=tuple(replace(match, machine=laptop) for match in page.sessions),
        messages=tuple(replace(match, machine=laptop) for match in page.messages),
        missing=(away,),
    )
    monkeypatch.setattr(server, "search", lambda *_, **__: found)
    shown = run("search", "empty")
    assert shown.stdout.startswith("MACHINE  CLI")
    assert shown.stdout.count("laptop") == 2
    assert "(server is away: its part of the results is not shown)" in shown.stderr
    assert "--cursor 77" in shown.stderr


def test_a_blank_text_is_refused(run: Any, server: Any) -> None:
    refused = run("search", " ")
    assert refused.exit_code == 1
    assert "at least one word" in refused.stderr
    assert server.calls == []


def test_a_session_is_archived_and_comes_back(run: Any, server: Any) -> None:
    assert "archived" in run("archive", "s-alpha").output
    assert "back on the list" in run("archive", "s-alpha", "--undo").output
    assert ("archive", "s-alpha-1", False) in server.calls
    assert json.loads(run("archive", "s-alpha", "--json").output)["archived"] is True
