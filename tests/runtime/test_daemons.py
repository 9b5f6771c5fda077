"""When the server behind a prompt is joined, and when it is left."""

from __future__ import annotations

import threading
from datetime import datetime, timezone
from types import SimpleNamespace

import pytest
from fake_terminal import until

from clawtap_core.model import Daemon, Event, Session
from clawtap_core.runtime.cli_hooks import shared_daemon

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
SESSION = Session("s", "toy", "terminal", "launched", "/", "t", NOON, NOON)


class Joined:
    """A connection that notes when it is left."""

    def __init__(self, live, daemon):
        self.live = live
        live.open += 1

    def leave(self):
        self.live.open -= 1


@pytest.fixture
def live(tmp_path, monkeypatch):
    """A session in a pane whose CLI has a server; `open` counts the connections to it."""
    (tmp_path / "sock").touch()
    monkeypatch.setattr(shared_daemon, "Joined", Joined)
    daemon = Daemon(str(tmp_path / "sock"), None)
    adapter = SimpleNamespace(has=lambda name: True, open_daemon=lambda *about: daemon)
    return SimpleNamespace(prompt=None, adapter=adapter, open=0)


@pytest.fixture
def tell(live):
    """Tells that a prompt appeared or is over."""
    joining = shared_daemon.SharedDaemons({}, lambda name: live)

    def tell(kind, name):
        joining.on_event(Event(kind, NOON, "s", {"requestId": name}), SESSION)

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


def test_it_is_left_though_the_prompt_that_is_over_is_still_remembered(live, tell):
    join(live, tell, "p1")
    tell("prompt_resolved", "p1")
    until(lambda: live.open == 0)


def test_it_is_kept_for_a_prompt_that_came_before_the_last_one_was_told_to_be_over(live, tell):
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
