"""What an adapter declares about itself and its CLI."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from clawtap_core.model.live_check import LiveCheckStatus


@dataclass(frozen=True, slots=True)
class Brand:
    """How the CLI is shown; `icon` is the inner markup of a 24x24 SVG by the author.

    `color_bg` and `glow` are made from a `color` of the form #rrggbb, unless they are given.
    """

    color: str = "#6b7280"
    color_bg: str = ""
    gradient: tuple[str, str] = ("#6b7280", "#4b5563")
    glow: str = ""
    icon_type: str = "terminal"
    icon: str = ""
    ansi: str = "37"

    def __post_init__(self) -> None:
        if re.fullmatch("#[0-9A-Fa-f]{6}", self.color):
            red, green, blue = bytes.fromhex(self.color[1:])
            made = {"color_bg": f"{self.color}22", "glow": f"rgba({red},{green},{blue},0.3)"}
            for name, value in made.items():
                object.__setattr__(self, name, getattr(self, name) or value)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the adapter can do with its CLI; the page and the API offer nothing else.

    `max_context_window` in tokens. `permission_mode_type`: "cycle" or "toggle".
    `refusal_reason`: over a channel without a screen a refusal carries its reason; a prompt on a
    screen declares this itself (`takes_reason`); otherwise the core sends the reason as the next
    message. `unanswerable`: prompts that a channel can only refuse, as "channel:type".
    """

    plan_mode: bool = False
    permission_modes: bool = False
    interrupt: bool = False
    resume: bool = False
    attach: bool = True
    status_line: bool = False
    images: bool = False
    streaming: bool = False
    refusal_reason: bool = False
    max_context_window: int | None = None
    permission_mode_type: str | None = None
    channels: tuple[str, ...] = ("terminal",)
    unanswerable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A model, mode, effort level or command: its id, and how to show it."""

    id: str
    label: str
    description: str = ""

    @classmethod
    def slash_commands(cls, described: Mapping[str, str]) -> tuple[Choice, ...]:
        """Return commands as choices; `described` says what each of them does."""
        return tuple(cls(command, command, does) for command, does in described.items())


@dataclass(frozen=True, slots=True)
class AdapterInfo:
    """The identity of an adapter and its CLI.

    `commands`: program names as a pane shows them; for a script also its file or its package, an
    npm package without its @scope/; `install`: one line on how to get the CLI; `version_argv`
    prints its version; `file_mention`: how a message names a file by absolute path;
    `slash_commands`: messages that the CLI takes for commands; `proved_versions`: those of the CLI
    on which each prompt was answered; `may_exit_when_answered`: an exit after an answer took it;
    `reports_questions`: the transcript has all questions of a form while the first one is open.
    """

    id: str
    name: str
    provider: str = ""
    brand: Brand = Brand()
    commands: tuple[str, ...] = ()
    version_argv: tuple[str, ...] = ()
    install: str = ""
    file_mention: str = "{path}"
    capabilities: Capabilities = Capabilities()
    models: tuple[Choice, ...] = ()
    permission_modes: tuple[Choice, ...] = ()
    effort_levels: tuple[Choice, ...] = ()
    slash_commands: tuple[Choice, ...] = ()
    proved_versions: tuple[str, ...] = ()
    may_exit_when_answered: bool = False
    reports_questions: bool = False

    def version_age(self, version: str) -> str | None:
        """Return "newer" or "older" for a version outside of the proved ones."""
        proved = [_order(each) for each in self.proved_versions]
        if not proved or min(proved) <= _order(version) <= max(proved):
            return None
        return "newer" if _order(version) > max(proved) else "older"


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Stop what the CLI is doing.

    `sent`: the message it works on, if ClawTap sent it. A CLI that puts it back into its composer
    gets it cleared there, since it would block the next message.
    """

    name: ClassVar[str] = "interrupt"
    sent: str = ""


@dataclass(frozen=True, slots=True)
class SwitchMode:
    """Switch to this permission mode, by id."""

    name: ClassVar[str] = "permission_mode"
    mode: str


@dataclass(frozen=True, slots=True)
class SwitchModel:
    """Switch to this model, by id."""

    name: ClassVar[str] = "model"
    model: str


Action = Interrupt | SwitchMode | SwitchModel


@dataclass(frozen=True, slots=True)
class AdapterStatus:
    """An adapter, and whether its CLI is installed here (`version` as the CLI prints it).

    `live_check` is the latest one on this machine. `elsewhere`: only another machine of the fleet
    has this adapter, so nothing starts with it here.
    """

    info: AdapterInfo
    installed: bool
    version: str | None = None
    health: str | None = None
    live_check: LiveCheckStatus | None = None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """The state of a plugin: loaded, blocked, missing or broken (`error` says why).

    `user_rules` are the rules that a user's file adds to the adapter's table, `user_errors` say
    what of that file was left out and why.
    """

    name: str
    status: str
    distribution: str | None = None
    version: str | None = None
    error: str | None = None
    hooks: tuple[str, ...] = ()
    adapter: str | None = None
    user_rules: tuple[str, ...] = ()
    user_errors: tuple[str, ...] = ()
