"""The command line on a fake server: a Transport that notes what was asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

import pytest
from click.testing import CliRunner, Result

from clawtap_core.cli.app import cli
from clawtap_core.errors import ClawTapError, Conflict, NotFound
from clawtap_core.model import (
    AdapterInfo,
    AdapterStatus,
    Block,
    Brand,
    Effect,
    Event,
    HistoryPage,
    JournalPage,
    Kind,
    LatestEvents,
    LaunchRequest,
    Machine,
    MachineStatus,
    Message,
    MessageMatch,
    MessagePage,
    Option,
    PaneInfo,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    QueuedMessage,
    Resolution,
    Response,
    Restoration,
    SearchPage,
    Sent,
    Session,
    SessionMatch,
    SessionState,
    Snapshot,
    SnippetPart,
    StoredConversation,
    StoredSession,
)
from clawtap_core.transport import Shortcuts

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
OPTIONS = (
    Option("yes", "Yes, run it", Effect.ALLOW_ONCE, "y"),
    Option("always", "Always", Effect.ALLOW_ALWAYS),
    Option("no", "No", Effect.DENY, "esc"),
)


def make_session(name: str, **more: Any) -> Session:
    fields = {"channel": "terminal", "origin": "launched", "cwd": "/proj", "title": f"about {name}"}
    known = {"created_at": NOW, "last_activity": NOW, "state": SessionState.IDLE, **fields, **more}
    return Session(name, "demo", **known)


def make_prompt(name: str, form: PromptForm | None = None, session: str = "s-alpha-1") -> Prompt:
    form = form or PromptForm(Kind.PERMISSION, "Run this?", "rm -rf build", options=OPTIONS)
    return Prompt(name, session, "terminal", form, NOW)


def make_question() -> PromptForm:
    options = (QuestionOption("SQLite", "one file"), QuestionOption("None"))
    checks = (QuestionOption("Tests"), QuestionOption("Types"))
    return PromptForm(
        Kind.QUESTION,
        "Two things",
        questions=(
            Question("Which database?", options=options, other=True),
            Question("Which checks?", options=checks, multi_select=True),
        ),
    )


@dataclass
class FakeServer(Shortcuts):
    """What the commands see of a server."""

    live: list[Session] = field(default_factory=list)
    waiting: list[Prompt] = field(default_factory=list)
    restorations: list[Restoration] = field(default_factory=list)
    happened: list[Event] = field(default_factory=list)
    fleet: tuple[MachineStatus, ...] = ()
    streams: list[list[Event | None]] = field(default_factory=list)
    refusal: ClawTapError | None = None
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    until: datetime | None = None
    stored_on: Machine | None = None
    cursor: str | None = None
    missing: tuple[MachineStatus, ...] = ()

    def _note(self, *call: Any) -> None:
        self.calls.append(call)
        if self.refusal:
            raise self.refusal

    def ask_permission(self, name: str) -> Prompt:
        self.waiting.append(make_prompt(name))
        return self.waiting[-1]

    def cut(self) -> None:
        (prompt,) = self.waiting
        self.waiting = [replace(prompt, form=replace(prompt.form, truncated=True))]

    def ask_questions(self) -> Prompt:
        self.waiting = [make_prompt("p-q", make_question())]
        return self.waiting[0]

    def happen(self, kind: str, seq: int | None, **data: Any) -> Event:
        return Event(kind, NOW, "s-alpha-1", {"sessionId": "s-alpha-1", **data}, seq)

    def adapters(self) -> Sequence[AdapterStatus]:
        return [AdapterStatus(AdapterInfo("demo", "Demo agent", brand=Brand(ansi="36")), True)]

    def machines(self, *, measure: bool = False) -> Sequence[MachineStatus]:
        return self.fleet

    def at(self, machine: str) -> FakeServer:
        self._note("at", machine)
        return self

    def panes(self) -> Sequence[PaneInfo]:
        return [PaneInfo("%7", "gemini", "/proj", "t", "0", 80, 24, adapter="demo")]

    def sessions(self) -> Sequence[Session]:
        return self.live

    def start(self, request: LaunchRequest) -> Session:
        self._note("start", request)
        return make_session("s-new")

    def adopt(self, pane: str, adapter: str | None = None) -> Session:
        self._note("adopt", pane, adapter)
        return make_session("s-new", pane=pane, origin="adopted")

    def end(self, session_id: str) -> None:
        self._note("end", session_id)

    def message(self, session_id: str, text: str) -> Sent:
        self._note("message", session_id, text)
        return Sent("queued", "m1")

    def queue(self, session_id: str) -> Sequence[QueuedMessage]:
        return [QueuedMessage("m1", session_id, "fix\nit", NOW, until=self.until)]

    def take_back(self, session_id: str, message_id: str) -> None:
        self._note("take_back", session_id, message_id)

    def history(self, **asked: Any) -> HistoryPage:
        self._note("history", asked)
        stored = StoredSession(
            "demo", "c0ffee-1", NOW, "/proj", "What is here?", NOW, machine=self.stored_on
        )
        return HistoryPage((stored,), self.cursor, self.missing)

    def stored(self, adapter: str, cli_session_id: str, **asked: Any) -> StoredConversation:
        self._note("stored", adapter, cli_session_id, asked)
        call = Block("tool_use", "", "c1", "Shell", {"command": "ls"}, "success")
        words = Block("text", "It is \x1b[31mempty")
        message = Message("m2", "assistant", (call, words), NOW)
        return StoredConversation(self.history().sessions[0], MessagePage((message,), more=True))

    def search(self, text: str, **page: Any) -> SearchPage:
        self._note("search", text, page)
        snippet = (SnippetPart("It is "), SnippetPart("\x1b[31mempty", True), SnippetPart(" here"))
        title = "What is here?"
        message = MessageMatch("demo", "c0ffee-1", "m2", "user", NOW, title, snippet=snippet)
        session = SessionMatch("demo", "Tests", NOW, "/proj", "s-alpha-1", archived=True)
        return SearchPage((session,), (message,), "77", False)

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[Restoration]:
        self._note("restore", list(session_ids), dry_run)
        return self.restorations

    def archive(self, session_id: str, archived: bool = True) -> Session:
        self._note("archive", session_id, archived)
        return replace(make_session(session_id), archived=archived)

    def pending(self, session_id: str | None = None) -> Sequence[Prompt]:
        return [prompt for prompt in self.waiting if session_id in (None, prompt.session_id)]

    def prompt(self, request_id: str) -> Prompt:
        raise NotFound(f"no such prompt: {request_id}", code="prompt_not_found")

    def expand(self, session_id: str, request_id: str) -> Prompt:
        self.calls.append(("expand", session_id, request_id))
        self.refusal = None
        return self.waiting[0]

    def respond(self, session_id: str, response: Response) -> Prompt:
        self._note("respond", session_id, response)
        found = next(one for one in self.waiting if one.request_id == response.request_id)
        ended = Resolution(PromptState.ANSWERED, "user", "cli", NOW, response)
        return replace(found, state=PromptState.ANSWERED, resolution=ended)

    def interrupt(self, session_id: str) -> Session:
        self._note("interrupt", session_id)
        return make_session(session_id)

    def permission_mode(self, session_id: str, mode: str) -> Session:
        self._note("mode", session_id, mode)
        return make_session(session_id, mode=mode)

    def model(self, session_id: str, model: str) -> Session:
        self._note("model", session_id, model)
        return make_session(session_id, model=model)

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> JournalPage:
        self._note("journal", after, limit, session_id)
        return JournalPage(tuple(self.happened[:limit]), 9)

    def latest_events(self, **asked: Any) -> LatestEvents:
        self._note("latest_events", asked)
        return LatestEvents(tuple(self.happened), self.cursor, self.missing)

    def snapshot(self, session_id: str | None = None) -> Snapshot:
        return Snapshot("epoch-3", (), (), ())

    def events(
        self, after: str | None = None, *, session_id: str | None = None, **_: Any
    ) -> Iterator[Event | None]:
        self._note("events", after, session_id)
        if not self.streams:
            raise Conflict("the test is over", code="over")
        yield from self.streams.pop(0)


@pytest.fixture(autouse=True)
def _own_home(isolated_home: object) -> None:
    """No settings of the user who runs the tests are read."""


@pytest.fixture
def server() -> FakeServer:
    """A server with two sessions and one prompt."""
    return FakeServer(
        live=[make_session("s-alpha-1", pane="%3", pending=1), make_session("s-beta-22")],
        waiting=[make_prompt("p-1")],
    )


Run = Callable[..., Result]


@pytest.fixture
def run(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `clawtap` with these arguments on the fake server."""
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")

    def clawtap(*arguments: str, stdin: str | None = None) -> Result:
        command = [*arguments]
        where: list[Any] = []
        env = {"CLAWTAP_URL": "http://fake"}
        return CliRunner().invoke(
            cli,
            command,
            input=stdin,
            env=env,
            obj=lambda *args: where.append(args) or server,
        )

    return clawtap
