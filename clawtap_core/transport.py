"""The interface between the runtime and its clients.

`Transport` is all that the server knows of sessions and prompts. `DirectTransport` reaches the
runtime in this process on behalf of one actor, `HttpTransport` a server elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Protocol

from clawtap_core import model as values
from clawtap_core.errors import BadRequest, ErrorCode, Impossible, NotFound


def always() -> bool:
    """Return True."""
    return True


def machine_not_found(machine: str) -> NotFound:
    """Return the error for a machine that is in no fleet of this server."""
    return NotFound(
        f"no such machine: {machine!r}; `clawtap fleet ls` lists them",
        code=ErrorCode.MACHINE_NOT_FOUND,
    )


def bad_cursor() -> BadRequest:
    """Return the error for the cursor of a page that there cannot have been."""
    return BadRequest("cursor must come from an earlier page")


class Shortcuts(Protocol):
    """What every Transport can do by its other methods, written once."""

    def session(self, session_id: str) -> values.Session:
        """Return a session."""

    def start(self, request: values.LaunchRequest) -> values.Session:
        """Start a CLI in a pane of its own."""

    def rename(self, session_id: str, title: str) -> values.Session:
        """Rename a session."""

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> values.Sent:
        """Send a message, or queue it until the composer is idle and empty.

        `attachments` are ids from `attach`.
        """

    def queue(self, session_id: str) -> Sequence[values.QueuedMessage]:
        """Return the queued messages."""

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""

    def stored(
        self,
        adapter: str,
        cli_session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        around: str | None = None,
        limit: int = 50,
    ) -> values.StoredConversation:
        """Return a stored conversation with its last messages.

        Or with those `before` or `after` an id, or with a message and those `around` it.
        """

    def prompt(self, request_id: str) -> values.Prompt:
        """Return a prompt by its requestId or toolCallId, open or ended."""

    def extend(self, request_id: str, seconds: float | None = None) -> values.Prompt:
        """Let a prompt expire `seconds` from now (0: never; None: the default for its kind).

        One on a pane never expires, and stays so.
        """

    def respond(self, session_id: str, response: values.Response) -> values.Prompt:
        """Deliver an answer and return the resolved prompt once the CLI has taken it.

        `response.request_id` may be a toolCallId. Raises NotFound, BadRequest (not offered,
        wrong kind), Conflict (answered, changed), Impossible, NotConfirmed.
        """

    def approve(
        self,
        session_id: str,
        request_id: str,
        *,
        option: str | None = None,
        reason: str | None = None,
    ) -> values.Prompt:
        """Approve by the option that allows once, or by `option`."""
        decision = None if option else "approve"
        return self.respond(
            session_id, values.Response(request_id, option, None, {}, reason, decision)
        )

    def deny(self, session_id: str, request_id: str, *, reason: str | None = None) -> values.Prompt:
        """Deny, with an optional reason."""
        return self.respond(session_id, values.Response(request_id, reason=reason, decision="deny"))

    def submit_answers(
        self, session_id: str, request_id: str, answers: Mapping[str, values.Answer]
    ) -> values.Prompt:
        """Answer every question, keyed "0", "1", …, at once."""
        return self.respond(session_id, values.Response(request_id, answers=answers))

    def extend_by(self, request_id: str, seconds: float) -> values.Prompt:
        """Give a prompt `seconds` more than it has left; one that never expires stays so."""
        prompt = self.prompt(request_id)
        if prompt.expires_at is None:
            return prompt
        left = (prompt.expires_at - datetime.now(timezone.utc)).total_seconds()
        return self.extend(request_id, max(0.0, left) + seconds)

    def resume(self, session_id: str) -> values.Session:
        """Continue the conversation of an ended session in a new one.

        Its title and its queued messages go along; files belong to the session that has them.
        """
        ended = self.session(session_id)
        if not ended.cli_session_id:
            raise Impossible(
                "this conversation cannot be resumed: the CLI did not report its id",
                code=ErrorCode.NO_RESUME,
            )
        resumed = self.start(
            values.LaunchRequest(
                ended.adapter,
                ended.cwd,
                permission_mode=ended.mode,
                # A CLI that ran elsewhere continues in a pane of ours.
                channel="protocol" if ended.channel == "protocol" else "terminal",
                resume=ended.cli_session_id,
            )
        )
        if ended.has_own_title:
            resumed = self.rename(resumed.id, ended.title)
        for queued in self.queue(session_id):
            if not queued.attachments:
                self.message(resumed.id, queued.message)
                self.take_back(session_id, queued.id)
        return resumed

    def resume_stored(self, adapter: str, cli_session_id: str) -> values.Session:
        """Continue a stored conversation, or return the session that runs it already."""
        conversation = self.stored(adapter, cli_session_id, limit=1).session
        if conversation.session_id:
            return self.session(conversation.session_id)
        if not conversation.cwd:
            raise Impossible(
                "the CLI did not record the folder of this conversation", code=ErrorCode.NO_FOLDER
            )
        return self.start(values.LaunchRequest(adapter, conversation.cwd, resume=cli_session_id))


class Transport(Shortcuts, Protocol):
    """Everything a user can see and do; errors are ClawTapErrors."""

    def adapters(self) -> Sequence[values.AdapterStatus]:
        """Return every adapter with its capabilities."""

    def check_cli(self, adapter: str) -> values.LiveCheckStatus:
        """Start the live check of an adapter's CLI; `adapters` returns what it finds.

        Raises BadRequest, Impossible without a check or a CLI, Conflict while one runs.
        """

    def plugins(self) -> Sequence[values.PluginStatus]:
        """Return every plugin's health."""

    def panes(self) -> Sequence[values.PaneInfo]:
        """Return the panes that could be adopted."""

    def machines(self, *, measure: bool = False) -> Sequence[values.MachineStatus]:
        """Return the machines of the fleet, the one that answers first; none without a fleet.

        With `measure` each of the others is asked how long it takes to answer.
        """

    def at(self, machine: str) -> Transport:
        """Return the transport that lists and starts on one machine, by its name or id.

        Its first call raises NotFound if there is no such machine, and Conflict if several have
        that name; this method may raise them already.
        """

    def folders(self) -> Sequence[values.Folder]:
        """Return folders used before, newest first."""

    def sessions(self) -> Sequence[values.Session]:
        """Return every session, newest activity first."""

    def adopt(self, pane: str, adapter: str | None = None) -> values.Session:
        """Watch a pane that a user started; by default the adapter is chosen by its program."""

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[values.Restoration]:
        """Restore the lost sessions, or these of them, each with its conversation.

        Returns the outcome for each; with `dry_run` nothing is started. Sessions that run are not
        touched.
        """

    def archive(self, session_id: str, archived: bool = True) -> values.Session:
        """Take a session off the list, or put it back; it keeps running either way."""

    def end(self, session_id: str) -> None:
        """End a launched session, or release an adopted one."""

    def attach(self, session_id: str, name: str, data: bytes) -> values.Attachment:
        """Store a file on the session's machine for a later message."""

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file that no queued message needs."""

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> values.MessagePage:
        """Return the last messages of the conversation, or those before or after an id."""

    def history(
        self,
        *,
        adapter: str | None = None,
        cwd: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.HistoryPage:
        """Return the conversations that CLIs have stored on all machines, newest first.

        `cursor` is that of the page before.
        """

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> values.SearchPage:
        """Return the sessions and messages of all machines that have these words and "phrases".

        Words may be unfinished. `cursor` is that of the page before.
        """

    def edit_queued(self, session_id: str, message_id: str, text: str) -> values.QueuedMessage:
        """Change a queued message."""

    def pending(self, session_id: str | None = None) -> Sequence[values.Prompt]:
        """Return open prompts, oldest first."""

    def ask(
        self,
        form: values.PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> values.Prompt:
        """Ask a question for the program `asker`; `wait` returns the answer.

        It expires after `seconds` (0: never; None: the usual time of its kind), or is answered by
        `default` then: an option's label or value, "yes", "no", or a text where it takes one.
        Raises BadRequest for a form that nobody could answer, TooManyRequests.
        """

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> values.Prompt:
        """Return a prompt to the program that asked, once it ends or after `seconds`.

        Answers to secret questions are included once, and only while `listening` is true.
        """

    def withdraw(self, request_id: str) -> values.Prompt:
        """Cancel a program's prompt; raise Impossible for one of a CLI."""

    def expand(self, session_id: str, request_id: str) -> values.Prompt:
        """Read the options that a scrolling list hides."""

    def screen(self, session_id: str) -> values.Screen:
        """Return the screen of the session's pane."""

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> values.Screen:
        """Press keys or type text if the screen is still at `revision`; return the new screen."""

    def desk_typed_at(self) -> float:
        """Return when somebody last typed in a watched pane, in seconds since 1970; 0 if never."""

    def interrupt(self, session_id: str) -> values.Session:
        """Interrupt a busy session."""

    def permission_mode(self, session_id: str, mode: str) -> values.Session:
        """Switch the permission mode and return the session with the mode on screen."""

    def model(self, session_id: str, model: str) -> values.Session:
        """Switch the model."""

    def resume_later(self, session_id: str, message: str | None = "continue") -> values.Session:
        """Send a message once, when the session's usage limit has ended; None cancels that."""

    def dismiss_limit(self, session_id: str) -> values.Session:
        """Treat the session's usage limit as ended."""

    def rules(self) -> values.RuleBook:
        """Return the rules and the guard rails."""

    def add_rules(self, rules: Sequence[values.Rule]) -> Sequence[values.Rule]:
        """Add rules, which answer open prompts at once; BadRequest, Conflict if a name is taken."""

    def remove_rule(self, name: str) -> values.Rule:
        """Remove a rule."""

    def try_rules(self, rules: Sequence[values.Rule]) -> values.RuleTrial:
        """Return what rules would have done to the permissions in the journal."""

    def explain(self, request_id: str) -> values.Explanation:
        """Return why a prompt was asked, and the narrowest rule that would allow it."""

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> values.JournalPage:
        """Return past events of one machine, oldest first."""

    def latest_events(
        self,
        *,
        types: Sequence[str] = (),
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.LatestEvents:
        """Return past events of all machines, newest first; only of `types`, if given.

        `cursor` is that of the page before.
        """

    def snapshot(self, session_id: str | None = None) -> values.Snapshot:
        """Return the current state."""

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[values.Event | None]:
        """Yield events after a cursor as they come, and None after `idle` seconds without one.

        Without a cursor, or with one of another epoch or too old, the first event is a
        `snapshot`. `screens` adds the `screen` events of `session_id`. The iterator ends when
        the reader falls too far behind or the runtime stops; call again with the last cursor.
        """


class HookSink(Protocol):
    """Receives what CLI hooks report."""

    def report(self, call: values.HookCall, gone: Callable[[], bool]) -> Mapping[str, Any] | None:
        """Return the hook's reply to its CLI, or None, which may have to wait for an answer.

        `gone` returns whether the CLI has ended the hook in the meantime.
        """


class FleetMember(Protocol):
    """The part of the runtime that a fleet uses to show and to serve other machines."""

    def publish(self, event: values.Event) -> None:
        """Publish an event that is not kept to every reader."""

    def read_published(
        self, session_id: str, *, screens: bool, idle: float
    ) -> Iterator[values.Event | None]:
        """Yield what is published of another machine's session from now on.

        None comes after `idle` seconds without an event.
        """

    def receive(self, message: values.QueuedMessage, actor: values.Actor) -> None:
        """Send a message, or report in its session why it cannot be sent."""

    def has_received(self, message: values.QueuedMessage) -> bool:
        """Return whether the journal has a message."""

    def report_unsent(self, message: values.QueuedMessage, why: str) -> None:
        """Report in a message's session that it was not sent."""
