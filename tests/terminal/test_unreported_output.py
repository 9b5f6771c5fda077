"""tmux 3.2 reports no output: its panes are looked at again and again."""

from __future__ import annotations

import pytest
from patience import until

from clawtap_core.terminal import command_client

pytestmark = pytest.mark.tmux


@pytest.fixture
def old(monkeypatch):
    """Every tmux counts as one that must not be listened to."""
    monkeypatch.setattr(command_client, "REPORTS_OUTPUT", (99, 0))


def test_what_a_pane_writes_is_seen_without_a_report(old, terminal, start, seen, desk):
    pane = terminal.watch(start("cat"), seen)
    clients = desk("list-clients", "-F", "#{client_flags}").splitlines()
    assert all("no-output" in flags for flags in clients)
    pane.type("written")
    assert "written" in seen.shows("written").text


def test_a_connection_that_is_lost_is_looked_at_again(old, terminal, start, seen, desk):
    pane = terminal.watch(start("cat"), seen)
    for client in desk("list-clients", "-F", "#{client_name}").splitlines():
        desk("detach-client", "-t", client, check=False)
    until(lambda: desk("list-clients"))
    desk("send-keys", "-t", pane.id, "back", "Enter")
    assert "back" in seen.shows("back").text
