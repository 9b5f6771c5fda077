"""Notices over a desk whose clock the test moves, and a plugin that keeps what it is to send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from manual_time import ManualTime
from webdesk.desk import Desk

from clawtap_core.config import Settings
from clawtap_core.model import (
    Actor,
    Effect,
    Kind,
    Notice,
    NoticeAnswers,
    Option,
    Prompt,
    PromptForm,
    PromptState,
    Session,
)
from clawtap_core.server.devices import Devices
from clawtap_core.server.notices.service import Notices

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=timezone.utc)
OPTIONS = (
    Option("yes", "Yes", Effect.ALLOW_ONCE),
    Option("no", "No", Effect.DENY),
)


def shell(command: str, **fields: Any) -> PromptForm:
    """A permission to run a command."""
    return PromptForm(
        Kind.PERMISSION,
        "Run a command",
        command,
        tool_name="Bash",
        tool_input={"command": command},
        options=OPTIONS,
        **fields,
    )


class FakeClock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self._time = ManualTime()

    def now(self) -> float:
        return float(self._time.seconds)

    def wall(self) -> datetime:
        return NOON + timedelta(seconds=self.now() - 1000)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Any:
        return self._time.scheduler.call_later(seconds, callback)

    def advance(self, seconds: float) -> None:
        self._time.advance(seconds)


@dataclass
class Room:
    """The notices of a desk, and what was sent: each notice with its tokens for one device."""

    desk: Desk
    clock: FakeClock
    notices: Notices
    devices: Devices
    phone: str
    sent: list[Notice] = field(default_factory=list)
    tokens: list[Mapping[str, str]] = field(default_factory=list)
    heard: int = 0

    def send(self, notice: Notice, answers: NoticeAnswers) -> None:
        self.sent.append(notice)
        self.tokens.append(answers.for_device(self.phone))

    def session(self, title: str = "Shop") -> Session:
        return self.desk.add(title=title, cwd="/home/me/shop")

    def ask(self, session: Session, form: PromptForm | str = "shell") -> Prompt:
        form = shell("make test") if form == "shell" else form
        prompt = self.desk.ask(session.id, form)
        self.hear()
        return prompt

    def answer(self, prompt: Prompt, device: str = "Pixel 8") -> None:
        self.desk.resolve(prompt.request_id, PromptState.ANSWERED, Actor("user", device))
        self.hear()

    def end_turn(self, session: Session) -> None:
        self.desk.tell("done", session.id, {"sessionId": session.id})
        self.hear()

    def hear(self) -> None:
        """Report to the notices what happened since."""
        events = self.desk.events[self.heard :]
        self.heard = len(self.desk.events)
        worth = ("approval_required", "question_prompt", "prompt_resolved", "done", "session_error")
        for event in events:
            if event.type in worth:
                self.notices.take(event, self.desk.sessions[str(event.session_id)])

    def type_at_desk(self) -> None:
        self.desk.typed_at = self.clock.wall().timestamp()

    @property
    def bodies(self) -> list[str]:
        return [notice.body for notice in self.sent]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", token="t", notification_grace=60.0)


@pytest.fixture
def room(settings: Settings) -> Room:
    desk, clock = Desk(), FakeClock()
    devices = Devices(settings.data_dir / "devices.json", "t")
    phone = devices.add("Pixel 8", "browser")[0].id
    made: list[Room] = []
    notices = Notices(settings, devices, desk.transport, lambda n, a: made[0].send(n, a), clock)
    made.append(Room(desk, clock, notices, devices, phone))
    return made[0]
