"""The loop: keys in, the scenario's acts, rows out."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from clawtap_demo.agent.commands import command
from clawtap_demo.agent.dialog import Decision
from clawtap_demo.agent.keys import Key, KeyDecoder
from clawtap_demo.agent.log import Log
from clawtap_demo.agent.samples import FAREWELL, WELCOME
from clawtap_demo.agent.story import Acts, Ask, Exit, Item, Show, Wait, play
from clawtap_demo.agent.transcript import TranscriptFile
from clawtap_demo.agent.tty import Terminal
from clawtap_demo.agent.view import MODES, Block, Model, render

ESCAPE_SECONDS = 0.03
SPIN_SECONDS = 0.1


@dataclass
class Settings:
    """How the agent behaves.

    `replies` are turns by the message that begins them; `said` is what a resumed conversation
    begins with.
    The first turn begins by itself after `greet` seconds, or with a message. `pace` is the time
    between two words; a dialog is painted by half for `slow` seconds.
    """

    turns: list[list[Item]] = field(default_factory=list)
    replies: dict[str, list[Item]] = field(default_factory=dict)
    said: list[Block] = field(default_factory=list)
    message: str | None = None
    greet: float | None = None
    pace: float = 0.03
    slow: float = 0.0
    spinner: bool = False
    model: str = "swift"
    mode: str = MODES[0]


class App:
    """The running agent."""

    def __init__(
        self, settings: Settings, terminal: Terminal, log: Log, transcript: TranscriptFile
    ) -> None:
        self._settings, self._terminal, self._log = settings, terminal, log
        self._transcript = transcript
        self._turns, self._waiting = deque(settings.turns), deque[str]()
        self._keys = KeyDecoder()
        self._acts: Acts | None = None
        self._decision: Decision | None = None
        self._due = self._began = 0.0
        self._half_until: float | None = None
        self._start = None if settings.greet is None else time.monotonic() + settings.greet
        self._status: int | None = None
        self.model = Model(
            blocks=[Block("◆", WELCOME), *settings.said],
            mode=settings.mode,
            model=settings.model,
            spinning=settings.spinner,
        )

    def run(self) -> int:
        """Run until the user or the scenario ends the agent."""
        self._log.write("started")
        if self._settings.message:
            self._message(self._settings.message)
        while self._status is None:
            self._advance(time.monotonic())
            growing = self._acts is not None and self.model.dialog is None
            self._transcript.write(self.model.blocks, growing=growing)
            self._paint(time.monotonic())
            if self._status is None:
                self._read()
        self._log.write("ended", status=self._status)
        return self._status

    def _read(self) -> None:
        try:
            data = self._terminal.read(self._seconds_to_wait(time.monotonic()))
        except (EOFError, OSError):
            self._status = 1
            return
        for key in self._keys.feed(data) if data else self._keys.flush():
            text = key.text if key.name in ("Text", "Paste") else key.name
            self._log.write("key", key=text)
            self._key(key)

    def _seconds_to_wait(self, now: float) -> float:
        waits = [60.0]
        if self._keys.incomplete:
            waits.append(ESCAPE_SECONDS)
        if (self.model.busy and not self.model.dialog) or self.model.spinning:
            waits.append(SPIN_SECONDS - (now - self._began) % SPIN_SECONDS)
        if self._acts and not self.model.dialog:
            waits.append(self._due - now)
        waits += [until - now for until in (self._half_until, self._start) if until]
        return max(0.0, min(waits))

    # Keys

    def _key(self, key: Key) -> None:
        self._start = None
        if key.name in ("C-c", "C-d") and not self._acts:
            self._status = 0
        elif self.model.dialog:
            self._answer(key)
        elif key.name in ("Escape", "C-c") and self._acts:
            self._log.write("interrupted")
            self.model.blocks.append(Block("✗", "Interrupted."))
            self._end_turn()
        elif key.name == "BTab":
            self.model.mode = MODES[(MODES.index(self.model.mode) + 1) % len(MODES)]
        elif message := self.model.composer.key(key):
            self._message(message)

    def _answer(self, key: Key) -> None:
        dialog = self.model.dialog
        decision = dialog.key(Key("Escape") if key.name == "C-c" else key) if dialog else None
        if dialog and decision:
            words = "•••" if dialog.secret else decision.words
            self._log.write(
                "decision", prompt=dialog.title, labels=decision.labels, text=decision.text
            )
            self.model.blocks.append(Block("✓", f"{dialog.title} You chose: {words}"))
            self.model.dialog, self._decision = None, decision

    def _message(self, message: str) -> None:
        self._start = None
        self._log.write("message", text=message)
        if self._acts:
            self._waiting.append(message)
            return
        self.model.blocks.append(Block("❯", message))
        items = command(message, self.model)
        if items is None:
            items = self._settings.replies.get(message)
        if items is None:
            items = self._turns.popleft() if self._turns else [{"say": f"You said: {message}"}]
        self._begin(items)

    # The scenario

    def _begin(self, items: list[Item]) -> None:
        if items:
            self._acts, self._began = play(items), time.monotonic()
            self._decision, self._due = None, 0.0
            self.model.busy = True

    def _advance(self, now: float) -> None:
        if self._start and now >= self._start:
            self._start = None
            self._begin(self._turns.popleft() if self._turns else [FAREWELL])
        while self._acts and not self.model.dialog and now >= self._due and self._status is None:
            self._act(self._acts, now)
        self.model.seconds = int(now - self._began) if self._acts else 0
        self.model.frame = int((now - self._began) / SPIN_SECONDS)

    def _act(self, acts: Acts, now: float) -> None:
        try:
            answer, self._decision = self._decision, None
            act = acts.send(answer) if answer else next(acts)
        except StopIteration:
            self._end_turn()
            return
        if isinstance(act, Show) and act.mark:
            self.model.blocks.append(Block(act.mark, act.text))
        elif isinstance(act, Show):
            self.model.blocks[-1].text += act.text
        elif isinstance(act, Wait):
            self._due = now + act.paces * self._settings.pace + act.seconds
        elif isinstance(act, Ask):
            self.model.dialog = act.dialog
            self._half_until = now + self._settings.slow if self._settings.slow else None
        elif isinstance(act, Exit):
            self._status = act.status

    def _end_turn(self) -> None:
        self._acts, self.model.busy = None, False
        self._log.write("idle")
        if self._waiting:
            self._message(self._waiting.popleft())

    # Painting

    def _paint(self, now: float) -> None:
        self.model.half = self._half_until is not None and now < self._half_until
        if not self.model.half:
            self._half_until = None
        lines = render(self.model, *self._terminal.size())
        dialog = self.model.dialog
        if self._terminal.paint(lines) and dialog and not self.model.half:
            self._log.write("painted", prompt=dialog.title)
