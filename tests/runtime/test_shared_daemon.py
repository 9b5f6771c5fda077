"""When the server behind a prompt is joined, and when it is left."""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import datetime, timezone
from types import SimpleNamespace

import pytest
from fake_terminal import until

from clawtap_core.model import (
    Daemon,
    Event,
    HttpServer,
    Kind,
    PromptForm,
    Question,
    Response,
    Session,
    SessionState,
)
from clawtap_core.runtime.cli_hooks import shared_daemon
from clawtap_core.runtime.panes.tool_calls import ToolCalls

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
SESSION = Session("s", "toy", "terminal", "launched", "/", "t", NOON, NOON)


class Joined:
    """A connection that notes when it is left."""

    def __init__(self, live, daemon):
        self.live = live
        self.stays = live.stays
        self.over = False
        live.open += 1

    def await_request(self):
        self.live.reported.wait(60)

    def leave(self):
        self.live.open -= 1


@pytest.fixture
def live(tmp_path, monkeypatch):
    """A session in a pane whose CLI has a server; `open` counts the connections to it."""
    (tmp_path / "sock").touch()
    monkeypatch.setattr(shared_daemon, "Joined", Joined)
    daemon = Daemon(str(tmp_path / "sock"), None)
    adapter = SimpleNamespace(has=lambda name: True, open_daemon=lambda *about: daemon)
    reported = threading.Event()
    reported.set()
    calls = ToolCalls(adapter)
    pane = SimpleNamespace(group=os.getpid())
    return SimpleNamespace(
        id="s",
        prompt=None,
        adapter=adapter,
        open=0,
        stays=False,
        calls=calls,
        reported=reported,
        pane=pane,
    )


@pytest.fixture
def tell(live):
    """Tells that a prompt appeared or is over."""
    joining = shared_daemon.SharedDaemons({}, lambda name: live)

    def tell(kind, name, state=SessionState.WAITING):
        session = replace(SESSION, state=state)
        joining.on_event(Event(kind, NOON, "s", {"requestId": name}), session)

    yield tell
    joining.close()
    assert live.open == 0


def stand(live, tell, name):
    live.prompt = SimpleNamespace(request_id=name)
    tell("approval_required", name)


def join(live, tell, name):
    stand(live, tell, name)
    until(lambda: live.open == 1)


def test_a_server_is_joined_while_a_prompt_stands_there(live, tell):
    join(live, tell, "p1")
    live.prompt = None
    tell("prompt_resolved", "p1")
    until(lambda: live.open == 0)


def test_it_is_joined_though_the_session_does_not_know_yet_that_the_prompt_stands_there(live, tell):
    tell("approval_required", "p1")
    until(lambda: live.open == 1)
    tell("prompt_resolved", "p1")
    until(lambda: live.open == 0)


def test_it_is_left_though_the_prompt_that_is_over_is_still_remembered(live, tell):
    join(live, tell, "p1")
    tell("prompt_resolved", "p1")
    until(lambda: live.open == 0)


def test_it_is_kept_for_a_prompt_that_came_before_the_end_of_the_last_one_was_reported(live, tell):
    join(live, tell, "p1")
    stand(live, tell, "p2")
    tell("prompt_resolved", "p1")
    tell("prompt_resolved", "p2")
    until(lambda: live.open == 0)


def test_the_end_of_one_prompt_does_not_part_the_next_from_its_server(live, tell):
    join(live, tell, "p1")
    stand(live, tell, "p2")
    tell("prompt_resolved", "p1")
    until(lambda: not [t for t in threading.enumerate() if "_leave" in t.name])
    assert live.open == 1


def test_a_server_that_stays_joined_is_left_with_the_session(live, tell):
    live.stays = True
    join(live, tell, "p1")
    tell("prompt_resolved", "p1")
    stand(live, tell, "p2")
    live.calls.wait_until_settled(20)
    tell("prompt_resolved", "p2")
    assert live.open == 1
    tell("session_status", None, SessionState.ENDED)
    until(lambda: live.open == 0)


def test_an_answer_waits_until_the_server_has_reported_the_prompt(live, tell):
    live.reported.clear()
    stand(live, tell, "p1")
    waiter = threading.Thread(target=live.calls.wait_until_settled, args=(5,))
    waiter.start()
    until(lambda: live.open == 1)
    assert waiter.is_alive()
    live.reported.set()
    waiter.join(60)
    assert not waiter.is_alive()
    tell("prompt_resolved", "p1")
    until(lambda: live.open == 0)


def test_an_answer_waits_for_no_server_that_is_not_there(live, tell):
    live.adapter.open_daemon = lambda *about: None
    stand(live, tell, "p1")
    live.calls.wait_until_settled(30)
    tell("prompt_resolved", "p1")


@pytest.mark.parametrize(("questions", "carried"), [(1, False), (2, True)])
def test_a_server_takes_no_answer_to_a_part_of_its_questions(questions, carried):
    asked = tuple(Question(f"Question {number}?") for number in range(2))
    line = shared_daemon.Line(None, "call", PromptForm(Kind.QUESTION, "Asked", questions=asked))
    seen = PromptForm(Kind.QUESTION, "Asked", questions=asked[:questions])
    response = Response("p1", answers={"0": "A", "1": "B"})
    assert (line.carries(None, seen, response) is response) is carried


@pytest.mark.parametrize(
    ("named", "listens_on", "found"),
    [
        (4096, {4096, 5000}, 4096),
        (None, {4096}, 4096),
        (None, {4096, 5000}, None),  # which one is the server?
        (4096, {5000}, None),  # another program has taken the port that the CLI was given
        (None, set(), None),
    ],
)
def test_an_http_server_is_joined_only_where_the_cli_itself_listens(
    monkeypatch, named, listens_on, found
):
    monkeypatch.setattr(shared_daemon, "listening_ports", lambda group: frozenset(listens_on))
    server = shared_daemon._find(HttpServer("/event", named), 1)
    assert (server.port if server else None) == found


def test_a_refusal_that_a_server_takes_with_its_reason_says_so():
    form = PromptForm(Kind.PERMISSION, "Run?", takes_reason=True)
    assert shared_daemon.Line(None, "call", form).takes_reason
    assert not shared_daemon.Line(None, "call", replace(form, takes_reason=False)).takes_reason
