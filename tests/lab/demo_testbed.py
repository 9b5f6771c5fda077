"""The real demo agent on a real tmux, watched in this process, with a person at the desk."""

from __future__ import annotations

import json
import os
import subprocess

from clawtap_demo import adapter as demo
from clawtap_demo.info import PROGRAM
from patience import until

from clawtap_core import LaunchRequest, Response
from clawtap_core.config import clean_environment
from clawtap_core.errors import ClawTapError
from clawtap_core.host import Host
from clawtap_core.journal import SqliteJournal
from clawtap_core.model import Actor
from clawtap_core.runtime import DirectTransport, Runtime
from clawtap_core.terminal.foreground import foreground_group
from clawtap_core.terminal.timings import TerminalTimings
from clawtap_core.terminal.tmux import TmuxTerminal

DEMO_PAINTS_SOON = TerminalTimings(key_shows=0.5)


def open_runtime(socket, folder, *, plugin=demo, **settings):
    """The agent side as `serve` opens it, with one adapter."""
    host = Host()
    host.add(plugin, "demo")
    env = {**clean_environment(os.environ), "HOME": str(folder)}
    journal = SqliteJournal(folder / "data" / "journal.db")
    terminal = TmuxTerminal(socket, environment=env, timings=DEMO_PAINTS_SOON)
    return Runtime(host, terminal, journal, env=env, **settings)


class DemoTestbed:
    """One data folder, one tmux server, and the agent side while it runs."""

    def __init__(self, socket, folder):
        self.socket, self.folder = socket, folder
        self.agent = None
        self.count = 0

    def open(self, **settings):
        """Start ClawTap, or start it again."""
        self.agent = open_runtime(self.socket, self.folder, **settings)
        return self.agent

    def close(self):
        """Stop ClawTap; panes stay."""
        if self.agent:
            self.agent.close()
            self.agent = None

    def transport(self, by="ann", device="phone"):
        return DirectTransport(self.agent, Actor(by, device))

    def tmux(self, *command, check=True):
        """What the person at the desk does in tmux."""
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", os.devnull, "-u", *command],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, "HOME": str(self.folder)},
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.rstrip("\n")

    def log_file(self):
        self.count += 1
        return self.folder / f"demo-{self.count}.jsonl"

    def script(self, *turns):
        """Flags that play these turns."""
        self.count += 1
        path = self.folder / f"script-{self.count}.json"
        path.write_text(json.dumps(turns))
        return ("--script", str(path))

    def start(self, *flags, cols=80, rows=24, **request):
        """A session that ClawTap starts."""
        log = self.log_file()
        args = ("--delay", "0", "--log", str(log), *flags)
        wanted = LaunchRequest("demo", str(self.folder), args=args, cols=cols, rows=rows, **request)
        return DemoSession(self, self.transport().start(wanted).id, log)

    def show(self, *names, **size):
        """A session that asks these."""
        return self.start("--show", ",".join(names), **size)

    def desk(
        self, *flags, shell=False, child_of_shell=False, in_a_loop=False, after=0.0, name="desk"
    ):
        """A demo agent that the desk started by hand, in a shell or alone; its pane and log.

        `child_of_shell`: a shell without job control waits for it. It can be stopped, while tmux
        lets a child of its own go on at once. `in_a_loop`: that shell starts it again and again.
        `after` so many seconds a script turns into it.
        """
        log = self.log_file()
        command = [*PROGRAM, "--delay", "0", "--log", str(log), *flags]
        size = ("-x", "80", "-y", "24")
        first = ("env", "PS1=desk$ ", "bash", "--norc", "-i") if shell else command
        if child_of_shell:
            first = ("sh", "-c", '"$@"; exit', "sh", *command)
        if after:
            first = ("sh", "-c", f'sleep {after}; exec "$@"', "sh", *command)
        if in_a_loop:
            first = ("sh", "-c", 'while :; do "$@"; done', "sh", *command)
        new = ("new-session", "-dP", "-F", "#{pane_id}", *size, "-s", name, "-c", str(self.folder))
        pane = self.tmux(*new, "--", *first)
        if shell:
            self.tmux("send-keys", "-t", pane, " ".join(command), "Enter")
            in_front = ("display-message", "-p", "-t", pane, "#{pane_current_command}")
            until(lambda: self.tmux(*in_front) != "bash", 30)
        return pane, log

    def adopt(self, pane, log):
        return DemoSession(self, self.transport().adopt(pane, "demo").id, log)


class DemoSession:
    """One session, as one user and the person at the desk see it."""

    def __init__(self, demo, session_id, log):
        self.demo, self.id, self.log = demo, session_id, log

    @property
    def transport(self):
        return self.demo.transport()

    @property
    def session(self):
        return self.transport.session(self.id)

    @property
    def live(self):
        return self.demo.agent.sessions.running[self.id]

    @property
    def pane(self):
        return self.session.pane

    @property
    def pid(self):
        """The demo agent that runs in the pane's foreground."""
        return foreground_group(self._pane_pid)

    @property
    def pid_below_shell(self):
        """The demo agent that a shell without job control waits for."""
        return int(subprocess.check_output(("pgrep", "-P", str(self._pane_pid))))

    @property
    def _pane_pid(self):
        return int(self.demo.tmux("display-message", "-p", "-t", self.pane, "#{pane_pid}"))

    def logged(self, event):
        """What the demo agent itself says that it read and did."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [line for line in map(json.loads, lines) if line["event"] == event]

    def keys(self):
        return [line["key"] for line in self.logged("key")]

    def decided(self):
        return [(line["labels"], line["text"]) for line in self.logged("decision")]

    def messages(self):
        return [line["text"] for line in self.logged("message")]

    def pending(self):
        return list(self.transport.pending(self.id))

    def prompt(self, *but):
        """The prompt that waits and is none of these."""
        known = {prompt.request_id for prompt in but}
        return until(
            lambda: next((p for p in self.pending() if p.request_id not in known), None),
            what=lambda: f"a prompt of {self.session} on\n{self.text()}\n",
        )

    def ended(self, prompt):
        """The prompt once it has ended."""
        return until(
            lambda: (p := self.transport.prompt(prompt.request_id)).resolution and p,
            what=lambda: f"the end of the prompt on\n{self.text()}\n",
        )

    def state(self, state, seconds=60.0):
        until(
            lambda: self.session.state.value == state,
            seconds,
            lambda: f"{state} of {self.session} on\n{self.text()}\n",
        )

    def answer(self, prompt, option=None, by="ann", **response):
        return self.demo.transport(by).respond(
            self.id, Response(prompt.request_id, option, **response)
        )

    def refused(self, prompt, option=None, **response):
        """The error that an answer is refused with."""
        try:
            given = self.answer(prompt, option, **response)
        except ClawTapError as error:
            return error
        raise AssertionError(f"it was not refused: {given}")

    def at_the_next_answer(self, happens):
        """Let something happen once, between the adapter's steps of an answer and their keys."""
        adapter, happened = self.live.adapter, []
        respond = adapter.respond

        def answered(*arguments):
            steps = respond(*arguments)
            if not happened:
                happened.append(True)
                happens()
            return steps

        adapter.respond = answered

    def press(self, *keys):
        """Keys of the person at the desk."""
        self.demo.tmux("send-keys", "-t", self.pane, *keys)

    def text(self):
        return self.demo.tmux("capture-pane", "-p", "-t", self.pane, check=False)

    def sees(self, words, seconds=60.0):
        """Wait until the pane shows this."""
        until(lambda: words in self.text(), seconds, lambda: f"{words!r} on\n{self.text()}\n")

    def resize(self, cols, rows):
        self.demo.tmux("resize-window", "-t", self.pane, "-x", str(cols), "-y", str(rows))

    def recorded(self, *kinds):
        """What the journal has of this session."""
        found = self.demo.agent.store.journal.read(0, 5000, self.id)
        return [event for event in found if not kinds or event.type in kinds]

    def screen(self):
        return self.transport.screen(self.id)
