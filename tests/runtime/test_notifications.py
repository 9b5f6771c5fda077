"""What plugins are notified of."""

from __future__ import annotations

import logging
from types import ModuleType

from fake_terminal import Toy, until
from toy_conversations import show
from toy_transcripts import note

from clawtap_core import hookimpl


def notified(office):
    """Return the list that gets what a plugin is notified of."""
    calls = []
    plugin = ModuleType("listener")

    @hookimpl
    def notify(event, session):
        calls.append((event.type, session.title))

    plugin.notify = notify
    office.host.add(plugin, "listener")
    return calls


def ask(office, desk, session):
    pane = desk.terminal.watched[desk.transport().session(session).pane]
    pane.program.asks.append("Delete it?")
    pane.look()


def test_a_plugin_gets_the_title_that_the_page_shows(office):
    calls = notified(office)
    desk = office.open()
    session = office.start(desk, Toy())
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: desk.transport().session(session).cli_session_id)
    ask(office, desk, session)
    until(lambda: ("approval_required", "talk") in calls)


def test_a_title_that_cannot_be_read_holds_no_event_back(office, monkeypatch, caplog):
    calls = notified(office)
    desk = office.open()
    session = office.start(desk, Toy())

    def fails(transport, session):
        raise OSError

    monkeypatch.setattr("clawtap_core.runtime.components.session_title", fails)
    with caplog.at_level(logging.WARNING):
        ask(office, desk, session)
        until(lambda: ("approval_required", "proj") in calls)
    assert "a title could not be read: OSError" in caplog.text
