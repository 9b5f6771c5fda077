"""What a view may ask for: the transport, the actor, the settings of this request's app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flask import Flask, current_app, g

from clawtap_core.config import Settings
from clawtap_core.model import Actor
from clawtap_core.server.connections import DeviceConnections
from clawtap_core.server.devices import Device, Devices
from clawtap_core.server.failure_limit import FailureLimit
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.pairing import PairingCodes
from clawtap_core.transport import Transport

_KEY = "clawtap"


@dataclass(frozen=True, slots=True)
class Server:
    """What belongs to one app."""

    transport_for: Callable[[Actor], Transport]
    settings: Settings
    devices: Devices
    pairing: PairingCodes
    login_failures: FailureLimit = field(default_factory=FailureLimit)
    hooks: HookReceiver | None = None
    connections: DeviceConnections = field(default_factory=DeviceConnections)


def attach(app: Flask, server: Server) -> None:
    """Make `server` what the app's views find."""
    app.extensions[_KEY] = server


def server() -> Server:
    """What belongs to the current app."""
    found: Server = current_app.extensions[_KEY]
    return found


def device() -> Device | None:
    """The device that sent the current request; None on a public route without a token."""
    found: Device | None = g.get("clawtap_device")
    return found


def transport() -> Transport:
    """The agent side, on behalf of the current request's device. Plugins' pages use it too."""
    sender = device()
    return server().transport_for(Actor("user", sender.name if sender else "unknown"))


def still_allowed() -> Callable[[], bool]:
    """Return whether the current request's device is still known, to be asked while it waits."""
    devices, sender = server().devices, device()
    return lambda: sender is not None and devices.alive(sender.id)


def server_of(app: Flask) -> Server:
    """What belongs to an app, where no request has come yet."""
    found: Server = app.extensions[_KEY]
    return found


def pairing_codes(app: Flask) -> PairingCodes:
    """The pairing codes of an app, for who shows the first one."""
    return server_of(app).pairing
