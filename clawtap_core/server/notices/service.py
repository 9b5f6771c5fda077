"""The notices of one server: takes events, and sends plugins what is due."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from clawtap_core.config import Settings
from clawtap_core.config.quiet_hours import QuietHours
from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Forbidden
from clawtap_core.hookspecs import hookimpl
from clawtap_core.model import Actor, Device, Event, Notice, NoticeAnswers, Prompt, Role, Session
from clawtap_core.model.ansi import printable_line
from clawtap_core.server.devices import Devices, digest
from clawtap_core.server.notices.answer_tokens import AnswerGrant, AnswerTokens
from clawtap_core.server.notices.answerable import answerable_detail
from clawtap_core.server.notices.outbox import Clock, Outbox, Timer
from clawtap_core.server.notices.preferences import Preferences
from clawtap_core.server.notices.presence import Presence
from clawtap_core.server.notices.session_news import LONGEST_LINE
from clawtap_core.server.notices.shown_notices import ShownNotices
from clawtap_core.server.roles import check_role
from clawtap_core.session_titles import session_title
from clawtap_core.transport import Transport

log = logging.getLogger(__name__)
TARGET = "notifier"
_SELF = Actor("notices", "local")
Send = Callable[[Notice, NoticeAnswers], None]


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        """Return a time in seconds that only grows."""
        return time.monotonic()

    def wall(self) -> datetime:
        """Return this machine's local time."""
        return datetime.now().astimezone()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back in a thread of its own."""
        timer = threading.Timer(seconds, callback)
        timer.daemon = True
        timer.start()
        return timer


class Notices:
    """Decides which notices are due, hands them to `send`, and takes the answers they bring."""

    def __init__(
        self,
        settings: Settings,
        devices: Devices,
        transport_for: Callable[[Actor], Transport],
        send: Send = lambda notice, answers: None,
        clock: Clock | None = None,
    ) -> None:
        folder = Path(settings.data_dir)
        self._devices, self._transport_for, self._send = devices, transport_for, send
        self._clock = clock or SystemClock()
        self.preferences = Preferences(folder / "notifications.json", settings)
        self.presence = Presence(
            self._desk_typed_at,
            clock=self._clock.now,
            wall_clock=lambda: self._clock.wall().timestamp(),
        )
        self.tokens = AnswerTokens(folder / "answers.json", self._clock.wall)
        shown = ShownNotices(folder / "notices.json")
        self.outbox = Outbox(self._send_safely, self, self._clock, shown)
        devices.on_revoke(self.tokens.revoke)

    # Events

    def take(self, event: Event, session: Session) -> None:
        """Take an event of the host's `notify` hook."""
        if event.type == "prompt_resolved":
            self.tokens.end_prompt(str(event.data["requestId"]))
        self.outbox.take(event, session)

    def recover(self, transport_for: Callable[[Actor], Transport]) -> None:
        """Take up the prompts that waited before a restart; events may already come in.

        `transport_for` reaches this machine alone: each of a fleet tells of its own sessions.
        """
        self.outbox.recover(self._sessions_with_prompts(transport_for(_SELF)))

    def _sessions_with_prompts(
        self, machine: Transport
    ) -> Iterator[tuple[Session, Sequence[Prompt]]]:
        waiting: dict[str, list[Prompt]] = {}
        for prompt in machine.pending():
            waiting.setdefault(prompt.session_id, []).append(prompt)
        for session in machine.sessions():
            yield session, waiting.get(session.id, ())

    # Conditions

    def muted(self, session_id: str) -> bool:
        """Return True in quiet hours, and for a session that the user muted."""
        hours = QuietHours.parse(self.preferences.settings.quiet_hours)
        quiet = hours is not None and hours.contain(self._clock.wall().time())
        return quiet or session_id in self.preferences.muted

    def on_screen(self, session_id: str) -> bool:
        """Return True if the user looks at this session."""
        return self.presence.on_screen(session_id)

    def grace(self) -> float:
        """Return how many seconds a notice waits: those of the settings if the user is near."""
        return self.preferences.settings.grace if self.presence.nearby() else 0.0

    def read(self, session_id: str, request_id: str) -> tuple[Prompt | None, str]:
        """Return a prompt, and all that it would do if a notice can offer its answers."""
        runtime = self._transport_for(_SELF)
        try:
            prompt, session = runtime.prompt(request_id), runtime.session(session_id)
        except ClawTapError:
            return None, ""
        return prompt, answerable_detail(prompt, session.cwd)

    def _desk_typed_at(self) -> float:
        # If the desk cannot be asked, send.
        try:
            return self._transport_for(_SELF).desk_typed_at()
        except ClawTapError:
            return 0.0

    # Notices and their answers

    def _send_safely(self, notice: Notice) -> None:
        try:
            if notice.session:
                # The title that the page shows for its session.
                title = session_title(self._transport_for(_SELF), notice.session)
                notice = replace(notice, title=printable_line(title, LONGEST_LINE) or notice.title)
            self._send(notice, _Answers(self, notice))
        except Exception as error:
            log.warning("a notice could not be sent: %s", type(error).__name__)

    def issue(self, notice: Notice, device_id: str, *, login: bool) -> Mapping[str, str]:
        """Return a token for each answer that a notice offers on a device that may answer."""
        session, request_id = notice.session, notice.request_id
        role = self._devices.role(device_id)
        offered = self.preferences.settings.buttons and role and role.includes(Role.ANSWER)
        if not (offered and notice.detail and session and request_id):
            return {}
        shown = digest(notice.detail)
        return {
            decision: self.tokens.issue(
                AnswerGrant(session.id, request_id, decision, device_id, shown, login)
            )
            for decision in ("approve", "deny")
        }

    def target_device(self, name: str, address: str) -> str:
        """Return the device that stands for a target; one that was revoked stays so."""
        key = digest(address)
        device_id = self.preferences.target_device(key)
        if device_id is None:
            device_id = self._devices.add(name, TARGET, Role.ANSWER)[0].id
            self.preferences.set_target_device(key, device_id)
        return device_id

    def answer(self, token: str, sender: Device | None) -> Prompt:
        """Give the answer of a token, which this uses up; return the prompt once it is delivered.

        Raises Unauthorized, Forbidden or Conflict for a token that is not valid, and what a
        delivery raises.
        """
        grant = self.tokens.take(token, sender.id if sender else None)
        device = next((each for each in self._devices.all() if each.id == grant.device_id), None)
        if device is None:
            raise Forbidden("this device was revoked", code=ErrorCode.ANSWER_FOREIGN)
        check_role(device.role, Role.ANSWER)
        prompt, detail = self.read(grant.session_id, grant.request_id)
        runtime = self._transport_for(Actor("user", device.name, device.id))
        if prompt and prompt.state.open and digest(detail) != grant.detail_digest:
            raise Conflict(
                "this prompt has changed since the notification; open ClawTap to answer",
                code=ErrorCode.PROMPT_CHANGED,
            )
        answer = runtime.approve if grant.decision == "approve" else runtime.deny
        return answer(grant.session_id, grant.request_id)


class _Answers:
    """The answers of one notice."""

    def __init__(self, notices: Notices, notice: Notice) -> None:
        self._notices, self._notice = notices, notice

    def for_device(self, device_id: str) -> Mapping[str, str]:
        return self._notices.issue(self._notice, device_id, login=True)

    def for_target(self, name: str, address: str) -> Mapping[str, str]:
        try:
            device_id = self._notices.target_device(name, address)
        except ClawTapError as error:
            # The disk is full, or Redis is away: a notice without buttons is better than none.
            log.warning("a notice can offer no answers: %s", error.message)
            return {}
        return self._notices.issue(self._notice, device_id, login=False)


class NoticesPlugin:
    """Feeds the notices with the events of the `notify` hook."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices

    @hookimpl
    def notify(self, event: Event, session: Session) -> None:
        """Take an event."""
        self._notices.take(event, session)
