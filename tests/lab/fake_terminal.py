"""A terminal without tmux: panes whose programs are small Python objects."""

from __future__ import annotations

import queue
import re
import threading
import types
from dataclasses import dataclass, field, replace

from patience import until

from clawtap_core import (
    AdapterInfo,
    Capabilities,
    Choice,
    Effect,
    Interrupt,
    Kind,
    Launch,
    Option,
    Press,
    PromptForm,
    Refusal,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    SwitchMode,
    TextInput,
    Type,
    hookimpl,
)
from clawtap_core.errors import NotFound
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Actor
from clawtap_core.runtime import DirectTransport, Runtime
from clawtap_core.terminal.api import DeskKeys, PaneEnd, PaneFacts

EFFECTS = {"Yes": Effect.ALLOW_ONCE, "Always": Effect.ALLOW_ALWAYS, "No": Effect.DENY}
ROW = re.compile(r"([> ]) (\d) (.+)")


class Toy:
    """A CLI that asks what its script says. Each key it reads is kept, with what it decided."""

    def __init__(self, *asks, mode="default"):
        self.asks = list(asks)
        self.keys: list[str] = []
        self.keys_of_others = 0
        self.decided: list[str] = []
        self.messages: list[str] = []
        self.draft = ""
        self.row = 0
        self.busy = False
        self.deaf = False
        self.odd = ""
        self.refusal = ""
        self.gives_back = True
        self.mode = mode
        self.history: list[str] = []
        self.rows = ("Yes", "Always", "No")

    def text(self) -> str:
        lines = [*self.history]
        if self.odd:
            return "\n".join([*lines, self.odd])
        if self.asks:
            lines += [f"ASK {self.asks[0]}"]
            lines += [
                f"{'>' if index == self.row else ' '} {index + 1} {label}"
                for index, label in enumerate(self.rows)
            ]
        elif self.busy:
            lines += ["working"]
        else:
            lines += [f"[{self.mode}]", f"compose: {self.draft}"]
        return "\n".join(lines)

    def key(self, key: str) -> None:
        self.keys.append(key)
        if self.deaf:
            return
        if self.asks:
            self._answer(key)
        elif key == "Escape":
            self.busy = False
        elif key == "C-u":
            self.draft = ""
        elif key == "BTab":
            self.mode = {"default": "edits", "edits": "default"}[self.mode]
        elif key == "Enter" and self.draft:
            self.messages.append(self.draft)
            if self.refusal:
                self.history.append(f"refused: {self.refusal}|{self.draft}")
            if not (self.refusal and self.gives_back):
                self.draft = ""
        elif key not in ("Enter", "Up", "Down"):
            self.draft += key

    def _answer(self, key: str) -> None:
        if key == "Down":
            self.row = (self.row + 1) % len(self.rows)
        elif key == "Up":
            self.row = (self.row - 1) % len(self.rows)
        elif key == "Enter":
            self._choose(self.rows[self.row])

    def choose(self, label: str) -> None:
        """Somebody at the desk chooses."""
        self.keys_of_others += 1
        self._choose(label)

    def _choose(self, label: str) -> None:
        ask = self.asks.pop(0)
        self.decided.append(f"{ask}: {label}")
        self.history.append(f"done {ask}")
        self.row = 0


def make_adapter(*, reads_calls=True, adapter_id="toy", name="Toy"):
    """The adapter that knows Toy, as a plugin; it may leave what a tool gets to hooks."""

    @hookimpl
    def adapter_info():
        return AdapterInfo(
            adapter_id,
            name,
            commands=("toy",),
            capabilities=Capabilities(permission_modes=True, interrupt=True),
            permission_modes=(Choice("default", "Ask"), Choice("edits", "Edits")),
        )

    @hookimpl
    def launch(request):
        return Launch(("sh", "-c", "true"))

    @hookimpl
    def detect_prompt(screen):
        lines = screen.text.split("\n")
        rows = [match for line in lines[-3:] if (match := ROW.fullmatch(line))]
        asks = [index for index, line in enumerate(lines) if line.startswith("ASK ")]
        if len(rows) < 3 or not asks or asks[-1] != len(lines) - 4:
            return None
        subject = lines[asks[-1]][4:].removesuffix("…")
        cut = lines[asks[-1]].endswith("…")
        return PromptForm(
            Kind.PERMISSION,
            "Run it?",
            subject,
            tool_name="toy-shell" if reads_calls else None,
            tool_input={"command": subject} if reads_calls and not cut else None,
            truncated=cut,
            options=tuple(Option(m[3].lower(), m[3], EFFECTS[m[3]]) for m in rows),
            selected=next(m[3].lower() for m in rows if m[1] == ">"),
            top=asks[-1],
            dialog="nudge" if subject == "nudge" else None,
            dismiss="no" if subject == "nudge" else None,
            text_input=TextInput() if subject == "text" else None,
        )

    @hookimpl
    def detect_state(screen):
        last = screen.text.split("\n")[-1]
        if last.startswith("compose:"):
            mode = screen.text.split("\n")[-2].strip("[]")
            said = "".join(screen.text.split("\n")[-3:-2])
            return SeenState(
                SessionState.IDLE,
                draft=last[8:].strip(),
                mode=mode,
                limit=said if said.startswith("limit:") else "",
                refusal=Refusal(*said[9:].split("|")) if said.startswith("refused: ") else None,
            )
        if last == "working":
            return SeenState(SessionState.BUSY)
        if last == "goodbye":
            return SeenState(SessionState.ENDED)
        return SeenState(SessionState.STARTING) if not screen.text else None

    @hookimpl
    def respond(prompt, response, screen):
        rows = [match for line in screen.text.split("\n")[-3:] if (match := ROW.fullmatch(line))]
        labels = [match[3].lower() for match in rows]
        if response.selected_option not in labels:
            return None
        at = next(index for index, match in enumerate(rows) if match[1] == ">")
        wanted = labels.index(response.selected_option)
        if at == wanted:
            return Steps((Press("Enter", deciding=True),))
        return Steps((Press("Down" if wanted > at else "Up"),))

    @hookimpl
    def compose(text, screen):
        draft = screen.text.split("\n")[-1][8:].strip()
        if not text:
            return Steps((Press("C-u"),)) if draft else Steps(done=True)
        return Steps((Press("Enter", deciding=True),)) if draft == text else Steps((Type(text),))

    @hookimpl
    def control(action, screen):
        if isinstance(action, Interrupt):
            if "not begun" in screen.text:
                return None
            return Steps((Press("Escape", deciding=True),))
        if isinstance(action, SwitchMode):
            there = f"[{action.mode}]" in screen.text
            return Steps(done=True) if there else Steps((Press("BTab"),))
        return None

    module = types.ModuleType("toy")
    for hook in (adapter_info, launch, detect_prompt, detect_state, respond, compose, control):
        setattr(module, hook.__name__, hook)
    return module


class FakePane:
    """A watched pane: keys go to the program, its text comes as screens."""

    def __init__(self, pane_id, program, listener):
        self.id = pane_id
        self.group = 7
        self.program = program
        self.there = True
        self.closed = False
        self.before_key = None
        self.size = (80, 24)
        self._listener = listener
        self._screen = Screen.from_text(program.text(), cols=80, rows=24)
        self._changed = threading.Condition()
        self._tasks: queue.Queue = queue.Queue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._tell(self._screen)

    def _run(self):
        while (task := self._tasks.get()) is not None:
            task()

    def _tell(self, screen):
        self._tasks.put(lambda: self._listener.screen_changed(screen))

    def look(self):
        with self._changed:
            text = self.program.text().rstrip()
            if (text, self.size) != (self._screen.text, self._screen.size):
                revision = self._screen.revision + 1
                cols, rows = self.size
                screen = Screen.from_text(text, cols=cols, rows=rows)
                self._screen = replace(screen, revision=revision)
                self._changed.notify_all()
                self._tell(self._screen)
            return self._screen

    def wait(self, revision, seconds):
        with self._changed:
            self._changed.wait_for(lambda: self.look().revision > revision, seconds)
            return self._screen

    ended_clis = 0
    shows_terminal = False

    def runs_cli(self):
        return self.there

    @property
    def desk_keys(self):
        return DeskKeys(getattr(self.program, "keys_of_others", 0))

    @property
    def desk_typed_at(self):
        return getattr(self.program, "typed_at", 0.0)

    def takes_keys(self):
        return not getattr(self.program, "suspended", False)

    def resume(self):
        self.program.resume()

    def desk_settles_in(self):
        return 0.0

    def cli_at_work(self):
        return False

    def shows_cli(self):
        """Nothing: a toy that runs an editor says so."""

    def is_lent(self):
        return getattr(self.program, "edits", False)

    def desk_unread(self):
        return False

    def press_alone(self, key, since, shows, *, shut=True):
        if since != self.desk_keys or shows not in self.program.text():
            return False
        self.press(key)
        return True

    def open_again(self):
        pass

    def press(self, key):
        if self.before_key:
            self.before_key()
        self.program.key(key)
        self.look()

    def type(self, text):
        self.program.key(text)
        self.look()

    paste = type

    def die(self, end=None):
        self._tasks.put(lambda: self._listener.gone(end or PaneEnd(), self._screen))

    def close(self):
        self.closed = True
        self._tasks.put(None)


@dataclass
class FakeTerminal:
    """Panes by id; `program` is what the next launch runs."""

    programs: dict = field(default_factory=dict)
    watched: dict = field(default_factory=dict)
    owners: dict = field(default_factory=dict)
    program: Toy | None = None
    pid: str = "4242"

    def server(self):
        return self.pid

    def panes(self):
        return [
            PaneFacts(
                name, "desk", "toy", "/tmp", "", 7, "/dev/null", 80, 24, owner=self.owners.get(name)
            )
            for name in self.programs
        ]

    def launch(self, argv, *, owner, name, cwd, env, cols, rows):
        pane = f"%{len(self.programs) + 1}"
        self.programs[pane] = self.program or Toy()
        self.claim(pane, owner)
        return next(facts for facts in self.panes() if facts.id == pane)

    def claim(self, pane_id, owner):
        self.owners[pane_id] = owner

    def watch(self, pane_id, listener):
        if pane_id not in self.programs:
            raise NotFound("no such pane")
        self.watched[pane_id] = FakePane(pane_id, self.programs[pane_id], listener)
        return self.watched[pane_id]

    def kill(self, pane_id):
        self.programs.pop(pane_id, None)

    def close(self):
        for pane in self.watched.values():
            pane.close()


@dataclass
class Desk:
    """An agent side on a fake terminal, as one user sees it."""

    terminal: FakeTerminal
    journal: MemoryJournal
    agent: Runtime
    session_id: str = ""

    @property
    def pane(self) -> FakePane:
        return self.terminal.watched[self.transport().session(self.session_id).pane]

    @property
    def toy(self) -> Toy:
        return self.pane.program

    @property
    def live(self):
        """The running session."""
        return self.agent.sessions.running[self.session_id]

    def transport(self, by="ann", device="phone"):
        return DirectTransport(self.agent, Actor(by, device))

    def show(self):
        """The program painted something."""
        self.pane.look()

    def prompt(self):
        """The prompt that waits, once it does."""
        return until(lambda: next(iter(self.transport().pending(self.session_id)), None))

    def session(self):
        return self.transport().session(self.session_id)

    def until_idle(self):
        until(lambda: self.session().state is SessionState.IDLE)

    def queued(self):
        """The messages that wait."""
        return [message.message for message in self.transport().queue(self.session_id)]

    def dies(self):
        """The process is gone: nothing is written any more, panes go on."""
        for session in self.agent.sessions.running.values():
            session.close()

    def errors(self):
        """The codes of the errors that the session told of."""
        return [e.data["code"] for e in self.journal.read(0, 500) if e.type == "session_error"]

    def reopened(self, open_desk, **settings):
        """The desk after a restart, on the same panes and journal."""
        new = open_desk(terminal=self.terminal, journal=self.journal, **settings)
        new.session_id = self.session_id
        return new

    def answer(self, prompt, option="yes", **more):
        """The user answers a prompt."""
        response = Response(prompt.request_id, selected_option=option, **more)
        return self.transport().respond(prompt.session_id, response)
