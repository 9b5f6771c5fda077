"""What is kept of another machine: its replies may come before the events of the same answer."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from itertools import takewhile

import pytest

from clawtap_core import Kind, PromptForm, PromptState
from clawtap_core.config import Settings
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.members import Member
from clawtap_core.fleet.mirror import Mirror
from clawtap_core.fleet.remote_machine import RemoteMachine
from clawtap_core.fleet.state_fields import PROMPT, SEQ, SESSION, field_name
from clawtap_core.fleet.view import FleetView
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor, Prompt, Session, SessionState
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.hub import NoTerminal
from clawtap_core.schemas import dump

NOON = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)
FORM = PromptForm(Kind.PERMISSION, "Run this?", "make")
PROMPT_OPEN = Prompt("p1", "s1", "terminal", FORM, NOON)
ANSWERING = replace(PROMPT_OPEN, state=PromptState.ANSWERING)
ANSWERED = replace(PROMPT_OPEN, state=PromptState.ANSWERED)


@pytest.fixture
def mirror():
    mirror = Mirror(lambda event: None)
    mirror.meet({"laptop": Member("laptop")}, {"laptop": {}})
    mirror.replace("laptop", "1-0", whole_state(PROMPT_OPEN))
    return mirror


def whole_state(prompt):
    return {SEQ: 1, field_name(PROMPT, prompt.request_id): dump(prompt)}


def updated(prompt, seq):
    return {
        "type": "prompt_updated",
        "at": NOON.isoformat(),
        "sessionId": prompt.session_id,
        "data": dump(prompt),
        "seq": seq,
    }


def test_a_prompt_that_ended_in_a_reply_stays_ended_when_an_older_event_comes(mirror):
    mirror.remember("laptop", ANSWERED)
    assert mirror.apply("laptop", "2-0", updated(ANSWERING, 2))
    assert mirror.prompt("p1") == ("laptop", ANSWERED)
    assert mirror.prompts() == []


def test_a_prompt_that_ended_in_a_reply_stays_ended_when_an_older_state_is_read(mirror):
    mirror.remember("laptop", ANSWERED)
    mirror.replace("laptop", "2-0", whole_state(ANSWERING))
    assert mirror.prompt("p1") == ("laptop", ANSWERED)
    assert mirror.prompts() == []


def test_a_prompt_that_ended_in_a_reply_waits_no_more(mirror):
    assert [prompt.request_id for prompt in mirror.prompts()] == ["p1"]
    mirror.remember("laptop", ANSWERED)
    assert mirror.prompts() == []
    assert mirror.machines()[0].pending == 0


def test_a_copied_machine_neither_ends_a_prompt_nor_hides_its_session(mirror):
    lives, lost = session("s1"), replace(session("s1"), state=SessionState.LOST)
    mirror.replace(
        "laptop", "2-0", {**whole_state(PROMPT_OPEN), field_name(SESSION, "s1"): dump(lives)}
    )
    for order in (("copy", "laptop"), ("laptop", "copy")):
        mirror.meet({name: Member(name) for name in order}, {name: {} for name in order})
        mirror.replace("copy", "1-0", {SEQ: 1, field_name(SESSION, "s1"): dump(lost)})
        mirror.remember("copy", replace(PROMPT_OPEN, state=PromptState.CANCELLED))
        mirror.replace(
            "laptop", "2-0", {**whole_state(PROMPT_OPEN), field_name(SESSION, "s1"): dump(lives)}
        )
        for shown in (mirror.session("s1"), *mirror.sessions()):
            assert (shown.machine.name, shown.state) == ("laptop", SessionState.STARTING)
        assert mirror.prompt("p1") == ("laptop", PROMPT_OPEN)
        mirror.meet({}, {}, left=["copy"])
    assert [one.id for one in mirror.sessions()] == ["s1"]


@pytest.fixture
def view(tmp_path):
    """What a hub sees of ten machines, each with a session; it never asks its Redis."""
    settings = Settings(data_dir=tmp_path)
    key = FleetKey.new(f"unix://{tmp_path}/none.sock")
    runtime = Runtime(Host(), NoTerminal(), MemoryJournal(), env={})
    view = FleetView(settings, key, runtime)
    members = {f"m{number}": Member(f"m{number}") for number in range(10)}
    view.mirror.meet(members, {name: {} for name in members})
    for name in members:
        view.mirror.replace(name, "1-0", {SEQ: 1, field_name(SESSION, name): dump(session(name))})
    yield view
    runtime.close()


def session(name):
    return Session(name, "toy", "terminal", "test", "/project", name, NOON, NOON)


def transport(view):
    return FleetTransport(view, view._local.transport(Actor()), Actor())


def test_machines_that_go_at_once_are_one_snapshot_for_a_client(view):
    with closing(transport(view).events(idle=0.01)) as events:
        first = next(events)
        view.mirror.lose_all()
        come = list(takewhile(lambda event: event, events))
    assert {one["state"] for one in first.data["sessions"]} == {"starting"}
    assert [event.type for event in come] == ["snapshot"]
    assert {one["state"] for one in come[0].data["sessions"]} == {"lost"}


def test_a_slow_client_gets_one_snapshot_for_all_that_happened_since(view):
    with closing(transport(view).events(idle=0.01)) as events:
        next(events)
        for name in view.mirror.ids():
            view.mirror.replace(name, "2-0", {SEQ: 2})
        come = list(takewhile(lambda event: event, events))
    assert [len(event.data["sessions"]) for event in come] == [0]


def test_sessions_are_made_once_for_all_clients_and_again_after_a_change(view, monkeypatch):
    made = []
    shown = RemoteMachine.session
    monkeypatch.setattr(
        RemoteMachine, "session", lambda machine, name: made.append(name) or shown(machine, name)
    )
    for _ in range(50):
        transport(view).snapshot()
    assert sorted(made) == sorted(view.mirror.ids())
    view.mirror.lose_all()
    assert {one.state for one in transport(view).sessions()} == {SessionState.LOST}
    assert len(made) == 20
