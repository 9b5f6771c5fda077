"""The Transport of the runtime in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from clawtap_core import model as values
from clawtap_core.errors import BadRequest, ClawTapError, ErrorCode
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.runtime.components import Components
from clawtap_core.transcripts.pages import MessagePlace
from clawtap_core.transport import Shortcuts, Transport, always, bad_cursor, machine_not_found


class DirectTransport(Shortcuts):
    """The operations of the runtime, on behalf of one actor."""

    def __init__(self, runtime: Components, actor: values.Actor | None = None) -> None:
        self._runtime = runtime
        self._actor = actor or values.Actor()

    def adapters(self) -> Sequence[values.AdapterStatus]:
        """Return every adapter with its capabilities."""
        return self._runtime.inventory.adapters()

    def check_cli(self, adapter: str) -> values.LiveCheckStatus:
        """Start the live check of an adapter's CLI."""
        return self._runtime.checks.start(adapter)

    def plugins(self) -> Sequence[values.PluginStatus]:
        """Return every plugin's health."""
        return self._runtime.inventory.plugins()

    def panes(self) -> Sequence[values.PaneInfo]:
        """Return the panes that can be adopted."""
        return self._runtime.inventory.panes()

    def machines(self, *, measure: bool = False) -> Sequence[values.MachineStatus]:
        """Return no machines: the runtime knows only its own."""
        return ()

    def at(self, machine: str) -> Transport:
        """Raise NotFound: the runtime knows no machine by name."""
        raise machine_not_found(machine)

    def folders(self) -> Sequence[values.Folder]:
        """Return the folders of sessions, newest first."""
        return self._runtime.inventory.folders()

    def sessions(self) -> Sequence[values.Session]:
        """Return every session, latest activity first."""
        return self._runtime.store.sessions()

    def session(self, session_id: str) -> values.Session:
        """Return one session."""
        return self._runtime.store.session(session_id)

    def start(self, request: values.LaunchRequest) -> values.Session:
        """Start a CLI; queue a first message that its arguments do not carry."""
        blank = not (request.message or "").strip()
        # CLIs write down the folder that a link leads to.
        cwd = os.path.realpath(request.cwd) if Path(request.cwd).is_absolute() else request.cwd
        message = None if blank else sendable(request.message or "")
        request = replace(request, cwd=cwd, message=message)
        session, includes_message = self._runtime.channel(request.channel).start(request)
        if request.message and not includes_message:
            with suppress(ClawTapError):  # the session has started: its events report the rest
                self._runtime.messages.send(session.id, request.message, self._actor, opening=True)
        return self.session(session.id)

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[values.Restoration]:
        """Restore the lost sessions, or some of them."""
        lost = self._runtime.lost
        return lost.plan(session_ids) if dry_run else lost.restore(session_ids)

    def adopt(self, pane: str, adapter: str | None = None) -> values.Session:
        """Watch a pane that a user started."""
        return self._runtime.terminal.adopt(pane, adapter)

    def rename(self, session_id: str, title: str) -> values.Session:
        """Change a session's title."""
        if not title.strip() or len(title) > 200:
            raise BadRequest("a title must have 1 to 200 characters", code=ErrorCode.BAD_TITLE)
        return self._runtime.store.change_session(session_id, title=title.strip())

    def archive(self, session_id: str, archived: bool = True) -> values.Session:
        """Take a session off the list, or put it back."""
        return self._runtime.store.archive_session(session_id, archived)

    def end(self, session_id: str) -> None:
        """End a launched session, release an adopted one, or remove an ended one."""
        session = self.session(session_id)
        self._runtime.channel(session.channel).end(session, self._actor)
        self._runtime.attachments.tidy()

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> values.Sent:
        """Send a message with attachments, or queue it."""
        files = self._runtime.attachments.find(session_id, attachments) if attachments else ()
        return self._runtime.messages.send(session_id, text, self._actor, attachments=files)

    def attach(self, session_id: str, name: str, data: bytes) -> values.Attachment:
        """Store a file to attach to a message."""
        return self._runtime.attachments.take(session_id, name, data)

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file; Conflict if a queued message needs it."""
        self._runtime.attachments.remove(session_id, attachment_id)

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> values.MessagePage:
        """Return the last messages of a conversation, or those before or after one."""
        return self._runtime.conversations.messages(session_id, before, after, limit)

    def history(
        self,
        *,
        adapter: str | None = None,
        cwd: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.HistoryPage:
        """Return stored conversations, newest first."""
        return self._runtime.history.page(adapter, cwd, cursor, limit)

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
        """Return a stored conversation with some of its messages."""
        place = MessagePlace(before, after, around)
        return self._runtime.history.read(adapter, cli_session_id, place, limit)

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> values.SearchPage:
        """Return the sessions and messages with these words."""
        return self._runtime.search.find(text, cursor, limit)

    def queue(self, session_id: str) -> Sequence[values.QueuedMessage]:
        """Return a session's queued messages."""
        self._runtime.store.session(session_id)
        return self._runtime.store.queue(session_id)

    def edit_queued(self, session_id: str, message_id: str, text: str) -> values.QueuedMessage:
        """Change a queued message."""
        return self._runtime.messages.edit(session_id, message_id, text, self._actor)

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        self._runtime.messages.take_back(session_id, message_id, self._actor)

    def pending(self, session_id: str | None = None) -> Sequence[values.Prompt]:
        """Return open prompts, oldest first."""
        if session_id is not None:
            self._runtime.store.session(session_id)
        return self._runtime.store.open_prompts(session_id)

    def prompt(self, request_id: str) -> values.Prompt:
        """Return one prompt, ended or not."""
        return self._runtime.store.find_prompt(request_id)

    def respond(self, session_id: str, response: values.Response) -> values.Prompt:
        """Deliver an answer and return the resolved prompt."""
        return self._runtime.respond(session_id, response, self._actor)

    def ask(
        self,
        form: values.PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> values.Prompt:
        """Open a prompt of another program."""
        return self._runtime.external.ask(
            form, self._actor, asker=asker, seconds=seconds, default=default
        )

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> values.Prompt:
        """Return a prompt when it has ended, or after `seconds`."""
        return self._runtime.external.wait(request_id, seconds, listening)

    def extend(self, request_id: str, seconds: float | None = None) -> values.Prompt:
        """Extend a prompt's deadline."""
        return self._runtime.offscreen.extend(request_id, seconds)

    def withdraw(self, request_id: str) -> values.Prompt:
        """Cancel a prompt of another program."""
        return self._runtime.external.withdraw(request_id, self._actor)

    def expand(self, session_id: str, request_id: str) -> values.Prompt:
        """Read the options that a scrolling list hides."""
        return self._runtime.terminal.expand(session_id, request_id)

    def screen(self, session_id: str) -> values.Screen:
        """Return the pane's screen."""
        return self._runtime.terminal.screen(session_id)

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> values.Screen:
        """Press keys or type text, if the screen still has this revision."""
        return self._runtime.terminal.keys(session_id, revision, keys, text, self._actor)

    def desk_typed_at(self) -> float:
        """Return when somebody last typed in a watched pane, in seconds since 1970."""
        return self._runtime.sessions.desk_typed_at()

    def interrupt(self, session_id: str) -> values.Session:
        """Interrupt a busy session."""
        return self._control(session_id, values.Interrupt())

    def permission_mode(self, session_id: str, mode: str) -> values.Session:
        """Switch the permission mode."""
        return self._control(session_id, values.SwitchMode(mode))

    def model(self, session_id: str, model: str) -> values.Session:
        """Switch the model."""
        return self._control(session_id, values.SwitchModel(model))

    def resume_later(self, session_id: str, message: str | None = "continue") -> values.Session:
        """Send a message once, when the session's usage limit has ended; None cancels that."""
        return self._runtime.limits.resume_later(session_id, message, self._actor)

    def dismiss_limit(self, session_id: str) -> values.Session:
        """Treat the session's usage limit as ended."""
        return self._runtime.limits.dismiss(session_id, self._actor)

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> values.JournalPage:
        """Return journalled events, oldest first."""
        journal = self._runtime.store.journal
        return values.JournalPage(tuple(journal.read(after, limit, session_id)), journal.last)

    def latest_events(
        self,
        *,
        types: Sequence[str] = (),
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.LatestEvents:
        """Return journalled events, newest first; a cursor is the number of an event."""
        if cursor and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 16):
            raise bad_cursor()
        before = int(cursor) if cursor else None
        events = self._runtime.store.journal.latest(before, limit, session_id, types)
        more = events[-1].seq if len(events) == limit else None
        return values.LatestEvents(tuple(events), str(more) if more else None)

    def snapshot(self, session_id: str | None = None) -> values.Snapshot:
        """Return the current state, of all sessions or of one."""
        return self._runtime.store.snapshot(session_id)

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[values.Event | None]:
        """Yield events after a cursor as they come."""
        if session_id is not None:
            self._runtime.store.session(session_id)
        return self._runtime.store.read_events(after, session_id, screens, idle)

    def rules(self) -> values.RuleBook:
        """Return the rules and the guard rails."""
        return self._runtime.rules.book()

    def add_rules(self, rules: Sequence[values.Rule]) -> Sequence[values.Rule]:
        """Add rules, which answer open prompts at once."""
        added = self._runtime.rules.add(tuple(rules), self._actor)
        self._runtime.rule_answers.judge_open()
        return added

    def remove_rule(self, name: str) -> values.Rule:
        """Remove a rule."""
        return self._runtime.rules.remove(name, self._actor)

    def try_rules(self, rules: Sequence[values.Rule]) -> values.RuleTrial:
        """Return what rules would have done to the permissions in the journal."""
        return self._runtime.rules.try_rules(tuple(rules))

    def explain(self, request_id: str) -> values.Explanation:
        """Return why a prompt was asked, and the narrowest rule that would allow it."""
        return self._runtime.rules.explain(self.prompt(request_id))

    def _control(self, session_id: str, action: values.Action) -> values.Session:
        session = self.session(session_id)
        self._runtime.channel(session.channel).control(session, action, self._actor)
        return self.session(session_id)
