"""What CLI hooks report, and the settings that make them report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_core.model.conversation import AgentEvent
from clawtap_core.model.prompt import PromptForm
from clawtap_core.model.session import SessionState


@dataclass(frozen=True, slots=True)
class HookEndpoint:
    """Where a CLI's hooks report: our bridge program, and facts about the CLI.

    `env` is the CLI's environment, `version` its installed version: they decide where its settings
    are, and what these may hold.
    """

    bridge: str
    env: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None

    def command(self, adapter: str, event: str, *, expects_reply: bool = False) -> str:
        """Return a hook's command line; with `expects_reply` it returns only when answered."""
        words = [self.bridge, adapter, event, *(["wait"] if expects_reply else [])]
        return " ".join(map(shlex.quote, words))


@dataclass(frozen=True, slots=True)
class HookConfig:
    """Settings to merge into a file of the CLI (`path`: absolute, or below HOME).

    The file is JSON or TOML, by its suffix. Tables are merged, lists extended. `also`: a further
    file; `note`: what the user must do or know in addition.
    """

    path: str
    settings: Mapping[str, Any]
    also: tuple[HookConfig, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class HookReport:
    """What a hook's payload reports.

    `cli_session_id`, `transcript` and `cwd` identify the caller. `conversation_start` is how a
    conversation began ("startup", "resume", "clear"). `form` is a prompt, or a tool call that may
    become one; with `expects_reply` the hook returns the answer, as `answer_hook` words it.
    `tool_finished` is a call that ended, whoever allowed it; `state` what the session does next.
    """

    cli_session_id: str | None = None
    events: tuple[AgentEvent, ...] = ()
    form: PromptForm | None = None
    expects_reply: bool = False
    tool_finished: PromptForm | None = None
    transcript: str | None = None
    cwd: str | None = None
    conversation_start: str | None = None
    state: SessionState | None = None
    mode: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class HookCall:
    """A hook call: the adapter of its bridge, what it reports, and from where.

    `pane` and `tmux`: the CLI's pane and the process of its tmux server. `process`: what ran the
    bridge, the CLI or its shell; 0 if unknown.
    """

    adapter: str
    event: str
    payload: Mapping[str, Any]
    pane: str = ""
    tmux: str = ""
    process: int = 0
