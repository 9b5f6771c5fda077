"""The Transport of a machine or a hub, which asks other machines for what is on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from clawtap_core import model as values
from clawtap_core.errors import (
    Conflict,
    ErrorCode,
    Impossible,
    NotFound,
    Unavailable,
    message_not_found,
)
from clawtap_core.fleet import questions
from clawtap_core.fleet.fleet_events import FleetEvents
from clawtap_core.fleet.merged_pages import EVENTS, STORED
from clawtap_core.fleet.merged_search import found_everywhere
from clawtap_core.fleet.mirror import by_activity
from clawtap_core.fleet.round_trip import measured
from clawtap_core.fleet.router import Router, routed
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
        self._router = Router(fleet, local, actor, machine)

    # On the machine of the session

    expand = routed(Router.to_session, Transport.expand)
    messages = routed(Router.to_session, Transport.messages)
    screen = routed(Router.to_session, Transport.screen)
    keys = routed(Router.to_session, Transport.keys)
    end = routed(Router.to_session, Transport.end)
    rename = routed(Router.change, Transport.rename)
    archive = routed(Router.change, Transport.archive)
    resume = routed(Router.change, Transport.resume)
    interrupt = routed(Router.change, Transport.interrupt)
    permission_mode = routed(Router.change, Transport.permission_mode)
    model = routed(Router.change, Transport.model)
    resume_later = routed(Router.change, Transport.resume_later)
    dismiss_limit = routed(Router.change, Transport.dismiss_limit)

    # On the machine of the prompt

    extend = routed(Router.to_prompt, Transport.extend)
    withdraw = routed(Router.to_prompt, Transport.withdraw)

    # On the machine that was named, or this one

    plugins = routed(Router.to_machine, Transport.plugins)
    desk_typed_at = routed(Router.to_machine, Transport.desk_typed_at)

    # The same, of which a hub has none of its own

    panes = routed(Router.not_on_hub, Transport.panes)
    folders = routed(Router.not_on_hub, Transport.folders)
    stored = routed(Router.not_on_hub, Transport.stored)
    rules = routed(Router.not_on_hub, Transport.rules)
    remove_rule = routed(Router.not_on_hub, Transport.remove_rule)
    try_rules = routed(Router.not_on_hub, Transport.try_rules)
    add_rules = routed(Router.not_on_hub, Transport.add_rules)
    check_cli = routed(Router.not_on_hub, Transport.check_cli)
    start = routed(Router.begin, Transport.start)
    adopt = routed(Router.begin, Transport.adopt)
    ask = routed(questions.ask, Transport.ask)

    # On all machines, as one list

    history = routed(STORED.read, Transport.history)
    latest_events = routed(EVENTS.read, Transport.latest_events)
    search = routed(found_everywhere, Transport.search)

    # Used by the methods of these names below, which do more

    _respond = routed(Router.to_session, Transport.respond)
    _message = routed(Router.to_session, Transport.message)
    _edit_queued = routed(Router.to_session, Transport.edit_queued)
    _take_back = routed(Router.to_session, Transport.take_back)
    _adapters = routed(Router.to_machine, Transport.adapters)
    _explain = routed(Router.to_machine, Transport.explain)
    _restore = routed(Router.not_on_hub, Transport.restore)
    _journal = routed(Router.to_machine, Transport.journal)

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

    # Sessions, prompts and messages on any machine

    def sessions(self) -> Sequence[values.Session]:
        """Return every session of every machine, latest activity first."""
        self._fleet.check_known()
        return self._merged(self._local.sessions(), self._fleet.mirror.sessions())

    def session(self, session_id: str) -> values.Session:
        """Return a session."""
        if self._router.owner(session_id) and (there := self._fleet.mirror.session(session_id)):
            return there
        try:
            return self._here(self._local.session(session_id))
        except NotFound:
            self._fleet.check_known()
            raise

    def pending(self, session_id: str | None = None) -> Sequence[values.Prompt]:
        """Return open prompts, oldest first."""
        self._fleet.check_known()
        if session_id is not None and self._router.owner(session_id) is None:
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
            return questions.find_elsewhere(self._router, request_id)[1]

    def respond(self, session_id: str, response: values.Response) -> values.Prompt:
        """Deliver an answer through the machine of the session."""
        ended = self._respond(session_id, response)
        owner = self._router.owner(session_id)
        if owner and not ended.state.open:
            self._fleet.mirror.remember(owner, ended)
        return ended

    def explain(self, request_id: str) -> values.Explanation:
        """Return why a prompt was asked, and a rule of its machine that would allow it.

        Another machine has to be named: whoever shows a prompt does not wait for it by chance.
        """
        if self._machine:
            return self._explain(request_id)
        try:
            return self._local.explain(request_id)
        except NotFound:
            if elsewhere := self._fleet.mirror.prompt(request_id):
                machine = self._router.machine(elsewhere[0])
                raise Impossible(
                    "rules belong to the machine that asks; name it:"
                    f" {machine.name if machine else elsewhere[0]}",
                    code=ErrorCode.OTHER_MACHINE,
                    details={"machines": [elsewhere[0]], "missing": "machine"},
                ) from None
            raise

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> values.Sent:
        """Send a message, or queue it; for a machine that is away it waits in Redis."""
        owner = self._router.owner(session_id)
        waits = owner and self._fleet.keeps_messages(owner)
        mirror = self._fleet.mirror
        if owner and waits and mirror.has_waiting(session_id) and not mirror.has_ended(session_id):
            # It goes after those that wait, also while the machine takes them.
            return self._leave_message(owner, session_id, text, attachments)
        try:
            return self._message(session_id, text, attachments)
        except Unavailable as error:
            if not (owner and waits and error.code == ErrorCode.MACHINE_AWAY):
                raise
            return self._leave_message(owner, session_id, text, attachments)

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

    def queue(self, session_id: str) -> Sequence[values.QueuedMessage]:
        """Return the queued messages."""
        if self._router.owner(session_id) is None:
            return self._local.queue(session_id)
        return [each for each in self._fleet.mirror.queue() if each.session_id == session_id]

    def edit_queued(self, session_id: str, message_id: str, text: str) -> values.QueuedMessage:
        """Change a queued message."""
        owner = self._queue_owner(session_id, message_id)
        if owner and self._fleet.mirror.waits(owner, message_id):
            edited = self._fleet.waiting.edit(owner, message_id, sendable(text))
            self._fleet.mirror.note_waiting(owner, edited)
            return edited
        return self._edit_queued(session_id, message_id, text)

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        owner = self._queue_owner(session_id, message_id)
        if owner and self._fleet.mirror.waits(owner, message_id):
            self._fleet.waiting.take_back(owner, message_id)
            self._fleet.mirror.note_taken_back(owner, message_id)
        else:
            self._take_back(session_id, message_id)

    def _queue_owner(self, session_id: str, message_id: str) -> str | None:
        """Return the session's machine if it is another; NotFound if it is away without it."""
        owner = self._router.owner(session_id)
        if (
            owner
            and self._fleet.keeps_messages(owner)
            and not self._fleet.online(owner)
            and all(each.id != message_id for each in self.queue(session_id))
        ):
            raise message_not_found(message_id)
        return owner

    def attach(self, session_id: str, name: str, data: bytes) -> values.Attachment:
        """Store a file for a message, on this machine only."""
        self._only_here(session_id, "files can be attached only on the session's own machine")
        return self._local.attach(session_id, name, data)

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file that no queued message needs."""
        self._only_here(session_id, "files can be removed only on the session's own machine")
        self._local.detach(session_id, attachment_id)

    # The state and the events of all machines

    def snapshot(self, session_id: str | None = None) -> values.Snapshot:
        """Return the current state of all machines, or of one session."""
        mirror = self._fleet.mirror
        if session_id is not None and self._router.owner(session_id) is None:
            local = self._local.snapshot(session_id)
            here = tuple(self._here(session) for session in local.sessions)
            return replace(local, sessions=here)
        with mirror.exclusive():
            positions = mirror.positions()
            sessions, prompts, queue = mirror.sessions(), mirror.prompts(), mirror.queue()
        local = self._local.snapshot()
        everything = values.Snapshot(
            str(values.Cursor(local.cursor, positions)),
            tuple(self._merged(local.sessions, sessions)),
            tuple(self._of_machine((*local.prompts, *prompts))),
            tuple(self._of_machine((*local.queue, *queue))),
            self._fleet.unseen,
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
        if owner := self._router.owner(session_id):
            return events.of_remote(owner, session_id, after, screens, idle)
        return events.of_local(session_id, after, screens, idle)

    # On one machine, with rules of their own

    def adapters(self) -> Sequence[values.AdapterStatus]:
        """Return every adapter of the named machine, or of all machines, this one's first.

        The others are known by what they are only: their sessions have to be shown here.
        """
        if not self._router.place:
            return self._fleet.mirror.adapters()
        own = self._adapters()
        if self._machine:
            return own
        ids = {status.info.id for status in own}
        others = self._fleet.mirror.adapters()
        unknown = (status.info for status in others if status.info.id not in ids)
        return [*own, *(values.AdapterStatus(info, False, elsewhere=True) for info in unknown)]

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[values.Restoration]:
        """Restore the lost sessions of the machine.

        A copied data folder has sessions that still run where they were begun: they are not lost.
        """
        place = self._router.place
        for session_id in session_ids if place else ():
            if (self._router.owner(session_id) or self._fleet.own_id) != place:
                raise Impossible(
                    "a session can be restored only on its own machine",
                    code=ErrorCode.OTHER_MACHINE,
                )
        if place and not session_ids:
            sessions = self.at(place).sessions()
            session_ids = [one.id for one in sessions if one.state is values.SessionState.LOST]
            if not session_ids:
                return []
        return self._restore(session_ids, dry_run=dry_run)

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> values.Prompt:
        """Return a prompt to the program that asked, once it ends or after `seconds`."""
        try:
            self._local.prompt(request_id)
        except NotFound:
            return questions.wait_elsewhere(self._router, request_id, seconds, listening)
        return self._local.wait(request_id, seconds, listening=listening)

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> values.JournalPage:
        """Return past events of the machine."""
        page = self._journal(after=after, limit=limit, session_id=session_id)
        machine = self._router.machine(self._router.place)
        return replace(page, events=tuple(replace(one, machine=machine) for one in page.events))

    # Lists

    def _shows(self, machine: str) -> bool:
        return self._machine in ("", machine)

    def _merged(
        self, here: Iterable[values.Session], elsewhere: Iterable[values.Session]
    ) -> list[values.Session]:
        """Return each session once, latest activity first; that where it is not over, if two."""
        merged = {session.id: session for session in elsewhere}
        for session in map(self._here, here):
            if not session.state.over or merged.get(session.id, session).state.over:
                merged[session.id] = session
        own = self._fleet.own_id
        shown = (
            one for one in merged.values() if self._shows(one.machine.id if one.machine else own)
        )
        return by_activity(shown)

    def _of_machine(self, listed: Sequence[OfSession]) -> Sequence[OfSession]:
        """Return those prompts or messages whose session is on the machine that was named."""
        if not self._machine:
            return listed
        own = self._fleet.own_id
        return [
            each for each in listed if (self._router.owner(each.session_id) or own) == self._machine
        ]

    def _here(self, session: values.Session) -> values.Session:
        return replace(session, machine=self._fleet.here)

    def _only_here(self, session_id: str, sentence: str) -> None:
        if self._router.owner(session_id):
            raise Impossible(sentence, code=ErrorCode.OTHER_MACHINE)


def _of_session(snapshot: values.Snapshot, session_id: str) -> values.Snapshot:
    return values.Snapshot(
        snapshot.cursor,
        tuple(each for each in snapshot.sessions if each.id == session_id),
        tuple(each for each in snapshot.prompts if each.session_id == session_id),
        tuple(each for each in snapshot.queue if each.session_id == session_id),
    )
