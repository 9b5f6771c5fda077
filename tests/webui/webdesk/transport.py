"""What an actor does at the desk: the `Transport` of the tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from clawtap_generic import info as generic_info

from clawtap_core.errors import (
    BadRequest,
    ClawTapError,
    Conflict,
    Impossible,
    NotConfirmed,
    NotFound,
    Unavailable,
)
from clawtap_core.model import (
    Actor,
    AdapterStatus,
    Attachment,
    CheckState,
    Effect,
    Event,
    Folder,
    HistoryPage,
    JournalPage,
    LatestEvents,
    LaunchRequest,
    LiveCheckStatus,
    MachineStatus,
    MessagePage,
    Option,
    PaneInfo,
    PluginStatus,
    Prompt,
    PromptState,
    QueuedMessage,
    Response,
    Restoration,
    RestoreOutcome,
    Screen,
    SearchPage,
    Sent,
    Session,
    SessionState,
    Snapshot,
    StoredConversation,
)
from clawtap_core.prompts.validation import validate_response
from clawtap_core.schemas import dump
from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transport import Shortcuts
from webdesk.clis import CLAUDE, CODEX, DEMO, GEMINI
from webdesk.rules import DeskRules

if TYPE_CHECKING:
    from webdesk.desk import Desk


class DeskTransport(DeskRules, Shortcuts):
    """`Transport` over a desk."""

    def __init__(self, desk: Desk, actor: Actor) -> None:
        self._desk = desk
        self._actor = actor

    def adapters(self) -> Sequence[AdapterStatus]:
        ready = self._desk.installed
        statuses = [
            AdapterStatus(DEMO, True, "0.1.0"),
            AdapterStatus(GEMINI, ready, "0.61.0" if ready else None),
            AdapterStatus(CLAUDE, ready, "2.1.332" if ready else None),
            AdapterStatus(CODEX, False),
            AdapterStatus(generic_info.adapter_info(), False),
        ]
        checks = self._desk.checks
        return [replace(status, live_check=checks.get(status.info.id)) for status in statuses]

    def check_cli(self, adapter: str) -> LiveCheckStatus:
        self._said("check_cli", adapter=adapter)
        if any(status.state is CheckState.RUNNING for status in self._desk.checks.values()):
            raise Conflict("a live check is running on this machine", code="check_running")
        return self._desk.check(adapter, CheckState.RUNNING)

    def plugins(self) -> Sequence[PluginStatus]:
        return [
            PluginStatus("demo", "loaded", "clawtap-demo", "0.1.0", None, (), "demo"),
            PluginStatus(
                "gemini", "loaded", "clawtap-gemini", "0.1.0", None, ("live_check",), "gemini"
            ),
            PluginStatus("mycli", "broken", "clawtap-mycli", "0.3", "no such hook: detect_promt"),
        ]

    def machines(self, *, measure: bool = False) -> Sequence[MachineStatus]:
        return ()

    def at(self, machine: str) -> DeskTransport:
        raise NotFound(f"no such machine: {machine!r}", code="machine_not_found")

    def panes(self) -> Sequence[PaneInfo]:
        return [
            PaneInfo(
                "%7", "gemini", "/home/me/projects/shop", "✦ Working", "work", 180, 50, "gemini"
            ),
            PaneInfo("%9", "node", "/home/me/projects/api", "node", "work", 120, 40),
        ]

    def desk_typed_at(self) -> float:
        return self._desk.typed_at

    def folders(self) -> Sequence[Folder]:
        return [
            Folder("/home/me/projects/shop", self._desk.now(), ("gemini",)),
            Folder("/home/me/projects/api", self._desk.now() - timedelta(days=1)),
        ]

    def sessions(self) -> Sequence[Session]:
        return [self._desk.counted(session) for session in self._desk.sessions.values()]

    def session(self, session_id: str) -> Session:
        if session_id not in self._desk.sessions:
            raise NotFound(f"no such session: {session_id!r}", code="session_not_found")
        return self._desk.counted(self._desk.sessions[session_id])

    def start(self, request: LaunchRequest) -> Session:
        self._said(
            "start", adapter=request.adapter, cwd=request.cwd, message=request.message,
            resume=request.resume, channel=request.channel, effort=request.effort,
        )  # fmt: skip
        if "missing" in request.cwd:
            raise Impossible(f"no such folder: {request.cwd}", code="no_such_folder")
        return self._desk.add(
            request.adapter, cwd=request.cwd, channel=request.channel,
            mode=request.permission_mode, model=request.model,
        )  # fmt: skip

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        self._said("adopt", pane=pane, adapter=adapter)
        return self._desk.add(adapter or "gemini", origin="adopted")

    def rename(self, session_id: str, title: str) -> Session:
        return self._desk.keep(replace(self._desk.sessions[session_id], title=title))

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[Restoration]:
        self._said("restore", sessions=list(session_ids), dry_run=dry_run)
        lost = [one for one in self.sessions() if one.state is SessionState.LOST]
        lost = [one for one in lost if not session_ids or one.id in session_ids]
        restored = []
        for one in lost:
            if "gone" in one.cwd:
                reason = f"no such folder: {one.cwd!r}"
                restored.append(Restoration(one, RestoreOutcome.IMPOSSIBLE, reason))
            elif dry_run:
                restored.append(Restoration(one, RestoreOutcome.POSSIBLE))
            else:
                self._desk.keep(replace(one, state=SessionState.STARTING, detail=None))
                started = self._desk.keep(replace(one, state=SessionState.IDLE, detail=None))
                forgot = "forgot" in one.cwd
                outcome = RestoreOutcome.WITHOUT_CONVERSATION if forgot else RestoreOutcome.RESTORED
                restored.append(Restoration(started, outcome, "not found" if forgot else None))
        return restored

    def archive(self, session_id: str, archived: bool = True) -> Session:
        return self._desk.keep(replace(self._desk.sessions[session_id], archived=archived))

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> SearchPage:
        if "nothing here" in text:
            raise Unavailable("the search index is gone")
        if cursor and not cursor.isdecimal():
            raise BadRequest("cursor must be that of the page before")
        return self._desk.search(text, int(cursor or 0), limit)

    def end(self, session_id: str) -> None:
        self._said("end", session=session_id)
        del self._desk.sessions[session_id]
        self._desk.tell("session_removed", session_id, {"sessionId": session_id})

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> Sent:
        self.session(session_id)
        files = tuple(self._file(session_id, each) for each in attachments)
        self._said("message", session=session_id, text=text, files=[each.name for each in files])
        message = QueuedMessage(
            f"m{len(self._desk.said)}", session_id, text, self._desk.now(), files
        )
        data = {"sessionId": session_id, "messageId": message.id}
        named = {"message": text, "attachments": [each.name for each in files]}
        self._desk.tell("message_queued", session_id, {**data, **named})
        if self.session(session_id).state is SessionState.IDLE:
            self._desk.tell("message_sent", session_id, data)
            return Sent("sent")
        self._desk.queues.setdefault(session_id, []).append(message)
        self._desk.queue_changed(session_id)
        return Sent("queued", message.id)

    def attach(self, session_id: str, name: str, data: bytes) -> Attachment:
        self.session(session_id)
        if name.startswith("broken"):
            raise Unavailable("the file could not be kept (disk full)", code="not_kept")
        files = self._desk.files.setdefault(session_id, [])
        self._desk.given += 1
        found = Attachment(f"f{self._desk.given}", name, len(data), f"/files/{name}")
        files.append(found)
        return found

    def detach(self, session_id: str, attachment_id: str) -> None:
        self._desk.files[session_id].remove(self._file(session_id, attachment_id))

    def _file(self, session_id: str, name: str) -> Attachment:
        for each in self._desk.files.get(session_id, []):
            if each.id == name:
                return each
        raise NotFound(f"no such file: {name!r}", code="attachment_not_found")

    def messages(
        self, session_id: str, *, before: str | None = None, after: str | None = None,
        limit: int = 50,
    ) -> MessagePage:  # fmt: skip
        self.session(session_id)
        return self._page(session_id, before, limit)

    def _page(self, name: str, before: str | None, limit: int) -> MessagePage:
        talk = self._desk.talks.get(name, [])
        if before is not None:
            known = [at for at, one in enumerate(talk) if one.id == before]
            if not known:
                raise NotFound("no such message", code="message_not_found")
            talk = talk[: known[0]]
        status = {"contextPercent": 38.2, "contextTokens": 41_200} if talk else None
        return MessagePage(tuple(talk[-limit:]), len(talk) > limit, status)

    def history(
        self, *, adapter: str | None = None, cwd: str | None = None, cursor: str | None = None,
        limit: int = 50,
    ) -> HistoryPage:  # fmt: skip
        found = [one for one in self._desk.stored if adapter in (None, one.adapter)]
        if cursor and not cursor.isdecimal():
            raise BadRequest("cursor must come from an earlier page")
        start = int(cursor or 0)
        more = str(start + limit) if len(found) > start + limit else None
        return HistoryPage(tuple(found[start : start + limit]), more, tuple(self._desk.missing))

    def stored(
        self, adapter: str, cli_session_id: str, *, before: str | None = None,
        after: str | None = None, around: str | None = None, limit: int = 50,
    ) -> StoredConversation:  # fmt: skip
        for one in self._desk.stored:
            if (one.adapter, one.cli_session_id) == (adapter, cli_session_id):
                name = f"stored-{cli_session_id}"
                if before or not (after or around):
                    return StoredConversation(one, self._page(name, before, limit))
                talk = Conversation()
                talk.apply(self._desk.talks.get(name, []))
                page = talk.around(after or around or "", 0 if after else limit // 2, limit)
                if page:
                    return StoredConversation(one, page)
                raise NotFound("no such message", code="message_not_found")
        raise NotFound("no such conversation", code="stored_session_not_found")

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        return list(self._desk.queues.get(session_id, []))

    def edit_queued(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        queue = self._desk.queues.get(session_id, [])
        if not any(message.id == message_id for message in queue):
            raise NotFound("no such message", code="message_not_found")
        changed = [replace(one, message=text) if one.id == message_id else one for one in queue]
        self._desk.queues[session_id] = changed
        self._desk.queue_changed(session_id)
        return next(one for one in changed if one.id == message_id)

    def take_back(self, session_id: str, message_id: str) -> None:
        queue = self._desk.queues.get(session_id, [])
        if not any(message.id == message_id for message in queue):
            raise NotFound("no such message", code="message_not_found")
        self._desk.queues[session_id] = [one for one in queue if one.id != message_id]
        self._desk.queue_changed(session_id)

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        return [
            prompt
            for prompt in self._desk.prompts.values()
            if prompt.state.open and session_id in (None, prompt.session_id)
        ]

    def prompt(self, request_id: str) -> Prompt:
        if request_id not in self._desk.prompts:
            raise NotFound("no such prompt", code="prompt_not_found")
        return self._desk.prompts[request_id]

    def respond(self, session_id: str, response: Response) -> Prompt:
        self.session(session_id)
        desk, prompt = self._desk, self.prompt(response.request_id)
        response = validate_response(prompt.form, response)
        with desk.lock:
            prompt = self.prompt(response.request_id)
            if prompt.state is not PromptState.PENDING:
                raise Conflict("this prompt was answered already", code="already_answered")
            desk.change(replace(prompt, state=PromptState.ANSWERING))
        if desk.delay:
            threading.Event().wait(desk.delay)
        self._said("respond", **dump(response))
        if desk.fail:
            return self._failed(prompt, response, desk.fail)
        option = prompt.form.option(response.selected_option or "")
        denied = response.decision == "deny" or (option and option.effect is Effect.DENY)
        outcome = PromptState.DENIED if denied else PromptState.ANSWERED
        return desk.resolve(prompt.request_id, outcome, self._actor, response)

    def _failed(self, prompt: Prompt, response: Response, error: ClawTapError) -> Prompt:
        if isinstance(error, NotConfirmed):
            self._desk.resolve(
                prompt.request_id, PromptState.FAILED, self._actor, response, error.message
            )
        else:
            self._desk.change(replace(prompt, state=PromptState.PENDING))
        raise error

    def extend(self, request_id: str, seconds: float | None = None) -> Prompt:
        until = self._desk.now() + timedelta(seconds=seconds or 600)
        self._said("extend", seconds=seconds)
        return self._desk.change(replace(self.prompt(request_id), expires_at=until))

    def expand(self, session_id: str, request_id: str) -> Prompt:
        prompt = self.prompt(request_id)
        options = (*prompt.form.options, Option("lite", "Flash Lite"), Option("nano", "Nano"))
        form = replace(prompt.form, options=options, more_options=False)
        return self._desk.change(replace(prompt, form=form))

    def screen(self, session_id: str) -> Screen:
        self.session(session_id)
        return self._desk.screens[session_id]

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> Screen:
        shown = self.screen(session_id)
        if shown.revision != revision:
            raise Conflict("the screen changed; nothing was typed", code="screen_changed")
        self._said("keys", keys=list(keys), text=text)
        self._desk.paint(session_id, f"you pressed {' '.join(keys) or text}\n{shown.text}")
        return self.screen(session_id)

    def resume_later(self, session_id: str, message: str | None = "continue") -> Session:
        self._said("resume_later", session=session_id, message=message)
        session = self._desk.sessions[session_id]
        assert session.limit
        return self._desk.keep(replace(session, limit=replace(session.limit, resume=message)))

    def dismiss_limit(self, session_id: str) -> Session:
        self._said("dismiss_limit", session=session_id)
        session = replace(self._desk.sessions[session_id], limit=None, state=SessionState.IDLE)
        return self._desk.keep(session)

    def interrupt(self, session_id: str) -> Session:
        self._said("interrupt", session=session_id)
        return self._desk.keep(replace(self._desk.sessions[session_id], state=SessionState.IDLE))

    def permission_mode(self, session_id: str, mode: str) -> Session:
        if mode == "yolo":
            raise Impossible(
                "this CLI cannot go to YOLO while it runs", code="unknown_permission_mode"
            )
        return self._desk.keep(replace(self._desk.sessions[session_id], mode=mode))

    def model(self, session_id: str, model: str) -> Session:
        return self._desk.keep(replace(self._desk.sessions[session_id], model=model))

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        kept = [event for event in self._desk.events if event.seq is not None]
        found = [e for e in kept if e.seq > after and session_id in (None, e.session_id)]
        return JournalPage(tuple(found[:limit]), len(kept))

    def latest_events(
        self, *, types: Sequence[str] = (), session_id: str | None = None,
        cursor: str | None = None, limit: int = 50,
    ) -> LatestEvents:  # fmt: skip
        if cursor and not cursor.isdecimal():
            raise BadRequest("cursor must come from an earlier page")
        before = int(cursor or 0) or len(self._desk.events) + 1
        found = [
            event
            for event in reversed(self._desk.events)
            if event.seq is not None
            and event.seq < before
            and (not types or event.type in types)
            and session_id in (None, event.session_id)
        ][:limit]
        more = str(found[-1].seq) if len(found) == limit else None
        return LatestEvents(tuple(found), more, tuple(self._desk.missing))

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        with self._desk.lock:
            queue = [one for queue in self._desk.queues.values() for one in queue]
            cursor = f"{self._desk.epoch}-{self.journal().last}"
            return Snapshot(cursor, tuple(self.sessions()), tuple(self.pending()), tuple(queue))

    def events(
        self, after: str | None = None, *, session_id: str | None = None, screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[Event | None]:  # fmt: skip
        desk = self._desk
        epoch, _, seq = (after or "").rpartition("-")
        with desk.lock:
            at = len(desk.events)
            if epoch == desk.epoch:
                at = next((i for i, e in enumerate(desk.events) if (e.seq or 0) > int(seq)), at)
                first = None
            else:
                first = Event("snapshot", desk.now(), None, dump(self.snapshot()))
        if first:
            yield first
        while True:
            with desk.lock:
                if at >= len(desk.events) and not desk.lock.wait(idle):
                    yield None
                fresh, at = desk.events[at:], len(desk.events)
            for event in fresh:
                if event.type == "screen" and not (screens and event.session_id == session_id):
                    continue
                if session_id in (None, event.session_id):
                    yield event

    def _said(self, what: str, **fields: Any) -> None:
        self._desk.said.append({"what": what, "device": self._actor.device, **fields})
