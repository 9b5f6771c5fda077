"""Other programs that ask, such as a script, a CI job or a tool; each name is a session.

Such a session has no CLI and no screen. Its prompts stay open over a restart: the program
reconnects and reads the answer.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from clawtap_core.errors import BadRequest, Conflict, ErrorCode, Impossible, TooManyRequests
from clawtap_core.limited_dict import LimitedDict
from clawtap_core.model import (
    Action,
    Actor,
    LaunchRequest,
    Prompt,
    PromptForm,
    PromptState,
    Response,
    Session,
    SessionState,
)
from clawtap_core.prompts.default_answers import validate_default
from clawtap_core.prompts.form_limits import validate_form
from clawtap_core.prompts.validation import FormCheck, any_form
from clawtap_core.runtime.channel import EXTERNAL, not_running, not_started
from clawtap_core.runtime.state.offscreen_prompts import OffscreenPrompts
from clawtap_core.runtime.state.store import StateStore

LONGEST_NAME = 100
# Any token may ask under any name, so both have a limit.
MOST_PROGRAMS = 50
MOST_PROMPTS = 50
MOST_SECRETS = 100
# Seconds between checks whether the waiting client has left.
CHECK_SECONDS = 1.0


class ExternalPrograms:
    """The sessions of other programs, and the owner of their prompts."""

    def __init__(self, store: StateStore, asked: OffscreenPrompts) -> None:
        self._store = store
        self._asked = asked
        self._adding = threading.Lock()
        self._secrets: LimitedDict[str, Response] = LimitedDict(MOST_SECRETS)

    def recover(self) -> None:
        """Recover the prompts of the last run."""
        for session in self._sessions():
            for prompt in self._store.open_prompts(session.id):
                self._asked.take(prompt.request_id, self)
            self._update_state(session.id)

    def ask(
        self,
        form: PromptForm,
        actor: Actor,
        *,
        asker: str | None,
        seconds: float | None,
        default: str | None = None,
    ) -> Prompt:
        """Open a prompt of a program, named `asker` or after its token."""
        form = validate_form(form)
        if default is not None:
            default = validate_default(form, default, seconds)
        with self._adding:
            session = self._session(asker or actor.device)
            if len(self._store.open_prompts(session.id)) >= MOST_PROMPTS:
                raise TooManyRequests(
                    f"{session.title} asks {MOST_PROMPTS} things already: wait for an answer, or"
                    " take some of them back",
                    code=ErrorCode.TOO_MANY_PROMPTS,
                )
            prompt = self._asked.ask(
                session.id,
                EXTERNAL,
                form,
                self,
                seconds=seconds,
                default=default,
                happened=False,
            )
        self._update_state(session.id)
        return prompt

    def start(self, request: LaunchRequest) -> tuple[Session, bool]:
        """Refuse: a program starts itself."""
        raise not_started(EXTERNAL)

    def took_reason(self, prompt: Prompt) -> bool:
        """Return True: the program reads the reason with the answer."""
        return True

    def control(self, session: Session, action: Action, actor: Actor) -> None:
        """Refuse: a program has nothing to interrupt or switch."""
        raise not_running(session)

    def message_target(self, session: Session) -> None:
        """Refuse: a program takes answers only."""
        raise Impossible(
            f"{session.title} is a program that only takes answers",
            code=ErrorCode.NO_MESSAGES,
        )

    def wake(self, session: Session) -> bool:
        """Return False: a program reconnects by itself."""
        return False

    def close(self) -> None:
        """Do nothing: there is no child and no pane."""

    def respond(
        self, prompt: Prompt, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Keep an answer for its program."""
        ended = self._asked.answer(prompt, response, actor, fits)
        self._update_state(ended.session_id)
        return ended

    def wait(self, name: str, seconds: float, connected: Callable[[], bool]) -> Prompt:
        """Return a prompt when it has ended, or after `seconds`.

        Secret answers are in memory only, and returned once, while the program is connected.
        """
        until = time.monotonic() + seconds
        prompt = self._store.wait_for_end(name, min(seconds, CHECK_SECONDS))
        while prompt.state.open and connected() and not self._store.closed:
            left = until - time.monotonic()
            if left <= 0:
                break
            prompt = self._store.wait_for_end(name, min(left, CHECK_SECONDS))
        resolution = prompt.resolution
        if resolution is None or resolution.response is None or not connected():
            return prompt
        whole = self._secrets.pop(prompt.request_id, resolution.response)
        return replace(prompt, resolution=replace(resolution, response=whole))

    def withdraw(self, name: str, actor: Actor) -> Prompt:
        """Cancel a prompt of a program."""
        with self._store.exclusive():
            prompt = self._store.find_prompt(name)
            if prompt.channel != EXTERNAL:
                raise Impossible(
                    "this prompt comes from a CLI and cannot be taken back",
                    code=ErrorCode.NOT_EXTERNAL,
                )
            if not prompt.state.open:
                raise Conflict(
                    f"this prompt is no longer open: {prompt.state.value}",
                    code=ErrorCode.PROMPT_ENDED,
                )
            end = self._store.end_prompt
            return end(prompt.request_id, PromptState.CANCELLED, actor=actor, detail="withdrawn")

    def end(self, session: Session, actor: Actor) -> None:
        """Remove a program and its prompts."""
        with self._adding, self._store.exclusive():
            for prompt in self._store.open_prompts(session.id):
                end = self._store.end_prompt
                end(prompt.request_id, PromptState.CANCELLED, actor=actor, detail="not wanted")
            self._store.drop_session(session)

    # As the owner of its prompts

    def answered(self, prompt: Prompt, response: Response) -> None:
        """Keep a secret answer, which is in no journal, until it is read."""
        if any(question.secret for question in prompt.form.questions):
            self._secrets[prompt.request_id] = response

    def ended(self, prompt: Prompt) -> None:
        """Update the session of a prompt that ended without an answer."""
        self._update_state(prompt.session_id)

    def _session(self, name: str) -> Session:
        name = name.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise BadRequest(
                f"the name of the asking program must have 1 to {LONGEST_NAME} characters",
                code=ErrorCode.BAD_NAME,
            )
        # The same name on another machine of a fleet is another session.
        key = hashlib.sha256(f"{self._store.journal.epoch} {name}".encode()).hexdigest()[:12]
        programs = self._sessions()
        if known := next((session for session in programs if session.id == key), None):
            return known
        if len(programs) >= MOST_PROGRAMS:
            self._make_room(programs)
        now = self._store.now()
        idle = SessionState.IDLE
        new = Session(key, EXTERNAL, EXTERNAL, "adopted", "", name, now, now, state=idle)
        self._store.add_session(new)
        return new

    def _make_room(self, programs: list[Session]) -> None:
        # The last one was silent for longest.
        silent = [session for session in programs if not session.pending]
        if not silent:
            raise TooManyRequests(
                f"{MOST_PROGRAMS} programs have asked already; ask under the name of one of them",
                code=ErrorCode.TOO_MANY_PROGRAMS,
            )
        self._store.drop_session(silent[-1])

    def _sessions(self) -> list[Session]:
        return [session for session in self._store.sessions() if session.channel == EXTERNAL]

    def _update_state(self, session_id: str) -> None:
        with self._store.exclusive():
            if any(session.id == session_id for session in self._sessions()):
                waits = bool(self._store.open_prompts(session_id))
                state = SessionState.WAITING if waits else SessionState.IDLE
                self._store.change_session(session_id, state=state, last_activity=self._store.now())
