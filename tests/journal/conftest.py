from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from clawtap_core.journal import MemoryJournal, SqliteJournal
from clawtap_core.model import (
    Event,
    Kind,
    Option,
    Prompt,
    PromptForm,
    PromptState,
    QueuedMessage,
    Resolution,
    Session,
    SessionState,
)

START = datetime(2026, 11, 21, 10, 0, 0, 123456, tzinfo=timezone.utc)


class Make:
    """Values for a journal; `minute` tells when."""

    def at(self, minute: float) -> datetime:
        return START + timedelta(minutes=minute)

    def event(self, kind: str = "message", session: str | None = "s1", minute: float = 0) -> Event:
        return Event(kind, self.at(minute), session, {"sessionId": session, "text": "häh\n"})

    def session(
        self, name: str = "s1", state: SessionState = SessionState.IDLE, minute: float = 0
    ) -> Session:
        at = self.at(minute)
        return Session(name, "gemini", "terminal", "launched", "/src", name, at, at, state)

    def prompt(self, name: str = "p1", call: str | None = None, minute: float = 0) -> Prompt:
        form = PromptForm(
            Kind.PERMISSION,
            "Run it?",
            "rm -r build",
            subject="rm -r build",
            tool_call_id=call,
            options=(Option("yes", "Yes"), Option("no", "No")),
            dialog="folder-trust",
            top=3,
        )
        return Prompt(name, "s1", "terminal", form, self.at(minute))

    def ended(self, name: str = "p1", call: str | None = None, minute: float = 0) -> Prompt:
        open_prompt = self.prompt(name, call, minute)
        outcome = PromptState.ANSWERED
        resolution = Resolution(outcome, "user", "phone", self.at(minute))
        return Prompt(
            name,
            "s1",
            "terminal",
            open_prompt.form,
            open_prompt.created_at,
            outcome,
            resolution=resolution,
        )

    def message(self, name: str = "m1", minute: float = 0) -> QueuedMessage:
        return QueuedMessage(name, "s1", "go on", self.at(minute))


@pytest.fixture
def make():
    return Make()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "journal.db"


@pytest.fixture
def file_journal(path):
    journal = SqliteJournal(path)
    yield journal
    journal.close()


@pytest.fixture(params=["memory", "sqlite"])
def journal(request):
    if request.param == "memory":
        return MemoryJournal()
    return request.getfixturevalue("file_journal")
