"""watch, journal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from clawtap_core.cli import watch
from clawtap_core.client.event_stream import read_events
from clawtap_core.errors import Unavailable
from clawtap_core.model import Machine, MachineStatus


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "RECONNECT_SECONDS", 0)


def test_events_are_shown_one_a_line(run: Any, server: Any) -> None:
    resolution = {"by": "user", "device": "phone"}
    server.streams = [
        [
            server.happen("approval_required", 4, title="Run\nthis?", state="pending"),
            None,
            server.happen("text_delta", None, text="noise"),
            server.happen("prompt_resolved", 5, title="Run", resolution=resolution),
        ]
    ]
    lines = run("watch").output.splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("s-alpha- approval_required  Run this? · pending")
    assert lines[1].endswith("prompt_resolved    Run · by user on phone")


def test_a_stream_that_ends_goes_on_where_it_ended(run: Any, server: Any) -> None:
    snapshot = server.happen("snapshot", None, cursor="other-40")
    server.streams = [[server.happen("message", 7)], [snapshot], [server.happen("message", 41)]]
    run("watch", "s-alpha")
    assert [call[1:] for call in server.calls] == [
        ("epoch-3", "s-alpha-1"),
        ("epoch-7", "s-alpha-1"),
        ("other-40", "s-alpha-1"),
        ("other-41", "s-alpha-1"),
    ]


def test_a_stream_of_a_fleet_goes_on_behind_the_events_of_other_machines(
    run: Any, server: Any
) -> None:
    snapshot = server.happen("snapshot", None, cursor="m2.170-0~epoch-3")
    lines = [
        b"id: m2.171-0~epoch-3\n",
        b'event: message\ndata: {"sessionId": "s-far"}\n\n',
        b'event: text_delta\ndata: {"sessionId": "s-far"}\n\n',
        b'id: m2.171-0~epoch-4\nevent: message\ndata: {"sessionId": "s-near"}\n\n',
    ]
    received = [*read_events(iter(b"".join(lines).splitlines()), "m2.170-0~epoch-3")]
    server.streams = [[snapshot], received]
    output = run("watch", "--json").stdout
    shown = [json.loads(line) for line in output.splitlines()]
    assert [(each["type"], each.get("seq")) for each in shown] == [
        ("snapshot", None), ("message", None), ("text_delta", None), ("message", 4)
    ]  # fmt: skip
    assert [call[1] for call in server.calls] == [
        "epoch-3",
        "m2.170-0~epoch-3",
        "m2.171-0~epoch-4",
    ]


def test_events_as_json_are_one_a_line(run: Any, server: Any) -> None:
    server.streams = [[server.happen("text_delta", None, text="word")]]
    event = json.loads(run("watch", "--json").output.splitlines()[0])
    assert (event["type"], event["data"]["text"]) == ("text_delta", "word")


def test_the_journal_is_shown_from_its_end_and_says_when_there_is_more(
    run: Any, server: Any
) -> None:
    server.happened = [server.happen("message", 2, text="hello"), server.happen("message", 1)]
    server.cursor = "1"
    result = run("journal", "--session", "s-b", "--limit", "2", "--cursor", "3")
    asked = {"session_id": "s-beta-22", "cursor": "3", "limit": 2}
    assert server.calls == [("latest_events", asked)]
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["2", "1"]
    assert result.stderr == "(there is more: --cursor 1)\n"
    assert json.loads(run("journal", "--latest", "--json").stdout)[0]["seq"] == 2


def test_over_several_machines_each_event_names_its_own(run: Any, server: Any) -> None:
    event = server.happen("message", 1, text="hello")
    server.happened = [replace(event, machine=Machine("m2", "laptop")), event]
    lines = run("journal", "--latest").stdout.splitlines()
    assert lines[0].startswith("laptop      1 ")
    assert lines[1].startswith("            1 ")


def test_one_journal_is_read_from_its_beginning(run: Any, server: Any) -> None:
    server.happened = [server.happen("message", 1, text="hello"), server.happen("message", 2)]
    result = run("journal", "--session", "s-b", "--limit", "2")
    assert server.calls == [("journal", 0, 2, "s-beta-22")]
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr == "more: --after 2 (the last is 9)\n"
    assert json.loads(run("journal", "--json").stdout)[0]["seq"] == 1
    both = run("journal", "--after", "0", "--cursor", "1")
    assert both.exit_code == 2
    assert "--after lists events from the oldest on" in both.stderr


def test_an_empty_journal_says_so_and_where_a_fleet_has_others(run: Any, server: Any) -> None:
    result = run("journal")
    assert (result.stdout, result.stderr) == ("", "no events yet\n")
    server.fleet = (MachineStatus(Machine("m2", "laptop"), "1.0"),)
    assert run("journal").stderr == (
        "no events of this machine yet; --latest shows those of all machines\n"
    )
    assert run("journal", "--after", "3").stderr == ""


def test_a_server_that_is_gone_is_waited_for_but_not_for_ever(
    run: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MOST_TRIES", 3)
    tried: list[str | None] = []

    def events(after: str | None, **_: Any) -> Iterator[Any]:
        tried.append(after)
        if len(tried) == 2:
            yield server.happen("message", 8)
        raise Unavailable("no answer from http://fake", code="server_unreachable")

    monkeypatch.setattr(server, "events", events)
    result = run("watch")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: no answer from http://fake (server_unreachable)\n",
    )
    assert tried == ["epoch-3", "epoch-3", "epoch-8", "epoch-8", "epoch-8"]


def test_the_user_ends_watching_without_a_word(
    run: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def events(after: str | None, **_: Any) -> Iterator[Any]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(server, "events", events)
    result = run("watch")
    assert (result.exit_code, result.output) == (0, "")
