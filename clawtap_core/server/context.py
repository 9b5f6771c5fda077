"""The transport, device and settings of the current request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flask import Flask, current_app, g, request

from clawtap_core.config import Settings
from clawtap_core.model import Actor, Device, Event
from clawtap_core.server.broadcast import Broadcasts
from clawtap_core.server.connections import DeviceConnections
from clawtap_core.server.device_arrivals import Arrivals
from clawtap_core.server.devices import Devices
from clawtap_core.server.failure_limit import FailureLimit
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.notices.service import Notices
from clawtap_core.server.pairing import PairingCodes
from clawtap_core.server.phone import PhoneAccess
from clawtap_core.server.request_input import MACHINE
from clawtap_core.transport import Transport

_KEY = "clawtap"


@dataclass(frozen=True, slots=True)
class Server:
    """The state of one app; `cookie_name` is that of all hubs, or "" for one by the port."""

    transport_for: Callable[[Actor], Transport]
    settings: Settings
    devices: Devices
    pairing: PairingCodes
    phones: PhoneAccess
    notices: Notices
    arrivals: Arrivals = field(default_factory=Arrivals)
    login_failures: FailureLimit = field(default_factory=FailureLimit)
    hooks: HookReceiver | None = None
    connections: DeviceConnections = field(default_factory=DeviceConnections)
    broadcasts: Broadcasts = field(default_factory=Broadcasts)
    record: Callable[[Event], None] = lambda event: None
    cookie_name: str = ""

    @property
    def on_hub(self) -> bool:
        """Return whether this serves a fleet without being one of its machines."""
        return bool(self.cookie_name)


def attach(app: Flask, server: Server) -> None:
    """Attach `server` to an app."""
    app.extensions[_KEY] = server


def server() -> Server:
    """Return the state of the current app."""
    return server_of(current_app)


def device() -> Device | None:
    """Return the sender of the current request; None on a public route without a token."""
    sender: Device | None = g.get("clawtap_device")
    return sender


def use_device(sender: Device | None) -> None:
    """Set the device for which this app context works."""
    g.clawtap_device = sender


def transport() -> Transport:
    """Return the transport on behalf of the current request's device, to the machine it names."""
    machine = request.args.get(MACHINE)
    # A script whose variable is empty names a machine, too: not this one by accident.
    return to_all_machines() if machine is None else to_all_machines().at(machine)


def to_all_machines() -> Transport:
    """Return the transport on behalf of the current request's device, whatever it names."""
    sender = device()
    actor = Actor("user", sender.name, sender.id) if sender else Actor("user", "unknown")
    return server().transport_for(actor)


def still_allowed() -> Callable[[], bool]:
    """Return a check whether the current device is still allowed, for requests that wait."""
    devices, sender = server().devices, device()
    return lambda: sender is not None and devices.alive(sender.id)


def server_of(app: Flask) -> Server:
    """Return the state of an app."""
    state: Server = app.extensions[_KEY]
    return state
