"""The runtime beside a model of it: whatever happens in whatever order, both say the same.

People answer, at the desk too; messages come; the disk fills; the runtime restarts or is cut off
without an end; time is moved by hand.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from fake_terminal import FakeTerminal, Toy, make_adapter
from full_journal import FullJournal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from manual_time import ManualTime
from patience import until

from clawtap_core import LaunchRequest, Response
from clawtap_core.errors import Conflict, Unavailable
from clawtap_core.host import Host
from clawtap_core.model import Actor, PromptState
from clawtap_core.prompts.screen_timings import ScreenTimings
from clawtap_core.runtime import DirectTransport, Runtime
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.api import PaneEnd

LABELS = ("Yes", "Always", "No")
OUTCOMES = {"Yes": "answered", "Always": "answered", "No": "denied"}
QUICK = Timings(
    screens=ScreenTimings(unclear_leaves=0.01),
    prompt_away=0.001,
    keys_show=0.05,
    closing_grace=0.5,
)


class RuntimeMachine(RuleBasedStateMachine):
    """A desk with one session; the model is what its program must have read, and each outcome."""

    def __init__(self):
        super().__init__()
        self.host = Host()
        self.host.add(make_adapter(), "toy")
        self.terminal, self.journal, self.time = FakeTerminal(), FullJournal(), ManualTime()
        self.asked = self.said = 0
        self.decided: list[str] = []
        self.messages: list[str] = []
        self.outcomes: dict[str, str] = {}
        self.over: list[str] = []
        self.runtime = None

    @initialize()
    def begin(self):
        self.open()
        self.new_session()

    # What happens

    @precondition(lambda self: self.alive and len(self.toy.asks) < 3)
    @rule(same=st.booleans())
    def ask(self, same):
        self.asked += not same or self.asked == 0
        self.toy.asks.append(f"touch {self.asked}")
        self.settle()

    @precondition(lambda self: self.prompt())
    @rule(label=st.sampled_from(LABELS))
    def answer(self, label):
        prompt = self.prompt()
        if self.journal.full:
            self.refused(prompt.request_id, label, Unavailable)
            return
        ended = self.transport().respond(self.session, Response(prompt.request_id, label.lower()))
        assert ended.state.value == OUTCOMES[label]
        self.ended(prompt, OUTCOMES[label], label)

    @precondition(lambda self: self.over)
    @rule(data=st.data(), label=st.sampled_from(LABELS))
    def answer_late(self, data, label):
        self.refused(data.draw(st.sampled_from(self.over)), label, Conflict)

    @precondition(lambda self: self.prompt())
    @rule(label=st.sampled_from(LABELS))
    def answer_at_the_desk(self, label):
        prompt = self.prompt()
        self.toy.choose(label)
        self.ended(prompt, "answered_elsewhere", label)

    @precondition(lambda self: self.alive)
    @rule()
    def say(self):
        self.said += 1
        text = f"message {self.said}"
        try:
            self.transport().message(self.session, text)
        except Unavailable:
            assert self.journal.full
        else:
            self.messages.append(text)
        self.settle()

    @precondition(lambda self: self.alive)
    @rule()
    def work_or_rest(self):
        self.toy.busy = not self.toy.busy
        self.settle()

    @rule(seconds=st.sampled_from([0.1, 5, 3600]))
    def wait(self, seconds):
        self.time.advance(seconds)
        self.settle()

    @rule()
    def fill_or_free_the_disk(self):
        self.journal.full = not self.journal.full
        self.settle()

    @precondition(lambda self: not self.journal.full)
    @rule(cut_off=st.booleans())
    def restart(self, cut_off):
        """Restart, also without an end: then what was only in memory is lost."""
        known = self.prompt()
        if cut_off:
            self.runtime.store.commit = None
            self.runtime.store._lock = threading.RLock()
        self.time.calls.clear()
        self.runtime.close()
        self.terminal.close()
        self.open()
        self.settle()
        now = self.prompt()
        assert (now and now.request_id) == (known and known.request_id)

    @precondition(lambda self: self.alive)
    @rule()
    def end(self):
        prompt = self.prompt()
        self.pane.die(PaneEnd())
        until(lambda: not self.alive)
        if prompt:
            self.outcomes[prompt.request_id] = "cancelled"
        self.check_program()
        self.messages, self.decided, self.over = [], [], []
        if not self.journal.full:
            self.new_session()

    @precondition(lambda self: not self.alive and not self.journal.full)
    @rule()
    def start_again(self):
        self.new_session()

    # What must hold

    @invariant()
    def the_prompt_is_what_the_program_asks(self):
        if self.runtime is None or not self.alive:
            return
        prompt = self.prompt()
        assert (prompt and prompt.form.description) == (self.toy.asks[0] if self.toy.asks else None)
        assert prompt is None or prompt.state is PromptState.PENDING
        assert prompt is None or prompt.request_id not in self.outcomes

    @invariant()
    def the_program_read_what_was_decided_and_no_more(self):
        if self.runtime is not None and self.alive:
            self.check_program()

    @invariant()
    def every_outcome_is_kept(self):
        for request_id, outcome in self.outcomes.items():
            assert self.transport().prompt(request_id).state.value == outcome

    @invariant()
    def the_journal_tells_the_same(self):
        if self.runtime is None or self.journal.full:
            return
        self.runtime.store.commit([])  # what could not be written before is written with the next
        events = self.journal.read(0, 100_000)
        opened = [e.data["requestId"] for e in events if e.type == "approval_required"]
        resolved = {
            e.data["requestId"]: e.data["state"] for e in events if e.type == "prompt_resolved"
        }
        assert len(opened) == len(set(opened))
        assert resolved == self.outcomes
        kept, store = self.journal.kept(), self.runtime.store
        assert {prompt.request_id for prompt in kept.prompts} == set(opened) - set(resolved)
        states = {session.id: session.state for session in kept.sessions}
        assert states == {session.id: session.state for session in store.sessions()}
        queued = [message.id for message in store.queue(self.session)]
        assert [m.id for m in kept.queue if m.session_id == self.session] == queued

    # The desk

    def open(self):
        self.runtime = Runtime(
            self.host,
            self.terminal,
            self.journal,
            env={"PATH": os.environ["PATH"]},
            timings=QUICK,
            scheduler=self.time.scheduler,
        )

    def new_session(self):
        self.toy = self.terminal.program = Toy()
        self.session = self.transport().start(LaunchRequest("toy", str(Path.cwd()))).id
        self.settle()

    def transport(self):
        return DirectTransport(self.runtime, Actor("ann", "phone"))

    @property
    def alive(self):
        return not self.transport().session(self.session).state.over

    @property
    def pane(self):
        return self.terminal.watched[self.transport().session(self.session).pane]

    def prompt(self):
        return next(iter(self.transport().pending(self.session)), None)

    def refused(self, request_id, label, error):
        keys = list(self.toy.keys)
        with pytest.raises(error):
            self.transport().respond(self.session, Response(request_id, label.lower()))
        assert self.toy.keys == keys
        self.settle()

    def ended(self, prompt, outcome, label):
        self.outcomes[prompt.request_id] = outcome
        self.over.append(prompt.request_id)
        self.decided.append(f"{prompt.form.description}: {label}")
        self.settle()

    def settle(self):
        """Let every screen be seen, time enough pass, and what is queued be typed if it can."""
        for _ in range(4):
            self.seen()
            self.time.advance(0.5)
        if not self.alive:
            return
        # A message that is being typed comes to its end in a thread of its own.
        if self.toy.asks:
            until(self.shows_what_is_asked, 20, lambda: f"{self.toy.__dict__}")
        elif not (self.toy.busy or self.journal.full):
            until(self.queue_is_empty, 20, lambda: f"{self.toy.__dict__}")

    def shows_what_is_asked(self):
        prompt = self.prompt()
        if prompt and prompt.form.description == self.toy.asks[0]:
            return True
        self.seen()
        self.time.advance(0.5)
        return False

    def queue_is_empty(self):
        if not self.transport().queue(self.session) and self.toy.messages == self.messages:
            return True
        self.seen()
        self.time.advance(0.5)
        return False

    def seen(self):
        if self.alive:
            done = threading.Event()
            self.pane.look()
            self.pane._tasks.put(done.set)
            assert done.wait(60)

    def check_program(self):
        assert self.toy.decided == self.decided
        assert self.toy.messages == self.messages[: len(self.toy.messages)]

    def teardown(self):
        if self.runtime:
            self.journal.full = False
            self.time.calls.clear()
            self.runtime.close()
            self.terminal.close()


TestRuntimeMachine = RuntimeMachine.TestCase
TestRuntimeMachine.settings = settings(
    max_examples=int(os.environ.get("CLAWTAP_EXAMPLES", "10")),
    stateful_step_count=25,
    deadline=None,
)
