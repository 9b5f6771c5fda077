"""What users do to sessions in panes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clawtap_core.model import (
    Action,
    Actor,
    LaunchRequest,
    Prompt,
    PromptState,
    Response,
    Screen,
    Session,
    SwitchModel,
)
from clawtap_core.prompts.validation import FormCheck, any_form
from clawtap_core.runtime.actions import answer, control
from clawtap_core.runtime.channel import not_running
from clawtap_core.runtime.launch_record import remember
from clawtap_core.runtime.panes.manager import PaneSessions
from clawtap_core.runtime.panes.session import PaneSession
from clawtap_core.runtime.state.store import StateStore


@dataclass(frozen=True)
class TerminalChannel:
    """The channel `terminal`; `adopted` is called with every adopted session."""

    store: StateStore
    sessions: PaneSessions
    adopted: Callable[[Session], None]

    def start(self, request: LaunchRequest) -> tuple[Session, bool]:
        """Start a CLI in a pane of its own."""
        session, launch = self.sessions.start(request)
        if launch.includes_message and (pane_session := self.sessions.running.get(session.id)):
            pane_session.started_with(request.message or "")
        return session, launch.includes_message

    def adopt(self, pane: str, adapter_id: str | None) -> Session:
        """Watch a pane that a user started."""
        session = self.sessions.adopt(pane, adapter_id)
        self.adopted(session)
        return self.store.session(session.id)

    def end(self, session: Session, actor: Actor) -> None:
        """End a launched session, release an adopted one, or remove an ended one."""
        self.sessions.end(session)

    def respond(
        self, prompt: Prompt, response: Response, actor: Actor, fits: FormCheck = any_form
    ) -> Prompt:
        """Type an answer and return the resolved prompt."""
        session = self.sessions.running.get(prompt.session_id)
        return answer.answer(self.store, session, prompt, response, actor, fits)

    def took_reason(self, prompt: Prompt) -> bool:
        """Return True if the CLI's prompt has a field that the reason went into."""
        refused = prompt.state is PromptState.DENIED
        return prompt.form.takes_reason or (refused and prompt.form.text_input is not None)

    def control(self, session: Session, action: Action, actor: Actor) -> None:
        """Interrupt, or switch mode or model, by keys."""
        pane_session = self.running(session.id)
        control.check_action(pane_session.adapter, action)
        control.perform(self.store, pane_session, action, actor)
        # Its mode shows on the screen.
        if isinstance(action, SwitchModel):
            remember(self.store, session.id, model=action.model)

    def message_target(self, session: Session) -> PaneSession | None:
        """Return the pane's session while it runs."""
        return self.sessions.running.get(session.id)

    def wake(self, session: Session) -> bool:
        """Return False: a pane that is gone stays gone."""
        return False

    def recover(self) -> None:
        """Recover the panes of the last run."""
        self.sessions.recover()

    def close(self) -> None:
        """Release every pane; all of them stay."""
        self.sessions.close()

    # What only panes can

    def expand(self, session_id: str, request_id: str) -> Prompt:
        """Read the options that a scrolling list hides."""
        prompt = self.store.find_prompt(request_id, session_id)
        return control.expand(self.store, self.running(session_id), prompt)

    def keys(
        self, session_id: str, revision: int, names: Sequence[str], text: str, actor: Actor
    ) -> Screen:
        """Press keys or type a line, if the screen still has this revision."""
        return control.keys(self.store, self.running(session_id), actor, revision, names, text)

    def screen(self, session_id: str) -> Screen:
        """Return the pane's screen."""
        session = self.running(session_id)
        return session.shown.add(session.pane.look())

    def running(self, session_id: str) -> PaneSession:
        """Return the session while its pane is watched."""
        if session := self.sessions.running.get(session_id):
            return session
        raise not_running(self.store.session(session_id))
