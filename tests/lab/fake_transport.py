"""A transport without an agent side."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from clawtap_core.errors import Conflict, Impossible, NotFound
from clawtap_core.model import (
    Actor,
    AdapterInfo,
    AdapterStatus,
    Attachment,
    Block,
    Capabilities,
    CheckState,
    Effect,
    Event,
    Explanation,
    Folder,
    HistoryPage,
    HookCall,
    JournalPage,
    Judgement,
    Kind,
    LatestEvents,
    LaunchRequest,
    LiveCheckStatus,
    Machine,
    MachineStatus,
    Message,
    MessageMatch,
    MessagePage,
    Option,
    PaneInfo,
    PluginStatus,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    QueuedMessage,
    Resolution,
    Response,
    Restoration,
    Rule,
    RuleBook,
    RuleDecision,
    RuleTrial,
    Screen,
    SearchPage,
    Sent,
    Session,
    SessionState,
    Snapshot,
    SnippetPart,
    StoredConversation,
    StoredSession,
    UsageLimit,
)
from clawtap_core.prompts.default_answers import validate_default
from clawtap_core.prompts.form_limits import validate_form
from clawtap_core.schemas import dump

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=timezone.utc)
EPOCH = "e1"

SESSION = Session("s1", "demo", "terminal", "launched", "/home/me/p", "p", NOON, NOON, pane="%1")
APPROVAL = Prompt(
    "r1",
    "s1",
    "terminal",
    PromptForm(
        Kind.PERMISSION,
        "Run a command",
        "ls <b>",
        tool_name="Shell",
        tool_input={"command": "ls"},
        tool_call_id="call-1",
        options=(
            Option("yes", "Yes", Effect.ALLOW_ONCE),
            Option("always", "Always", Effect.ALLOW_ALWAYS),
            Option("no", "No", Effect.DENY),
        ),
    ),
    NOON,
)
QUESTION = Prompt(
    "r2",
    "s1",
    "terminal",
    PromptForm(
        Kind.QUESTION,
        "Which colour?",
        tool_call_id="call-2",
        questions=(Question("Which colour?", options=(QuestionOption("Red"),), other=True),),
    ),
    NOON,
)

TALK = MessagePage(
    (
        Message("m1", "user", (Block("text", "What is here?"),), NOON),
        Message(
            "m2",
            "assistant",
            (
                Block("text", "I look."),
                Block("tool_use", "", "call-1", "Shell", {"command": "ls"}, "success"),
                Block("tool_result", "README.md", "call-1", "Shell", None, "success"),
            ),
            NOON,
        ),
    ),
    more=False,
    status={"model": "swift", "contextTokens": 1200},
)
STORED = StoredSession("demo", "c0ffee", NOON, "/home/me/p", "What is here?", NOON, "s1")
SNIPPET = (SnippetPart("What is "), SnippetPart("here", match=True), SnippetPart("?"))
FOUND = SearchPage(
    messages=(
        MessageMatch(
            *("demo", "c0ffee", "m1", "user", NOON, "What is here?"),
            session_id="s1",
            snippet=SNIPPET,
        ),
    )
)


class FakeTransport:
    """The whole of `Transport` in memory; `said` tells what was called, by whom."""

    def __init__(self) -> None:
        self.said: list[tuple[Any, ...]] = []
        self.actor = Actor()
        self.known = {"s1": SESSION}
        self.prompts = {"r1": APPROVAL, "r2": QUESTION}
        self.queued: dict[str, QueuedMessage] = {}
        self.busy = False
        self.shown = Screen.from_text("\x1b[31mred\x1b[0m & <b>", cols=20, rows=2)
        self.kept: list[Event] = []
        self.readers: list[queue.Queue[Event | None]] = []
        self.closed = 0
        self.fails: Exception | None = None
        self.noon = NOON

    def event(self, kind: str, **data: Any) -> Event:
        """An event of session s1."""
        return Event(kind, NOON, "s1", {"sessionId": "s1", **data})

    def for_actor(self, actor: Actor) -> FakeTransport:
        self.actor = actor
        return self

    def _note(self, *words: Any) -> None:
        self.said.append((*words, self.actor.device))
        if self.fails:
            raise self.fails

    def adapters(self) -> Sequence[AdapterStatus]:
        info = AdapterInfo("demo", "Demo", commands=("demo",), capabilities=Capabilities())
        return [AdapterStatus(info, installed=True, version="1.0")]

    def check_cli(self, adapter: str) -> LiveCheckStatus:
        self._note("check_cli", adapter)
        return LiveCheckStatus(adapter, CheckState.RUNNING, NOON, seconds=90.0)

    def plugins(self) -> Sequence[PluginStatus]:
        return [PluginStatus("demo", "loaded", hooks=("adapter_info",), adapter="demo")]

    def machines(self, *, measure: bool = False) -> Sequence[MachineStatus]:
        desk = Machine("9e2b77c0a1d4", "desk", here=True)
        return [MachineStatus(desk, "0.1.0", sessions=3, pending=1, since=NOON)]

    def panes(self) -> Sequence[PaneInfo]:
        return [PaneInfo("%7", "demo", "/home/me", "demo", "main", 80, 24, adapter="demo")]

    def desk_typed_at(self) -> float:
        return 1_780_000_000.5

    def at(self, machine: str) -> FakeTransport:
        self._note("at", machine)
        return self

    def folders(self) -> Sequence[Folder]:
        return [Folder("/home/me/p", NOON, ("demo",))]

    def sessions(self) -> Sequence[Session]:
        if self.fails:
            raise self.fails
        return list(self.known.values())

    def session(self, session_id: str) -> Session:
        if session_id not in self.known:
            raise NotFound(f"no such session: {session_id!r}", code="session_not_found")
        return self.known[session_id]

    def start(self, request: LaunchRequest) -> Session:
        self._note("start", request)
        return replace(SESSION, id="s2", adapter=request.adapter, cwd=request.cwd)

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        self._note("adopt", pane, adapter)
        return replace(SESSION, id="s3", origin="adopted", pane=pane)

    def rename(self, session_id: str, title: str) -> Session:
        self._note("rename", session_id, title)
        return replace(self.session(session_id), title=title)

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[Restoration]:
        self._note("restore", session_ids, dry_run)
        return []

    def archive(self, session_id: str, archived: bool = True) -> Session:
        self._note("archive", session_id, archived)
        return replace(self.session(session_id), archived=archived)

    def end(self, session_id: str) -> None:
        self.session(session_id)
        self._note("end", session_id)

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> Sent:
        self.session(session_id)
        self._note("message", session_id, text, *attachments)
        return Sent("queued", "m1") if self.busy else Sent("sent")

    def attach(self, session_id: str, name: str, data: bytes) -> Attachment:
        self.session(session_id)
        self._note("attach", session_id, name, data)
        return Attachment("f1", name, len(data), f"/files/{session_id}/f1-{name}")

    def detach(self, session_id: str, attachment_id: str) -> None:
        self.session(session_id)
        if attachment_id != "f1":
            raise NotFound(f"no such file: {attachment_id!r}", code="attachment_not_found")
        self._note("detach", session_id, attachment_id)

    def messages(self, session_id: str, **asked: Any) -> MessagePage:
        self.session(session_id)
        self._note("messages", session_id, asked)
        return TALK

    def history(self, **asked: Any) -> HistoryPage:
        self._note("history", asked)
        return HistoryPage((STORED,))

    def stored(self, adapter: str, cli_session_id: str, **asked: Any) -> StoredConversation:
        self._note("stored", adapter, cli_session_id, asked)
        if cli_session_id != STORED.cli_session_id:
            raise NotFound(f"no such session: {cli_session_id!r}", code="stored_session_not_found")
        return StoredConversation(STORED, TALK)

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> SearchPage:
        self._note("search", text, cursor, limit)
        return FOUND

    def rules(self) -> RuleBook:
        return RuleBook("/data/rules.toml")

    def add_rules(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        self._note("add_rules", *rules)
        return rules

    def remove_rule(self, name: str) -> Rule:
        self._note("remove_rule", name)
        return Rule(name, RuleDecision.DENY)

    def try_rules(self, rules: Sequence[Rule]) -> RuleTrial:
        self._note("try_rules", *rules)
        return RuleTrial()

    def explain(self, request_id: str) -> Explanation:
        return Explanation(self.prompt(request_id).request_id, Judgement(RuleDecision.ASK))

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        self.session(session_id)
        return list(self.queued.values())

    def edit_queued(self, session_id: str, message_id: str, text: str) -> QueuedMessage:
        self._message(message_id)
        self._note("edit_queued", message_id, text)
        return QueuedMessage(message_id, session_id, text, NOON)

    def take_back(self, session_id: str, message_id: str) -> None:
        self._message(message_id)
        self._note("take_back", message_id)

    def _message(self, message_id: str) -> None:
        if message_id not in self.queued:
            raise NotFound(f"no such message: {message_id!r}", code="message_not_found")

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        if session_id:
            self.session(session_id)
        return [prompt for prompt in self.prompts.values() if prompt.state.open]

    def prompt(self, request_id: str) -> Prompt:
        for prompt in self.prompts.values():
            if request_id in (prompt.request_id, prompt.form.tool_call_id):
                return prompt
        raise NotFound(f"no such prompt: {request_id!r}", code="prompt_not_found")

    def respond(self, session_id: str, response: Response) -> Prompt:
        self.session(session_id)
        prompt = self.prompt(response.request_id)
        self._note("respond", session_id, response)
        if not prompt.state.open:
            raise Conflict(
                "answered by user (local)", code="already_answered", details={"device": "local"}
            )
        outcome = PromptState.DENIED if response.decision == "deny" else PromptState.ANSWERED
        resolution = Resolution(outcome, self.actor.by, self.actor.device, NOON, response)
        done = replace(prompt, state=outcome, resolution=resolution)
        self.prompts[prompt.request_id] = done
        return done

    def ask(
        self,
        form: PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> Prompt:
        self._note("ask", form, asker, seconds, default)
        expires = None if seconds == 0 else NOON + timedelta(seconds=seconds or 600)
        form = validate_form(form)
        default = default and validate_default(form, default, seconds)
        asked = Prompt("r3", "s4", "external", form, NOON, expires_at=expires, default=default)
        self.prompts["r3"] = asked
        return asked

    def wait(self, request_id: str, seconds: float, *, listening: Any = None) -> Prompt:
        self._note("wait", request_id, seconds)
        return self.prompt(request_id)

    def extend(self, request_id: str, seconds: float | None = None) -> Prompt:
        prompt = self.prompt(request_id)
        self._note("extend", request_id, seconds)
        return replace(prompt, expires_at=NOON + timedelta(seconds=seconds or 600))

    def withdraw(self, request_id: str) -> Prompt:
        prompt = self.prompt(request_id)
        self._note("withdraw", request_id)
        over = Resolution(PromptState.CANCELLED, "user", self.actor.device, NOON)
        return replace(prompt, state=PromptState.CANCELLED, resolution=over)

    def expand(self, session_id: str, request_id: str) -> Prompt:
        self.session(session_id)
        self._note("expand", request_id)
        return self.prompt(request_id)

    def screen(self, session_id: str) -> Screen:
        self.session(session_id)
        return self.shown

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> Screen:
        self.session(session_id)
        self._note("keys", revision, tuple(keys), text)
        if revision != self.shown.revision:
            raise Conflict("the screen changed; nothing was typed", code="screen_changed")
        return replace(self.shown, revision=revision + 1)

    def interrupt(self, session_id: str) -> Session:
        self._note("interrupt", session_id)
        return replace(self.session(session_id), state=SessionState.IDLE)

    def resume_later(self, session_id: str, message: str | None = "continue") -> Session:
        self._note("resume_later", session_id, message)
        return replace(self.session(session_id), limit=UsageLimit("no more", resume=message))

    def dismiss_limit(self, session_id: str) -> Session:
        self._note("dismiss_limit", session_id)
        return self.session(session_id)

    def permission_mode(self, session_id: str, mode: str) -> Session:
        self._note("permission_mode", mode)
        if mode == "nonsense":
            raise Impossible("demo has no mode 'nonsense'", code="unknown_permission_mode")
        return replace(self.session(session_id), mode=mode)

    def model(self, session_id: str, model: str) -> Session:
        self._note("model", model)
        return replace(self.session(session_id), model=model)

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        self._note("journal", after, limit, session_id)
        found = [event for event in self.kept if (event.seq or 0) > after]
        return JournalPage(tuple(found[:limit]), len(self.kept))

    def latest_events(self, **asked: Any) -> LatestEvents:
        self._note("latest_events", asked)
        return LatestEvents(tuple(reversed(self.kept)))

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        sessions = tuple(self.known.values())
        return Snapshot(f"{EPOCH}-{len(self.kept)}", sessions, tuple(self.pending()), ())

    def report(self, call: HookCall, gone: Callable[[], bool]) -> None:
        self.said.append(("hook", call))

    def publish(self, event: Event) -> Event:
        """Keep an event and hand it to every reader."""
        event = replace(event, seq=len(self.kept) + 1)
        self.kept.append(event)
        self.hand_out(event)
        return event

    def hand_out(self, event: Event | None) -> None:
        """Hand an event to every reader; None ends them."""
        for reader in self.readers:
            reader.put(event)

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[Event | None]:
        self.said.append(("events", after, session_id, screens))
        live: queue.Queue[Event | None] = queue.Queue()
        self.readers.append(live)
        try:
            if after and after.startswith(f"{EPOCH}-"):
                yield from self.kept[int(after.rpartition("-")[2]) :]
            else:
                yield Event("snapshot", NOON, None, dump(self.snapshot()))
            while True:
                try:
                    event = live.get(timeout=idle)
                except queue.Empty:
                    yield None
                    continue
                if event is None:
                    return
                yield event
        finally:
            self.closed += 1
            self.readers.remove(live)
