"""A CLI with a machine protocol, and its adapter: one JSON object a line, each an order.

A message is a list of things to do, separated by blanks: `ask:NAME` asks and waits, `ask2:NAME`
asks without waiting, `take-back:NAME`, `say:TEXT`, `begin:CALL` and `end:CALL` of a tool, `broken`,
`unknown`, `limit`, `exit:STATUS`, `deaf:N` (reads nothing for so long). Started with `silent` it
never answers, with `refusing` it says why not, with `exiting` it is gone at once, with `forgetful`
it does not find its conversation, with `stubborn` only SIGKILL ends it. What it read is in its log,
a line each, as it was read.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path

if __name__ != "__main__":
    from clawtap_core import (
        SUCCESS,
        Ack,
        AdapterInfo,
        AgentEvent,
        Capabilities,
        Choice,
        Effect,
        Interrupt,
        Kind,
        Launch,
        Message,
        Option,
        PromptForm,
        PromptRequested,
        RequestCancelled,
        SessionFacts,
        SessionState,
        SwitchMode,
        Write,
        hookimpl,
    )
    from clawtap_core.model import Block
    from clawtap_core.protocol_io.json_lines import BrokenLine, JsonLines, json_line

    OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))

    class SpokenPeer:
        """Speaks its protocol."""

        def __init__(self):
            self.lines = JsonLines(longest=100_000)
            self.waiting = {}
            self.sent = 0

        def open(self):
            return json_line({"hello": True})

        def receive(self, data):
            for line in self.lines.feed(data):
                yield from self.read(line)

        def read(self, line):
            if isinstance(line, BrokenLine):
                yield AgentEvent("session_error", {"code": "not_understood", "error": line.why})
            elif "refused" in line:
                yield AgentEvent("session_error", {"code": "no_login", "error": line["refused"]})
                yield SessionFacts(SessionState.ENDED)
            elif "limit" in line:
                error = {"code": "usage_limit", "error": line["limit"]}
                yield AgentEvent("session_error", error)
            elif "forgot" in line:
                yield AgentEvent("session_error", {"code": "not_resumed", "error": line["forgot"]})
            elif "state" in line:
                yield SessionFacts(SessionState(line["state"]), line.get("session"))
            elif "ask" in line:
                self.waiting[line["ask"]] = line
                form = PromptForm(
                    Kind.PERMISSION, "Run?", str(line["name"]), options=OPTIONS, tool_name="run"
                )
                yield PromptRequested(line["ask"], form)
            elif "take_back" in line:
                self.waiting.pop(line["take_back"], None)
                yield RequestCancelled(line["take_back"])
            elif "taken" in line:
                if line.get("mode"):
                    yield SessionFacts(mode=line["mode"])
                yield Ack(line["taken"], line.get("error"))
            elif "begun" in line:
                call = {"toolCallId": line["begun"], "toolName": "run"}
                yield AgentEvent("tool_call_start", {**call, "input": {}})
            elif "over" in line:
                call = {"toolCallId": line["over"], "toolName": "run", "status": SUCCESS}
                yield AgentEvent("tool_call_end", call)
                yield AgentEvent("tool_result", {**call, "text": "it ran"})
            elif "say" in line:
                yield Message(line["id"], "assistant", (Block("text", line["say"]),))

        def message(self, text):
            self.sent += 1
            return Write(json_line({"message": text, "id": f"m{self.sent}"}), f"m{self.sent}")

        def answer(self, call, response):
            if self.waiting.pop(call, None) is None:
                return None
            chosen = {"option": response.selected_option, "reason": response.reason}
            return Write(json_line({"answer": call, **chosen}))

        def control(self, action):
            if isinstance(action, Interrupt):
                return Write(json_line({"interrupt": True}))
            if isinstance(action, SwitchMode):
                return Write(json_line({"mode": action.mode}), "mode")
            return None

    class SpokenAdapter:
        """The CLI as a plugin; `log` is where it writes what it read."""

        def __init__(self, log=None):
            self.log = str(log or "")
            self.requests = []

        @hookimpl
        def adapter_info(self):
            modes = (Choice("ask", "Ask"), Choice("never", "Never"))
            able = Capabilities(channels=("protocol",), resume=True, refusal_reason=True)
            return AdapterInfo("spoken", "Spoken", capabilities=able, permission_modes=modes)

        @hookimpl
        def launch(self, request):
            self.requests.append(request)
            argv = (sys.executable, "-IS", __file__, request.resume or "new", self.log)
            return Launch((*argv, *request.args))

        @hookimpl
        def open_protocol(self, request):
            return SpokenPeer()


class Cli:
    """The child itself."""

    def __init__(self, session: str, log: str, how: str = "") -> None:
        self.how = how
        self.resumed = session != "new"
        self.session = f"{os.getpid()}" if session == "new" else session
        self.log = log
        self.answers: dict[str, queue.Queue] = {}
        self.turns: queue.Queue = queue.Queue()
        self.asked = 0
        self.interrupted = threading.Event()
        self.lock = threading.Lock()

    def say(self, line) -> None:
        with self.lock:
            sys.stdout.write(line if isinstance(line, str) else json.dumps(line) + "\n")
            sys.stdout.flush()

    def read(self) -> None:
        for line in sys.stdin:
            at = time.time()
            if self.log:
                with Path(self.log).open("a") as log:
                    log.write(json.dumps({"at": at, "session": self.session, "line": line}) + "\n")
            self.heed(json.loads(line))
        if self.how != "stubborn":
            os._exit(0)

    def heed(self, said) -> None:
        if "hello" in said and self.how == "refusing":
            self.say({"refused": "log in first"})
        elif "hello" in said and self.how != "silent":
            if self.how == "forgetful" and self.resumed:
                self.say({"forgot": "no such conversation"})
                self.session = f"{os.getpid()}"
            self.say({"state": "idle", "session": self.session})
        elif "message" in said:
            self.say({"taken": said["id"]})
            self.turns.put(said["message"])
            for word in said["message"].split():
                if word.startswith("deaf:"):
                    time.sleep(float(word[5:]))
        elif "answer" in said:
            self.answers[said["answer"]].put(said["option"])
        elif "interrupt" in said:
            self.interrupted.set()
            for name, answer in list(self.answers.items()):
                self.say({"take_back": name})
                answer.put(None)
        elif "mode" in said:
            error = None if said["mode"] == "never" else "this mode is not for you"
            self.say({"taken": "mode", "error": error, "mode": None if error else said["mode"]})

    def ask(self, name: str) -> str:
        self.asked += 1
        call = f"{self.session}-{self.asked}"
        self.answers[call] = queue.Queue()
        self.say({"ask": call, "name": name})
        return call

    def run(self) -> None:
        if self.how == "exiting":
            sys.exit("cannot begin")
        if self.how == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        threading.Thread(target=self.read, daemon=True).start()
        print("ready", file=sys.stderr)
        while True:
            words = self.turns.get()
            self.interrupted.clear()
            self.say({"state": "busy"})
            named = {}
            for word in words.split():
                if not self.interrupted.is_set():
                    self.do(*word.partition(":")[::2], named)
            self.say({"state": "idle"})

    def do(self, what: str, how: str, named: dict) -> None:
        if what == "ask":
            call = self.ask(how)
            answer = self.answers[call].get()
            del self.answers[call]
            self.say({"say": f"{how}={answer}", "id": call})
        elif what == "ask2":
            named[how] = self.ask(how)
        elif what == "wait":
            self.answers[named[how]].get()
        elif what == "take-back":
            self.say({"take_back": named[how]})
        elif what == "say":
            self.say({"say": how, "id": f"s{how}"})
        elif what == "begin":
            self.say({"begun": how})
        elif what == "end":
            self.say({"over": how})
        elif what == "broken":
            self.say("{broken\n")
        elif what == "unknown":
            self.say({"what": "is this", "ask": {"rubbish": 1}} if how else {"what": "is this"})
        elif what == "exit":
            print("the last words", file=sys.stderr)
            os._exit(int(how))
        elif what == "limit":
            self.say({"limit": "You've hit your limit, try again at 3:10pm"})
        elif what == "until-interrupted":
            self.interrupted.wait()


if __name__ == "__main__":
    Cli(*sys.argv[1:]).run()
