"""The toy CLI with hooks: it asks by a screen and by a hook, or by the hook alone."""

from __future__ import annotations

import threading
from dataclasses import replace

from fake_terminal import make_adapter, until

from clawtap_core import (
    Effect,
    HookCall,
    HookReport,
    Kind,
    Option,
    PromptForm,
    SessionState,
    hookimpl,
)

OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))
STATES = {"Begin": SessionState.IDLE, "Turn": SessionState.BUSY, "End": SessionState.ENDED}
TMUX = "4242"


def make_hooked(*, outside=True):
    """The adapter of the toy, with hooks."""
    module = make_adapter(reads_calls=False)
    plain = module.adapter_info()
    channels = ("terminal", "hook") if outside else ("terminal",)

    @hookimpl
    def adapter_info():
        return replace(plain, capabilities=replace(plain.capabilities, channels=channels))

    @hookimpl
    def parse_hook(event, payload):
        form = None
        if "run" in payload:
            form = PromptForm(
                Kind.PERMISSION,
                "Run it?",
                payload["run"],
                tool_name="run",
                tool_input={"command": payload["run"]},
                tool_call_id=payload.get("call"),
                options=OPTIONS,
            )
        return HookReport(
            cli_session_id=payload.get("id"),
            cwd="/tmp",
            conversation_start=payload.get("source") if event == "Begin" else None,
            form=None if event == "Done" else form,
            tool_finished=form if event == "Done" else None,
            expects_reply=event == "Ask",
            state=STATES.get(event),
        )

    @hookimpl
    def answer_hook(prompt, response):
        if response.selected_option == "always":
            return None
        return {"decision": response.selected_option or response.decision, "why": response.reason}

    @hookimpl
    def merge_prompt(seen, reported):
        if (
            seen.tool_call_id
            and reported.tool_call_id
            and seen.tool_call_id != reported.tool_call_id
        ):
            return None
        whole = reported.description or (reported.tool_input or {}).get("command", "")
        if seen.description.rstrip("…") not in whole:
            return None
        return replace(
            seen,
            subject=f"{seen.title}\n{seen.description}",
            tool_input=reported.tool_input,
            tool_call_id=seen.tool_call_id or reported.tool_call_id,
        )

    for hook in (adapter_info, parse_hook, answer_hook, merge_prompt):
        setattr(module, hook.__name__, hook)
    return module


class HookRun:
    """One run of the bridge: what the CLI tells, and what came back, once it did."""

    def __init__(self, agent, event, pane="", tmux=TMUX, process=0, **payload):
        self.gone = False
        self.answer = "nothing yet"
        self._call = HookCall("toy", event, payload, pane, tmux, process)
        self._agent = agent
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        self.answer = self._agent.hooks.report(self._call, lambda: self.gone)

    @property
    def returned(self):
        """Whether the hook has come back."""
        return self.answer != "nothing yet"

    def reply(self):
        """What came back."""
        until(lambda: self.returned)
        self._thread.join(60)
        return self.answer
