"""One running protocol session, whose CLI's events become prompts, states and events.

Locks are taken in this order: the typing turn, the session's own, the store's. The thread that
reads the CLI takes only the last two, and never waits for an answer.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from clawtap_core.errors import ClawTapError, Conflict, ErrorCode
from clawtap_core.host import Adapter
from clawtap_core.model import (
    Action,
    Actor,
    AgentEvent,
    Interrupt,
    Message,
    PeerEvent,
    Prompt,
    PromptRequested,
    PromptState,
    RequestCancelled,
    Response,
    Session,
    SessionFacts,
    SessionState,
)
from clawtap_core.prompts.validation import validate_response
from clawtap_core.protocol import Child, Exit, Link
from clawtap_core.runtime.conversations.dedup import PROTOCOL, TRANSCRIPT, EventDeduplicator
from clawtap_core.runtime.conversations.reported import ReportedConversations
from clawtap_core.runtime.delivery.api import StepJournal
from clawtap_core.runtime.protocol.message import ProtocolMessage
from clawtap_core.runtime.state import events
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore
from clawtap_core.runtime.timings import Scheduled, Scheduler, Timings
from clawtap_core.transcripts.usage_limit import with_end

log = logging.getLogger(__name__)
# What the journal keeps; the conversation is in the CLI's own files.
KEPT = ("session_error", "done")
DESK = Actor("someone", "elsewhere")
UNREADABLE = "ClawTap could not read this request"
NOT_RESUMED = "not_resumed"
REFUSED = "the CLI refused to begin; its error says why"


class ProtocolSession:
    """A CLI that speaks a protocol, its link, and its open requests.

    Its messages come from its transcript, if the adapter reads one, else from the peer; its calls
    from whichever reports them first (`deduplicator`). `named` is called with the CLI's own id of
    the session; `settled`, in a thread of its own, when the session became idle; `over`, once, with
    the reason when its CLI has ended. `lost_conversation` is why its CLI began a new conversation
    in place of the one that it should resume, or "".
    """

    def __init__(
        self,
        session: Session,
        adapter: Adapter,
        store: StateStore,
        asking: OffscreenPrompts,
        reported: ReportedConversations,
        *,
        named: Callable[[str, str], None],
        settled: Callable[[ProtocolSession], None],
        over: Callable[[ProtocolSession, str], None],
        timings: Timings,
        scheduler: Scheduler,
    ) -> None:
        self.id = session.id
        self.adapter = adapter.for_session(session.id)
        self.was_idle = False
        self.deduplicator = EventDeduplicator()
        self._store, self._asking, self._reported = store, asking, reported
        reported.begin(self.id)
        self._named, self._settled, self._over = named, settled, over
        self._turn = threading.Lock()
        self._lock = threading.RLock()
        self._calls: dict[str, str] = {}
        self._state = SessionState.STARTING
        self._child: Child | None = None
        self._link: Link | None = None
        self.lost_conversation = ""
        self._opened = threading.Event()
        self._why = ""
        self._timings, self._scheduler = timings, scheduler
        self._opening: Scheduled | None = None

    def begin(self, child: Child, link: Link) -> None:
        """Start the conversation."""
        self._child, self._link = child, link
        opens = self._timings.protocol_opens
        self._opening = self._scheduler.call_later(opens, self._on_timeout)
        child.start(link.received, self._ended)
        link.open()

    def wait_until_open(self, seconds: float) -> bool:
        """Return whether the CLI is ready or has ended, waiting for it."""
        return self._opened.wait(seconds)

    def leave(self) -> None:
        """Ignore whatever the CLI still says, and emit nothing."""
        with self._lock:
            self._state = SessionState.ENDED
            self._stop_waiting()
            self._calls.clear()

    def close(self) -> None:
        """End the CLI with its session."""
        self.leave()
        if self._child:
            self._child.close()

    @property
    def idle(self) -> bool:
        """Return True if a message may be sent."""
        return self._state is SessionState.IDLE and not self._calls

    @property
    def prompt(self) -> Prompt | None:
        """Return the oldest open prompt."""
        return next((self._store.find_prompt(name) for name in list(self._calls)), None)

    @property
    def calm_for(self) -> float:
        """Return infinity while a message may be sent: the CLI itself reports its state."""
        return math.inf if self.idle else 0.0

    @property
    def leftover(self) -> str:
        """Return "": there is no composer."""
        return ""

    def postpone_queue(self, seconds: float, why: str = "") -> None:
        """Look at the queue again after this many seconds."""
        self._scheduler.call_later(seconds, lambda: self._settled(self))

    def refresh(self) -> None:
        """Do nothing: only a composer holds up a queue while its session is idle."""

    @contextmanager
    def typing(self, patience: float) -> Iterator[None]:
        """Lock out other senders."""
        if not self._turn.acquire(timeout=patience):
            raise Conflict("another message is being sent", code=ErrorCode.SESSION_BUSY)
        try:
            yield
        finally:
            self._turn.release()

    def message_delivery(self, text: str, journal: StepJournal) -> ProtocolMessage:
        """Return the delivery of a message."""
        return ProtocolMessage(self.send, text, journal)

    def draft_removal(self, text: str, journal: StepJournal) -> ProtocolMessage:
        """Return a delivery that does nothing: a message is sent whole or not at all."""
        return ProtocolMessage(lambda text: None, "", journal)

    def message_sent(self, text: str, message_id: str) -> None:
        """Do nothing: the CLI itself says that it is busy."""

    # Requests to the CLI

    def send(self, text: str) -> None:
        """Send a message; Conflict if the session is not idle."""
        with self._lock:
            if not self.idle:
                raise Conflict("the session is not idle", code=ErrorCode.NOT_NOW)
            self._set_state(SessionState.BUSY)
        try:
            self._running_link.message(text)
        except BaseException:
            # A CLI that went on in the meantime has reported its state itself.
            with self._lock:
                if self._state is SessionState.BUSY:
                    self._set_state(SessionState.IDLE, ended_turn=False)
            raise

    def control(self, action: Action) -> None:
        """Interrupt, or switch mode or model."""
        if isinstance(action, Interrupt) and self._state is not SessionState.BUSY:
            state = self._state.value
            raise Conflict(
                f"nothing to interrupt: the session is {state}",
                code=ErrorCode.NOT_NOW,
                details={"state": state},
            )
        self._running_link.control(action)

    def answered(self, prompt: Prompt, response: Response) -> None:
        """Deliver an answer (`PromptOwner`)."""
        with self._lock:
            call = self._calls.get(prompt.request_id)
        if call is None:
            raise Conflict("the CLI is no longer asking this", code=ErrorCode.PROMPT_CHANGED)
        # The request stays known until the CLI has its answer, so that a failure leaves it open.
        self._running_link.answer(call, response)
        with self._lock:
            self._calls.pop(prompt.request_id, None)
            self._set_state(self._state)

    def ended(self, prompt: Prompt) -> None:
        """Refuse an expired or cancelled prompt at the CLI (`PromptOwner`)."""
        if call := self._calls.pop(prompt.request_id, None):
            why = (prompt.resolution and prompt.resolution.detail) or "this was withdrawn"
            refusal = Response(prompt.request_id, reason=why, decision="deny")
            self._deny(call, validate_response(prompt.form, refusal))

    @property
    def _running_link(self) -> Link:
        if self._link is None:
            raise Conflict("the session is starting", code=ErrorCode.SESSION_STARTING)
        return self._link

    def _deny(self, call: str, refusal: Response) -> None:
        """Refuse a request in a thread of its own: the reader's must not wait."""

        def deny() -> None:
            try:
                self._running_link.answer(call, refusal)
            except ClawTapError as error:
                log.info("not refused: %s", error.message, extra={"session": self.id})
            with self._lock:
                self._set_state(self._state)

        threading.Thread(target=deny, daemon=True).start()

    # Events of the CLI

    def on_event(self, event: PeerEvent) -> None:
        """Handle an event of the peer."""
        with self._lock:
            if self._state is SessionState.ENDED:
                return
            if isinstance(event, PromptRequested):
                self._on_request(event)
            elif isinstance(event, RequestCancelled):
                self._on_cancelled(event)
            elif isinstance(event, SessionFacts):
                self._on_facts(event)
            elif isinstance(event, Message):
                self._on_message(event)
            elif isinstance(event, AgentEvent):
                if event.type == "session_error" and event.data.get("code") == NOT_RESUMED:
                    self.lost_conversation = str(event.data.get("error", ""))
                self._publish(event.type, with_end(event.data, self._store.now()))
            self._store.touch(self.id)

    def _on_request(self, request: PromptRequested) -> None:
        form = self.adapter.valid_form(request.form, "receive")
        request_id = self._prompt_of(request.call)
        if form is None:
            # Nobody could answer it, and the CLI would wait indefinitely.
            self._publish("session_error", {"code": "not_understood", "error": UNREADABLE})
            self._deny(request.call, Response("", reason=UNREADABLE, decision="deny"))
        elif request_id is None:
            with self._store.exclusive():
                prompt = self._asking.ask(self.id, "protocol", form, self)
                self._calls[prompt.request_id] = request.call
                self._set_state(SessionState.BUSY)
        else:
            self._store.update_prompt(request_id, form)

    def _prompt_of(self, call: str) -> str | None:
        """Return the id of the open prompt of a CLI's request."""
        return next((name for name, other in list(self._calls.items()) if other == call), None)

    def _on_cancelled(self, request: RequestCancelled) -> None:
        if name := self._prompt_of(request.call):
            self._calls.pop(name, None)
            if request.elsewhere:
                outcome, actor, detail = PromptState.ANSWERED_ELSEWHERE, DESK, request.detail
            else:
                outcome, actor = PromptState.CANCELLED, None
                detail = request.detail or "the CLI took it back"
            self._store.end_prompt(name, outcome, actor=actor, detail=detail)
        self._set_state(self._state)

    def _on_facts(self, facts: SessionFacts) -> None:
        if facts.cli_session_id:
            self._named(self.id, facts.cli_session_id)
        names = ("cli_version", "mode", "model")
        if changes := {name: value for name in names if (value := getattr(facts, name))}:
            self._store.change_session(self.id, **changes)
        if facts.state is SessionState.ENDED:
            threading.Thread(target=self._give_up, args=(REFUSED,), daemon=True).start()
        elif facts.state:
            self._set_state(facts.state)

    def _set_state(self, state: SessionState, *, ended_turn: bool = True) -> None:
        if self._state is SessionState.ENDED:
            return
        was, self._state = self._state, state
        if state is not SessionState.STARTING:
            self._stop_waiting()
            self._opened.set()
        shown = SessionState.WAITING if self._calls else state
        self._store.change_session(self.id, state=shown)
        if state is SessionState.IDLE and was is not SessionState.IDLE:
            self.was_idle = True
            if was is SessionState.BUSY and ended_turn:
                self._publish("done", {})
        # A message that was not taken is tried again after a while.
        if ended_turn and self.idle and self._store.queue(self.id):
            threading.Thread(target=self._settled, args=(self,), daemon=True).start()

    def _on_message(self, message: Message) -> None:
        if not self.adapter.has("parse_transcript"):
            for event in self._reported.add(self.id, message):
                if self.deduplicator.accepts(event, TRANSCRIPT):
                    self._store.publish_transient(event)

    def _publish(self, kind: str, data: Mapping[str, Any]) -> None:
        event = events.session_event(kind, self.id, self._store.now(), **data)
        if kind in KEPT:
            self._store.commit([event], happened=True)
        elif self.deduplicator.accepts(event, PROTOCOL):
            self._store.publish_transient(event)

    # A CLI that does not begin, or ends

    def _stop_waiting(self) -> None:
        if self._opening:
            self._opening.cancel()

    def _on_timeout(self) -> None:
        words = self._child.stderr.text if self._child else ""
        why = _joined(f"the CLI did not answer within {self._timings.protocol_opens:g} s", words)
        self._give_up(why, code="no_answer")

    def _give_up(self, why: str, code: str | None = None) -> None:
        """End a CLI that never became ready; `code` is that of an unreported error."""
        with self._lock:
            if self._state is not SessionState.STARTING:
                return
            self._why = why
            if code:
                self._publish("session_error", {"code": code, "error": why})
            self.leave()
        self.close()

    def _ended(self, exit_: Exit) -> None:
        with self._lock:
            if self._state is SessionState.STARTING:
                error = _joined(f"the CLI {exit_.how}", exit_.stderr)
                self._publish("session_error", {"code": "not_started", "error": error})
            self.leave()
        self._over(self, self._why or exit_.reason)
        self._opened.set()


def _joined(what: str, words: str) -> str:
    return f"{what}: {words}" if words else what
