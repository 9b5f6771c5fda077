"""Adapters, plugins, panes and folders of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from clawtap_core.model import (
    AdapterStatus,
    Folder,
    LiveCheckStatus,
    MachineStatus,
    PaneInfo,
    PluginStatus,
    Role,
)
from clawtap_core.schemas import (
    AdapterStatusSchema,
    FolderSchema,
    LiveCheckStatusSchema,
    MachinesQuery,
    MachinesQuerySchema,
    MachineStatusSchema,
    PaneInfoSchema,
    PluginStatusSchema,
)
from clawtap_core.server.api.blueprint import Blueprint
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires

blueprint = Blueprint("machine", __name__, "What is on this machine")


@blueprint.route("GET", "/adapters", response=AdapterStatusSchema(many=True))
@requires(Role.WATCH)
def adapters() -> Sequence[AdapterStatus]:
    """Return every adapter with its capabilities, and whether its CLI is installed."""
    return transport().adapters()


@blueprint.route(
    "POST", "/adapters/<adapter>/check", response=LiveCheckStatusSchema, status=HTTPStatus.ACCEPTED
)
def check_cli(adapter: str) -> LiveCheckStatus:
    """Start the live check of an adapter's CLI; GET /adapters returns what it finds."""
    return transport().check_cli(adapter)


@blueprint.route("GET", "/plugins", response=PluginStatusSchema(many=True))
@requires(Role.WATCH)
def plugins() -> Sequence[PluginStatus]:
    """Return every plugin's health: loaded, blocked, missing or broken, and why."""
    return transport().plugins()


@blueprint.route("GET", "/panes", response=PaneInfoSchema(many=True))
def panes() -> Sequence[PaneInfo]:
    """Return the panes that could be adopted."""
    return transport().panes()


@blueprint.route("GET", "/folders", response=FolderSchema(many=True))
def folders() -> Sequence[Folder]:
    """Return folders used before, newest first."""
    return transport().folders()


@blueprint.route(
    "GET", "/machines", query=MachinesQuerySchema, response=MachineStatusSchema(many=True)
)
@requires(Role.WATCH)
def machines(query: MachinesQuery) -> Sequence[MachineStatus]:
    """Return the machines of the fleet, the one that answers first; none without a fleet."""
    return transport().machines(measure=query.measure)
