"""A CLI that speaks ACP only, its adapter and its live check.

It asks for the commands of a live check. Started as `account` it begins no session, as `other` it
asks for another command, as `busy` it cannot be interrupted. What it was told is in a file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ != "__main__":
    from clawtap_core import AdapterInfo, Capabilities, Launch, LiveLaunch, hookimpl
    from clawtap_core.model.live_check import LIVE, RAN, REFUSED, WORKING
    from clawtap_core.protocol_io.acp.dialect import Dialect
    from clawtap_core.protocol_io.acp.peer import AcpPeer

    class AcpCheck:
        """Its outcomes are what the CLI wrote down."""

        steps = ()
        plan_mode = None
        serving_args = ()

        def start(self, place):
            self.log = place.project / "told"
            return LiveLaunch(env={"ACP_COMMANDS": f"{LIVE.allowed_command}|{LIVE.denied_command}"})

        def play(self, step):
            self.log.unlink(missing_ok=True)

        def outcome(self, step):
            told = self.log.read_text() if self.log.exists() else ""
            if "allow_once" in told:
                return RAN
            if LIVE.reason in told:
                return REFUSED
            return WORKING if "working" in told else None

        def stop(self):
            pass

    class AcpAdapter:
        """The CLI as a plugin; `speaks` is its program for ACP."""

        def __init__(self, speaks: str = "acp-cli") -> None:
            self._speaks = speaks

        @hookimpl
        def adapter_info(self):
            able = Capabilities(channels=("terminal", "protocol"))
            return AdapterInfo("acp", "ACP CLI", commands=("acp-cli",), capabilities=able)

        @hookimpl
        def launch(self, request):
            program = self._speaks if request.channel == "protocol" else "acp-cli"
            return Launch((program, *request.args))

        @hookimpl
        def open_protocol(self, request):
            return AcpPeer(request, Dialect())

        @hookimpl
        def live_check(self):
            return AcpCheck()


def install(path: Path, how: str) -> Path:
    """Write the program of the CLI, started in this way."""
    path.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {__file__} {how} "$@"\n')
    path.chmod(0o755)
    return path


def main(how: str) -> None:
    """Speak."""
    import os

    allowed, denied = os.environ["ACP_COMMANDS"].split("|")
    turn = None

    def say(**members: object) -> None:
        print(json.dumps({"jsonrpc": "2.0", **members}), flush=True)

    def tell(words: str) -> None:
        with Path("told").open("a") as file:
            file.write(f"{words}\n")

    for line in sys.stdin:
        said = json.loads(line)
        method, number = said.get("method"), said.get("id")
        if method == "initialize":
            say(id=number, result={"agentInfo": {"version": "1.0"}})
        elif method == "session/new" and how == "account":
            say(id=number, error={"code": -32000, "message": "Authentication required"})
        elif method == "session/new":
            say(id=number, result={"sessionId": "s"})
        elif method == "session/prompt":
            turn, text = number, said["params"]["prompt"][0]["text"]
            tell(text)
            command = allowed if "allowed" in text else denied
            if "permission" in text:
                command = "rm -rf x" if how == "other" else command
                call = {"toolCallId": text, "kind": "execute", "rawInput": {"command": command}}
                options = [
                    {"optionId": kind, "name": kind, "kind": kind}
                    for kind in ("allow_once", "reject_once")
                ]
                params = {"sessionId": "s", "toolCall": call, "options": options}
                say(id="asks", method="session/request_permission", params=params)
            elif "interrupt" in text:
                tell("working")
            else:
                say(id=turn, result={"stopReason": "end_turn"})
        elif number == "asks":
            tell(str(said["result"]["outcome"].get("optionId")))
            say(id=turn, result={"stopReason": "end_turn"})
        elif method == "session/cancel" and how != "busy":
            say(id=turn, result={"stopReason": "cancelled"})


if __name__ == "__main__":
    main(sys.argv[1])
