"""Adapters as choices: their mark, their state, and how to install their CLI."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from clawtap_core.model import AdapterStatus, Choice
from clawtap_core.transport import Transport
from webui.assets.brands import css_class, mark
from webui.viewmodels.live_check import ShownCheck, shown_check

CHANNELS = (
    Choice("terminal", "Terminal", "in a pane of tmux"),
    Choice("protocol", "Protocol", "without a pane"),
)


@dataclass(frozen=True, slots=True)
class AdapterChoice:
    """An adapter as a row of a form or a list."""

    id: str
    name: str
    provider: str
    css: str
    mark: Markup
    command: str
    installed: bool
    version: str
    install: str
    health: str
    modes: tuple[Choice, ...]
    models: tuple[Choice, ...]
    efforts: tuple[Choice, ...]
    channels: tuple[Choice, ...]
    checkable: bool
    check: ShownCheck | None
    program: bool
    """Whether it is of a program of its own, and not of any that runs in a pane."""

    @property
    def optional(self) -> bool:
        """Whether a session of it starts with options."""
        return bool(self.modes or self.models or self.efforts or self.channels)


def adapter_choices(transport: Transport) -> list[AdapterChoice]:
    """Return every adapter of the machine, those whose CLI is installed first."""
    checkable = {each.adapter for each in transport.plugins() if "live_check" in each.hooks}
    statuses = [status for status in transport.adapters() if not status.elsewhere]
    choices = [_choice(status, status.info.id in checkable) for status in statuses]
    return sorted(choices, key=lambda choice: (not choice.installed, choice.name))


def _choice(status: AdapterStatus, checkable: bool) -> AdapterChoice:
    info = status.info
    both_channels = {channel.id for channel in CHANNELS} <= set(info.capabilities.channels)
    return AdapterChoice(
        id=info.id,
        name=info.name,
        provider=info.provider,
        css=css_class(info.id),
        mark=mark(info, info.id),
        command=next(iter(info.commands), ""),
        installed=status.installed,
        version=status.version or "",
        install=info.install,
        health=status.health or "",
        modes=info.permission_modes if info.capabilities.permission_modes else (),
        models=info.models,
        efforts=info.effort_levels,
        channels=CHANNELS if both_channels else (),
        checkable=status.installed and checkable,
        check=shown_check(status.live_check, status.version or ""),
        program=status.installed or bool(info.commands or info.install),
    )
