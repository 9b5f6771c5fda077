"""The Transport of a machine or a hub: what is elsewhere is asked of the machine it is on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any
from weakref import WeakKeyDictionary

from clawtap_core import model as values
from clawtap_core.errors import ErrorCode, Impossible, NotFound
from clawtap_core.fleet.mirror import by_activity, shown_here
from clawtap_core.fleet.view import FleetView
from clawtap_core.schemas import dump
from clawtap_core.transport import Shortcuts, Transport, always

# Events of this machine as clients see them, made once for all.
_shown: WeakKeyDictionary[values.Event, values.Event] = WeakKeyDictionary()


class FleetTransport(Shortcuts):
    """A `Transport` over all machines, on behalf of one actor; `local` is that of this one."""

    def __init__(self, fleet: FleetView, local: Transport, actor: values.Actor) -> None:
        self._fleet, self._local, self._actor = fleet, local, actor

    def machines(self) -> Sequence[values.MachineStatus]:
        """Return every machine of the fleet, this one first."""
        return self._fleet.machines()

    # Sessions, prompts and messages, wherever they are

    def sessions(self) -> Sequence[values.Session]:
        """Return every session of every machine, latest activity first."""
        here = {session.id: self._here(session) for session in self._local.sessions()}
        elsewhere = {session.id: session for session in self._fleet.mirror.sessions()}
        return by_activity({**elsewhere, **here}.values())

    def session(self, session_id: str) -> values.Session:
        """Return a session."""
        try:
            return self._here(self._local.session(session_id))
        except NotFound:
            if session := self._fleet.mirror.session(session_id):
                return session
            raise

    def pending(self, session_id: str | None = None) -> Sequence[values.Prompt]:
        """Return open prompts, oldest first."""
        if session_id is not None and self._owner(session_id) is None:
            return self._local.pending(session_id)
        here = [] if session_id else self._local.pending()
        elsewhere = [
            prompt
            for prompt in self._fleet.mirror.prompts()
            if session_id in (None, prompt.session_id)
        ]
        return sorted((*here, *elsewhere), key=lambda prompt: prompt.created_at)

    def prompt(self, request_id: str) -> values.Prompt:
        """Return a prompt by its requestId or toolCallId, open or ended."""
        try:
            return self._local.prompt(request_id)
        except NotFound:
            if elsewhere := self._fleet.mirror.prompt(request_id):
                return elsewhere[1]
            raise

    def respond(self, session_id: str, response: values.Response) -> values.Prompt:
        """Deliver an answer through the machine of the session."""
        ended: values.Prompt = self._on(session_id, "respond", response=response)
        if owner := self._owner(session_id):
            self._fleet.mirror.remember(owner, ended)
        return ended

    def expand(self, session_id: str, request_id: str) -> values.Prompt:
        """Read the options that a scrolling list hides."""
        result: values.Prompt = self._on(session_id, "expand", request_id=request_id)
        return result

    def extend(self, request_id: str, seconds: float | None = None) -> values.Prompt:
        """Extend a prompt's deadline."""
        result: values.Prompt = self._on_prompt("extend", request_id=request_id, seconds=seconds)
        return result

    def withdraw(self, request_id: str) -> values.Prompt:
        """Cancel a program's prompt."""
        result: values.Prompt = self._on_prompt("withdraw", request_id=request_id)
        return result

    def explain(self, request_id: str) -> values.Explanation:
        """Return why a prompt of this machine was asked, and a rule that would allow it."""
        try:
            return self._local.explain(request_id)
        except NotFound:
            if self._fleet.mirror.prompt(request_id):
                raise Impossible(
                    "rules belong to the machine that asks; look at the prompt there",
                    code=ErrorCode.OTHER_MACHINE,
                ) from None
            raise

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> values.Sent:
        """Send a message, or queue it."""
        result: values.Sent = self._on(
            session_id,
            "message",
            text=text,
            attachments=list(attachments),
        )
        return result

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> values.MessagePage:
        """Return messages of the conversation; none of a machine that is away."""
        place = {"before": before, "after": after, "limit": limit}
        result: values.MessagePage = self._on(session_id, "messages", **place)
        return result

    def queue(self, session_id: str) -> Sequence[values.QueuedMessage]:
        """Return the queued messages."""
        if self._owner(session_id) is None:
            return self._local.queue(session_id)
        return [each for each in self._fleet.mirror.queue() if each.session_id == session_id]

    def edit_queued(self, session_id: str, message_id: str, text: str) -> values.QueuedMessage:
        """Change a queued message."""
        result: values.QueuedMessage = self._on(
            session_id, "edit_queued", message_id=message_id, text=text
        )
        return result

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        self._on(session_id, "take_back", message_id=message_id)

    def attach(self, session_id: str, name: str, data: bytes) -> values.Attachment:
        """Store a file for a message, on this machine only."""
        self._only_here(session_id, "files can be attached only on the session's own machine")
        return self._local.attach(session_id, name, data)

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file that no queued message needs."""
        self._only_here(session_id, "files can be removed only on the session's own machine")
        self._local.detach(session_id, attachment_id)

    def rename(self, session_id: str, title: str) -> values.Session:
        """Rename a session."""
        return self._changed(session_id, "rename", title=title)

    def archive(self, session_id: str, archived: bool = True) -> values.Session:
        """Take a session off the list, or put it back."""
        return self._changed(session_id, "archive", archived=archived)

    def end(self, session_id: str) -> None:
        """End a launched session, or release an adopted one."""
        self._on(session_id, "end")

    def resume(self, session_id: str) -> values.Session:
        """Continue the conversation of an ended session, on its own machine."""
        return self._changed(session_id, "resume")

    def interrupt(self, session_id: str) -> values.Session:
        """Interrupt a busy session."""
        return self._changed(session_id, "interrupt")

    def permission_mode(self, session_id: str, mode: str) -> values.Session:
        """Switch the permission mode."""
        return self._changed(session_id, "permission_mode", mode=mode)

    def model(self, session_id: str, model: str) -> values.Session:
        """Switch the model."""
        return self._changed(session_id, "model", model=model)

    def resume_later(self, session_id: str, message: str | None = "continue") -> values.Session:
        """Send a message once, when the session's usage limit has ended; None cancels that."""
        return self._changed(session_id, "resume_later", message=message)

    def dismiss_limit(self, session_id: str) -> values.Session:
        """Treat the session's usage limit as ended."""
        return self._changed(session_id, "dismiss_limit")

    def screen(self, session_id: str) -> values.Screen:
        """Return the screen of the session's pane."""
        result: values.Screen = self._on(session_id, "screen")
        return result

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> values.Screen:
        """Press keys or type text, if the screen still has this revision."""
        result: values.Screen = self._on(
            session_id,
            "keys",
            revision=revision,
            keys=list(keys),
            text=text,
        )
        return result

    # The state and the events of all machines

    def snapshot(self, session_id: str | None = None) -> values.Snapshot:
        """Return the current state of all machines, or of one session."""
        mirror = self._fleet.mirror
        if session_id is not None and self._owner(session_id) is None:
            local = self._local.snapshot(session_id)
            here = tuple(self._here(session) for session in local.sessions)
            return replace(local, sessions=here)
        with mirror.exclusive():
            positions = mirror.positions()
            sessions, prompts, queue = mirror.sessions(), mirror.prompts(), mirror.queue()
        local = self._local.snapshot()
        here = tuple(self._here(session) for session in local.sessions)
        everything = values.Snapshot(
            str(values.Cursor(local.cursor, positions)),
            tuple(by_activity({one.id: one for one in (*sessions, *here)}.values())),
            (*local.prompts, *prompts),
            (*local.queue, *queue),
        )
        return _of_session(everything, session_id) if session_id else everything

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[values.Event | None]:
        """Yield events of all machines after a cursor as they come."""
        cursor = values.Cursor.parse(after or "")
        if session_id is not None and self._owner(session_id) is None:
            local = self._local.events(
                cursor.local, session_id=session_id, screens=screens, idle=idle
            )
            return self._local_events(local)
        local = self._local.events(cursor.local, idle=idle)
        return self._all_events(local, cursor, session_id)

    def _local_events(self, local: Iterator[values.Event | None]) -> Iterator[values.Event | None]:
        with closing(local):  # type: ignore[type-var]
            for event in local:
                if not isinstance(event, values.RemoteEvent):
                    yield event and self._shown(event)

    def _all_events(
        self,
        local: Iterator[values.Event | None],
        cursor: values.Cursor,
        session_id: str | None,
    ) -> Iterator[values.Event | None]:
        """Yield the events of this machine and of the others, each in its own order.

        `local` brings both; what came before it began is read from Redis, or else a snapshot.
        """
        positions = self._fleet.mirror.positions()
        missed = self._fleet.missed(cursor, positions) if cursor.local else []
        with closing(local):  # type: ignore[type-var]
            if missed is None:
                yield (first := self._snapshot_event(session_id))
                positions = dict(values.Cursor.parse(first.data["cursor"]).remote)
            for passed in self._named(missed or ()):
                if session_id in (None, passed.session_id):
                    yield passed
            for event in local:
                if event is None:
                    yield None
                elif event.type == "snapshot":  # this machine's, or the note of a stale one
                    yield (first := self._snapshot_event(session_id))
                    positions = dict(values.Cursor.parse(first.data["cursor"]).remote)
                elif isinstance(event, values.RemoteEvent):
                    if _place(event.position) > _place(positions.get(event.machine_id, "")):
                        positions[event.machine_id] = event.position
                        if session_id in (None, event.session_id):
                            yield event
                elif session_id is None:
                    yield self._shown(event)

    def _named(self, events: Sequence[values.RemoteEvent]) -> Iterator[values.RemoteEvent]:
        for event in events:
            if event.session_id and (machine := self._fleet.mirror.machine(event.machine_id)):
                yield shown_here(event, machine.value)

    def _snapshot_event(self, session_id: str | None) -> values.Event:
        snapshot = self.snapshot(session_id)
        data = dump(snapshot)
        if session_id:
            data["sessionId"] = session_id
        seq = int(values.Cursor.parse(snapshot.cursor).local.rpartition("-")[2])
        return values.Event("snapshot", datetime.now(timezone.utc), session_id, data, seq)

    def _shown(self, event: values.Event) -> values.Event:
        """Return an event of this machine, with the machine where it shows a session."""
        machine = self._fleet.here
        if machine is None or event.type not in ("session_status", "snapshot"):
            return event
        if event not in _shown:
            where = {"machine": dump(machine)}
            data = {**event.data, **where}
            if event.type == "snapshot":
                sessions = [{**session, **where} for session in event.data["sessions"]]
                data = {**event.data, "sessions": sessions}
            _shown[event] = replace(event, data=data)
        return _shown[event]

    # What stays on this machine

    def adapters(self) -> Sequence[values.AdapterStatus]:
        """Return every adapter of this machine."""
        return self._local.adapters()

    def plugins(self) -> Sequence[values.PluginStatus]:
        """Return every plugin's health."""
        return self._local.plugins()

    def panes(self) -> Sequence[values.PaneInfo]:
        """Return the panes of this machine that could be adopted."""
        return self._local.panes()

    def folders(self) -> Sequence[values.Folder]:
        """Return folders used before on this machine."""
        return self._local.folders()

    def start(self, request: values.LaunchRequest) -> values.Session:
        """Start a CLI on this machine."""
        self._not_on_a_hub()
        return self._here(self._local.start(request))

    def adopt(self, pane: str, adapter: str | None = None) -> values.Session:
        """Watch a pane of this machine."""
        self._not_on_a_hub()
        return self._here(self._local.adopt(pane, adapter))

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[values.Restoration]:
        """Restore the lost sessions of this machine."""
        for session_id in session_ids:
            self._only_here(session_id, "a session can be restored only on its own machine")
        return self._local.restore(session_ids, dry_run=dry_run)

    def history(
        self, *, adapter: str | None = None, cwd: str | None = None, limit: int = 50
    ) -> Sequence[values.StoredSession]:
        """Return the conversations that CLIs have stored on this machine."""
        return self._local.history(adapter=adapter, cwd=cwd, limit=limit)

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
        """Return a stored conversation of this machine."""
        return self._local.stored(
            adapter, cli_session_id, before=before, after=after, around=around, limit=limit
        )

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> values.SearchPage:
        """Return what has these words on this machine."""
        return self._local.search(text, cursor=cursor, limit=limit)

    def ask(
        self,
        form: values.PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> values.Prompt:
        """Ask a question for a program on this machine."""
        self._not_on_a_hub()
        return self._local.ask(form, asker=asker, seconds=seconds, default=default)

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> values.Prompt:
        """Return a prompt to the program that asked here, once it ends or after `seconds`."""
        return self._local.wait(request_id, seconds, listening=listening)

    def desk_typed_at(self) -> float:
        """Return when somebody last typed in a watched pane of this machine."""
        return self._local.desk_typed_at()

    def rules(self) -> values.RuleBook:
        """Return the rules of this machine."""
        return self._local.rules()

    def add_rules(self, rules: Sequence[values.Rule]) -> Sequence[values.Rule]:
        """Add rules to this machine."""
        self._not_on_a_hub()
        return self._local.add_rules(rules)

    def remove_rule(self, name: str) -> values.Rule:
        """Remove a rule of this machine."""
        return self._local.remove_rule(name)

    def try_rules(self, rules: Sequence[values.Rule]) -> values.RuleTrial:
        """Return what rules would have done to the permissions in this machine's journal."""
        return self._local.try_rules(rules)

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> values.JournalPage:
        """Return past events of this machine."""
        return self._local.journal(after=after, limit=limit, session_id=session_id)

    # Ways to the owner

    def _here(self, session: values.Session) -> values.Session:
        return replace(session, machine=self._fleet.here)

    def _owner(self, session_id: str) -> str | None:
        """Return the id of the other machine that has a session; None if it is here or nowhere."""
        try:
            self._local.session(session_id)
        except NotFound:
            session = self._fleet.mirror.session(session_id)
            return session.machine.id if session and session.machine else None
        return None

    def _on(self, session_id: str, operation: str, **arguments: Any) -> Any:
        """Return what the method returns on the machine of the session."""
        arguments["session_id"] = session_id
        if owner := self._owner(session_id):
            return self._fleet.call(owner, self._actor, operation, arguments)
        return getattr(self._local, operation)(**arguments)

    def _changed(self, session_id: str, operation: str, **arguments: Any) -> values.Session:
        """Return the session that a call on its machine returned."""
        owner = self._owner(session_id)
        session: values.Session = self._on(session_id, operation, **arguments)
        machine = self._fleet.mirror.machine(owner) if owner else None
        return replace(session, machine=machine.value if machine else self._fleet.here)

    def _on_prompt(self, operation: str, **arguments: Any) -> Any:
        try:
            self._local.prompt(arguments["request_id"])
        except NotFound:
            if elsewhere := self._fleet.mirror.prompt(arguments["request_id"]):
                return self._fleet.call(elsewhere[0], self._actor, operation, arguments)
        return getattr(self._local, operation)(**arguments)

    def _not_on_a_hub(self) -> None:
        if not self._fleet.own_id:
            raise Impossible(
                "this server is a hub, on which nothing runs; use the server of a machine",
                code=ErrorCode.ON_A_HUB,
            )

    def _only_here(self, session_id: str, sentence: str) -> None:
        if self._owner(session_id):
            raise Impossible(sentence, code=ErrorCode.OTHER_MACHINE)


def _of_session(snapshot: values.Snapshot, session_id: str) -> values.Snapshot:
    return values.Snapshot(
        snapshot.cursor,
        tuple(each for each in snapshot.sessions if each.id == session_id),
        tuple(each for each in snapshot.prompts if each.session_id == session_id),
        tuple(each for each in snapshot.queue if each.session_id == session_id),
    )


def _place(position: str) -> tuple[int, ...]:
    """Return a position in a stream, such as 1700000000000-2, as numbers that can be compared."""
    return tuple(int(part) for part in position.split("-") if part.isdecimal())
