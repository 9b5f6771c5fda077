"""The Transport of a machine or a hub: what is elsewhere is asked of the machine it is on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from clawtap_core import model as values
from clawtap_core.errors import ClawTapError, Conflict, ErrorCode, Impossible, NotFound, Unavailable
from clawtap_core.fleet.fleet_events import FleetEvents
from clawtap_core.fleet.merged_pages import EVENTS, STORED, ask_all, merge, read_places
from clawtap_core.fleet.mirror import by_activity
from clawtap_core.fleet.round_trip import measured
from clawtap_core.fleet.view import FleetView
from clawtap_core.prompts.sanitize import sendable
from clawtap_core.transport import Shortcuts, Transport, always, machine_not_found

OfSession = TypeVar("OfSession", values.Prompt, values.QueuedMessage)


class FleetTransport(Shortcuts):
    """A `Transport` over all machines, on behalf of one actor; `local` is that of this one.

    With the id of a `machine` it lists and starts there only.
    """

    def __init__(
        self, fleet: FleetView, local: Transport, actor: values.Actor, machine: str = ""
    ) -> None:
        self._fleet, self._local, self._actor, self._machine = fleet, local, actor, machine

    def machines(self, *, measure: bool = False) -> Sequence[values.MachineStatus]:
        """Return every machine of the fleet, this one first."""
        machines = self._fleet.machines()
        return measured(machines, self._fleet, self._actor) if measure else machines

    def at(self, machine: str) -> FleetTransport:
        """Return the transport that lists and starts on one machine, by its name or id."""
        machines = [status.machine for status in self._fleet.machines()]
        named = {member.id for member in machines if member.name == machine} or {machine}
        if len(named) > 1:
            raise Conflict(
                f"{len(named)} machines have the name {machine!r}; use an id:"
                f" {', '.join(sorted(named))}",
                code=ErrorCode.MACHINE_AMBIGUOUS,
            )
        ids = named & {member.id for member in machines}
        if not ids:
            raise machine_not_found(machine)
        return FleetTransport(self._fleet, self._local, self._actor, ids.pop())

    # Sessions, prompts and messages, wherever they are

    def sessions(self) -> Sequence[values.Session]:
        """Return every session of every machine, latest activity first."""
        here = {session.id: self._here(session) for session in self._local.sessions()}
        elsewhere = {session.id: session for session in self._fleet.mirror.sessions()}
        return by_activity(self._listed({**elsewhere, **here}.values()))

    def session(self, session_id: str) -> values.Session:
        """Return a session."""
        try:
            return self._here(self._local.session(session_id))
        except NotFound:
            if session := self._fleet.mirror.session(session_id):
                return session
            if not self._fleet.own_id:
                self._fleet.machines()  # a hub that knows no machine says why
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
        listed = self._of_machine((*here, *elsewhere))
        return sorted(listed, key=lambda prompt: prompt.created_at)

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
        """Send a message, or queue it; for a machine that is away it waits in Redis."""
        owner = self._owner(session_id)
        if owner and self._fleet.waits_for(owner):
            return self._leave_message(owner, session_id, text, attachments)
        result: values.Sent = self._on(
            session_id,
            "message",
            text=text,
            attachments=list(attachments),
        )
        return result

    def _leave_message(
        self, owner: str, session_id: str, text: str, attachments: Sequence[str]
    ) -> values.Sent:
        if attachments:
            self._only_here(session_id, "files can be sent only on the session's own machine")
        if self._fleet.mirror.has_ended(session_id):
            raise Conflict(
                "the session has ended; resume it once its machine is back",
                code=ErrorCode.SESSION_ENDED,
            )
        message = self._fleet.leave_message(owner, self._actor, session_id, text)
        return values.Sent("queued", message.id, message.until)

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
        owner = self._owner(session_id)
        if owner and self._fleet.mirror.waits(owner, message_id):
            edited = self._fleet.waiting.edit(owner, message_id, sendable(text))
            self._fleet.mirror.note_waiting(owner, edited)
            return edited
        result: values.QueuedMessage = self._on(
            session_id, "edit_queued", message_id=message_id, text=text
        )
        return result

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        owner = self._owner(session_id)
        if owner and self._fleet.mirror.waits(owner, message_id):
            self._fleet.waiting.take_back(owner, message_id)
            self._fleet.mirror.note_taken_back(owner, message_id)
            return
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
            tuple(by_activity(self._listed({one.id: one for one in (*sessions, *here)}.values()))),
            tuple(self._of_machine((*local.prompts, *prompts))),
            tuple(self._of_machine((*local.queue, *queue))),
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
        events = FleetEvents(self._fleet, self._local, self.snapshot, self._shows)
        if session_id is None:
            return events.of_all(after, idle)
        if owner := self._owner(session_id):
            return events.of_remote(owner, session_id, after, screens, idle)
        return events.of_local(session_id, after, screens, idle)

    # What is done on one machine: this one, or the one that was named

    def adapters(self) -> Sequence[values.AdapterStatus]:
        """Return every adapter of the machine; of a hub, those of all machines."""
        if self._machine or self._fleet.own_id:
            statuses: Sequence[values.AdapterStatus] = self._there("adapters")
            return statuses
        return self._fleet.mirror.adapters()

    def plugins(self) -> Sequence[values.PluginStatus]:
        """Return every plugin's health."""
        plugins: Sequence[values.PluginStatus] = self._there("plugins")
        return plugins

    def panes(self) -> Sequence[values.PaneInfo]:
        """Return the panes that could be adopted."""
        panes: Sequence[values.PaneInfo] = self._there("panes")
        return panes

    def folders(self) -> Sequence[values.Folder]:
        """Return folders used before."""
        folders: Sequence[values.Folder] = self._there("folders")
        return folders

    def start(self, request: values.LaunchRequest) -> values.Session:
        """Start a CLI."""
        self._not_on_a_hub()
        return self._begun("start", request=request)

    def adopt(self, pane: str, adapter: str | None = None) -> values.Session:
        """Watch a pane."""
        self._not_on_a_hub()
        return self._begun("adopt", pane=pane, adapter=adapter)

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[values.Restoration]:
        """Restore the lost sessions of the machine."""
        for session_id in session_ids:
            if (self._owner(session_id) or self._fleet.own_id) != self._place:
                raise Impossible(
                    "a session can be restored only on its own machine",
                    code=ErrorCode.OTHER_MACHINE,
                )
        restored: Sequence[values.Restoration] = self._there(
            "restore", session_ids=list(session_ids), dry_run=dry_run
        )
        return restored

    def history(
        self,
        *,
        adapter: str | None = None,
        cwd: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.HistoryPage:
        """Return the conversations that CLIs have stored on all machines, newest first."""
        filters = {"adapter": adapter, "cwd": cwd}
        places, pages, missing = self._pages("history", None, cursor, limit, filters)
        found = {machine: (page.sessions, bool(page.cursor)) for machine, page in pages.items()}
        rows, after = merge(STORED, found, places, limit)
        stored = tuple(replace(one, machine=self._named(machine)) for machine, one in rows)
        return values.HistoryPage(stored, after, missing)

    def latest_events(
        self,
        *,
        types: Sequence[str] = (),
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.LatestEvents:
        """Return past events of all machines, newest first."""
        filters = {"types": list(types), "session_id": session_id}
        places, pages, missing = self._pages("latest_events", session_id, cursor, limit, filters)
        found = {machine: (page.events, bool(page.cursor)) for machine, page in pages.items()}
        rows, after = merge(EVENTS, found, places, limit)
        events = tuple(replace(one, machine=self._named(machine)) for machine, one in rows)
        return values.LatestEvents(events, after, missing)

    def _pages(
        self,
        operation: str,
        session_id: str | None,
        cursor: str | None,
        limit: int,
        filters: Mapping[str, Any],
    ) -> tuple[dict[str, str], dict[str, Any], tuple[values.MachineStatus, ...]]:
        """Return the places of a cursor, each machine's page after its place, and who is missing.

        Only the machine of the session is asked if there is one, or the one that was named.
        """
        places = read_places(cursor)
        others = {status.machine.id: status for status in self._fleet.machines()}
        only = self._machine or (self._place_of(session_id) if session_id else None)
        machines = {self._fleet.own_id, *others} if only is None else {only}

        def page_of(machine: str) -> Any:
            there = FleetTransport(self._fleet, self._local, self._actor, machine)
            return there._there(operation, cursor=places.get(machine), limit=limit, **filters)

        results = ask_all(machines, page_of)
        errors = {id_: got for id_, got in results.items() if isinstance(got, ClawTapError)}
        pages = {id_: got for id_, got in results.items() if id_ not in errors}
        # A machine without the CLI that is asked for has nothing of it.
        ignored = ErrorCode.UNKNOWN_ADAPTER
        failed = {id_: error for id_, error in errors.items() if error.code != ignored}
        if not pages and (len(machines) == 1 or not failed):
            raise next(iter(errors.values()))
        missing = (
            replace(status, detail=failed[id_].message)
            for id_, status in others.items()
            if id_ in failed
        )
        return places, pages, tuple(missing)

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
        """Return a stored conversation of the machine."""
        place = {"before": before, "after": after, "around": around, "limit": limit}
        conversation: values.StoredConversation = self._there(
            "stored", adapter=adapter, cli_session_id=cli_session_id, **place
        )
        return conversation

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> values.SearchPage:
        """Return what has these words on the machine."""
        page: values.SearchPage = self._there("search", text=text, cursor=cursor, limit=limit)
        return page

    def ask(
        self,
        form: values.PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> values.Prompt:
        """Ask a question for a program; its machine keeps it, or of a hub the first online."""
        place = self._place or self._first_online()
        there = FleetTransport(self._fleet, self._local, self._actor, place)
        asked: values.Prompt = there._there(
            "ask", form=form, asker=asker or self._actor.device, seconds=seconds, default=default
        )
        self._fleet.mirror.learn_prompt(place, asked)
        return asked

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> values.Prompt:
        """Return a prompt to the program that asked, once it ends or after `seconds`."""
        try:
            self._local.prompt(request_id)
        except NotFound as error:
            return self._wait_elsewhere(request_id, seconds, listening, error)
        return self._local.wait(request_id, seconds, listening=listening)

    def _wait_elsewhere(
        self, request_id: str, seconds: float, listening: Callable[[], bool], unknown: NotFound
    ) -> values.Prompt:
        waited = self._fleet.mirror.wait_for_end(request_id, seconds, listening)
        owner, prompt = waited or self._look_for_prompt(request_id, unknown)
        secret = any(question.secret for question in prompt.form.questions)
        if prompt.state.open or not secret or not listening():
            return prompt
        arguments = {"request_id": request_id, "seconds": 0.0}
        answered: values.Prompt = self._fleet.call(owner, self._actor, "wait", arguments)
        return answered

    def _look_for_prompt(self, request_id: str, unknown: NotFound) -> tuple[str, values.Prompt]:
        """Return a prompt that ended while its machine could not be seen, and the machine."""
        self._fleet.check_connected()

        def look(machine: str) -> values.Prompt:
            arguments = {"request_id": request_id}
            prompt: values.Prompt = self._fleet.call(machine, self._actor, "prompt", arguments)
            return prompt

        failure: ClawTapError = unknown
        for machine, result in ask_all(self._fleet.mirror.ids(), look).items():
            if not isinstance(result, ClawTapError):
                return machine, result
            # One that does not answer may have it.
            failure = failure if isinstance(result, NotFound) else result
        raise failure

    def _first_online(self) -> str:
        """Return the machine that keeps a question that was asked through a hub."""
        for status in self._fleet.machines():
            if status.machine.state is values.MachineState.ONLINE:
                return status.machine.id
        raise Unavailable(
            "no machine of the fleet is online to keep the question", code=ErrorCode.MACHINE_AWAY
        )

    def desk_typed_at(self) -> float:
        """Return when somebody last typed in a watched pane of the machine."""
        typed_at: float = self._there("desk_typed_at")
        return typed_at

    def rules(self) -> values.RuleBook:
        """Return the rules of the machine."""
        book: values.RuleBook = self._there("rules")
        return book

    def add_rules(self, rules: Sequence[values.Rule]) -> Sequence[values.Rule]:
        """Add rules to the machine."""
        self._not_on_a_hub()
        added: Sequence[values.Rule] = self._there("add_rules", rules=list(rules))
        return added

    def remove_rule(self, name: str) -> values.Rule:
        """Remove a rule of the machine."""
        removed: values.Rule = self._there("remove_rule", name=name)
        return removed

    def try_rules(self, rules: Sequence[values.Rule]) -> values.RuleTrial:
        """Return what rules would have done to the permissions in the machine's journal."""
        trial: values.RuleTrial = self._there("try_rules", rules=list(rules))
        return trial

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> values.JournalPage:
        """Return past events of the machine."""
        page: values.JournalPage = self._there(
            "journal", after=after, limit=limit, session_id=session_id
        )
        machine = self._named(self._place)
        return replace(page, events=tuple(replace(one, machine=machine) for one in page.events))

    # Ways to a machine

    @property
    def _place(self) -> str:
        """Return the id of the machine that is meant; "" on a hub if none was named."""
        return self._machine or self._fleet.own_id

    def _there(self, operation: str, **arguments: Any) -> Any:
        """Return what the method returns on the machine that is meant."""
        if self._place != self._fleet.own_id:
            return self._fleet.call(self._place, self._actor, operation, arguments)
        return getattr(self._local, operation)(**arguments)

    def _begun(self, operation: str, **arguments: Any) -> values.Session:
        """Return the session that a call to a machine began."""
        session: values.Session = self._there(operation, **arguments)
        if self._place == self._fleet.own_id:
            return self._here(session)
        # Its event may come later than the reply.
        self._fleet.mirror.learn(self._place, session)
        return replace(session, machine=self._named(self._place))

    def _shows(self, machine: str) -> bool:
        return self._machine in ("", machine)

    def _listed(self, sessions: Iterable[values.Session]) -> list[values.Session]:
        own = self._fleet.own_id
        return [each for each in sessions if self._shows(each.machine.id if each.machine else own)]

    def _of_machine(self, listed: Sequence[OfSession]) -> Sequence[OfSession]:
        """Return those prompts or messages whose session is on the machine that was named."""
        if not self._machine:
            return listed
        own = self._fleet.own_id
        return [each for each in listed if (self._owner(each.session_id) or own) == self._machine]

    def _here(self, session: values.Session) -> values.Session:
        return replace(session, machine=self._fleet.here)

    def _named(self, machine_id: str) -> values.Machine | None:
        """Return a machine as its sessions show it; None while there is no other."""
        other = self._fleet.mirror.machine(machine_id)
        return other.value if other else self._fleet.here

    def _owner(self, session_id: str) -> str | None:
        """Return the id of the other machine that has a session; None if it is here or nowhere."""
        place = self._place_of(session_id)
        return None if place == self._fleet.own_id else place

    def _place_of(self, session_id: str) -> str | None:
        """Return the id of the machine that has a session; None if no machine has it."""
        try:
            self._local.session(session_id)
        except NotFound:
            session = self._fleet.mirror.session(session_id)
            return session.machine.id if session and session.machine else None
        return self._fleet.own_id

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
        return replace(session, machine=self._named(owner or self._fleet.own_id))

    def _on_prompt(self, operation: str, **arguments: Any) -> Any:
        try:
            self._local.prompt(arguments["request_id"])
        except NotFound:
            if elsewhere := self._fleet.mirror.prompt(arguments["request_id"]):
                return self._fleet.call(elsewhere[0], self._actor, operation, arguments)
        return getattr(self._local, operation)(**arguments)

    def _not_on_a_hub(self) -> None:
        if not self._place:
            raise Impossible(
                "this server is a hub, on which nothing runs; name a machine",
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
