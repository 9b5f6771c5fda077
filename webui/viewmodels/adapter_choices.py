"""Adapters as things to choose: with their mark, their state here, and how to get their CLI."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from clawtap_core.model import AdapterStatus, Choice
from clawtap_core.transport import Transport
from webui.assets.brands import css_class, mark

CHANNELS = (
    Choice("terminal", "Terminal", "in a pane of tmux"),
    Choice("protocol", "Protocol", "without a pane"),
)


@dataclass(frozen=True, slots=True)
class Offer:
    """An adapter as a row of a form or a list."""

    id: str
    name: str
    provider: str
    css: str
    mark: Markup
    installed: bool
    version: str
    install: str
    health: str
    modes: tuple[Choice, ...]
    models: tuple[Choice, ...]
    channels: tuple[Choice, ...]


def offered(agent: Transport) -> list[Offer]:
    """Every adapter, those whose CLI is installed first."""
    return sorted(map(_offer, agent.adapters()), key=lambda one: (not one.installed, one.name))


def _offer(status: AdapterStatus) -> Offer:
    info = status.info
    return Offer(
        info.id,
        info.name,
        info.provider,
        css_class(info.id),
        mark(info, info.id),
        status.installed,
        status.version or "",
        info.install,
        status.health or "",
        info.permission_modes if info.capabilities.permission_modes else (),
        info.models,
        CHANNELS if {each.id for each in CHANNELS} <= set(info.capabilities.channels) else (),
    )
