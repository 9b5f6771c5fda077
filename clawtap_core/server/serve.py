"""Run the server with gevent: open the socket, then the runtime; stop both within 3 s."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import gevent
from flask import Flask
from gevent import pywsgi
from gevent.event import Event as Flag
from gevent.pool import Pool

from clawtap_core.cli_hooks.endpoint import listening
from clawtap_core.config import Settings
from clawtap_core.errors import ClawTapError
from clawtap_core.host import Host
from clawtap_core.model import Actor, Event
from clawtap_core.model.ansi import exact
from clawtap_core.server import context
from clawtap_core.server.announcement import advertised, announce, announce_phone
from clawtap_core.server.app import create_app
from clawtap_core.server.connections import PRIVATE, Connections
from clawtap_core.server.context import server_of
from clawtap_core.server.device_arrivals import Arrival
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.hook_timeout import GreenletLimit
from clawtap_core.server.listener import listen, listen_everywhere, tls_arguments
from clawtap_core.server.notices.service import NoticesPlugin
from clawtap_core.server.owner_token import hub_token, open_devices
from clawtap_core.server.phone import HUB_IN_NETWORK, PhoneAccess
from clawtap_core.server.private_files import private_folder
from clawtap_core.server.wsgi_server import LanServer, Server, closing_overdue
from clawtap_core.transport import FleetMember, HookSink, Transport

if TYPE_CHECKING:
    from clawtap_core.fleet.service import Fleet
    from clawtap_core.fleet.view import FleetView
    from clawtap_core.server.lan.service import Lan

log = logging.getLogger(__name__)
access_log = logging.getLogger("clawtap_core.server.access")
# Together below the three seconds that a service manager may grant.
RUNTIME_SECONDS = 1.5
FLEET_SECONDS = 0.5
CLIENT_SECONDS = 0.5
# How soon a new address is noticed.
NETWORK_SECONDS = 10.0
# How long somebody at the terminal may take to do what it advises.
ADVICE_SECONDS = 900.0


class Runtime(FleetMember, Protocol):
    """The runtime, as the process entry needs it."""

    def transport(self, actor: Actor) -> Transport:
        """Return a transport on behalf of an actor."""

    def record(self, event: Event) -> None:
        """Write an event of the server to the journal."""

    @property
    def hooks(self) -> HookSink:
        """Return the receiver of CLI hooks."""

    def close(self) -> None:
        """Release everything and end every event stream."""


def serve(settings: Settings) -> int:
    """Serve until a signal arrives and return the exit code."""
    _log_to_stderr(settings)
    devices = open_devices(settings)
    lan = open_lan(settings)
    tls = {"ssl_context": lan.context} if lan else tls_arguments(settings)
    listeners = listen_everywhere(settings) if lan else (listen(settings),)
    settings = replace(settings, port=listeners[0].getsockname()[1])
    phones = PhoneAccess(settings, lan)
    host = Host.installed(
        only=settings.load_plugins, blocked=settings.block_plugins, limit=GreenletLimit()
    )
    # Imported here only: the server itself depends on `Transport` alone.
    from clawtap_core.runtime import open_runtime

    runtime: Runtime = open_runtime(settings, host)
    fleet: Fleet | None = None
    try:
        fleet, transport_for = join_fleet(settings, runtime)
        app = create_app(
            transport_for,
            settings,
            devices=devices,
            extend=host.register_routes,
            hooks=HookReceiver(runtime.hooks),
            phones=phones,
            send_notice=host.send_notice,
            record=runtime.record,
        )
        notices = server_of(app).notices
        host.add(NoticesPlugin(notices), "notices")
        notices.recover(runtime.transport)
        connections = Connections()
        with advertised(settings), listening(settings.data_dir) as hook_listener:
            kind = LanServer if lan else Server
            servers = (
                *(_server(kind, listener, app, connections, **tls) for listener in listeners),
                _server(Server, hook_listener, app, connections, environ={PRIVATE: True}),
            )
            _serve_until_signal(servers, app, settings)
            notices.outbox.close()
    finally:
        _close(runtime)
        if fleet:
            _leave(fleet)
    for server in servers:
        server.stop(timeout=CLIENT_SECONDS)
    return 0


def serve_hub(settings: Settings) -> int:
    """Serve the pages and the API for a fleet, without a machine; return the exit code."""
    _log_to_stderr(settings)
    # Imported here only: a machine alone needs neither Redis nor its client.
    from clawtap_core.fleet.fleet_transport import FleetTransport
    from clawtap_core.fleet.key_file import read_key
    from clawtap_core.fleet.view import FleetView
    from clawtap_core.runtime import open_hub
    from clawtap_core.server.hub_access import HubDevices, HubPairingCodes

    key = read_key(settings)
    private_folder(settings.data_dir)
    runtime: Runtime = open_hub(settings)
    fleet: FleetView | None = None
    try:
        listener, tls = listen(settings), tls_arguments(settings)
        settings = replace(settings, port=listener.getsockname()[1])
        host = Host.installed(
            only=settings.load_plugins, blocked=settings.block_plugins, limit=GreenletLimit()
        )
        fleet = view = FleetView(settings, key, runtime)
        devices = HubDevices(
            settings.data_dir / "devices.json",
            hub_token(settings, view.access),
            view.access,
            view.name,
        )
        view.on_renew(devices.refresh)
        app = create_app(
            lambda actor: FleetTransport(view, runtime.transport(actor), actor),
            settings,
            devices=devices,
            extend=host.register_routes,
            phones=PhoneAccess(settings, in_network=HUB_IN_NETWORK),
            record=runtime.record,
            pairing=HubPairingCodes(view.access),
            cookie_name=view.access.cookie_name,
        )
        view.start()
        # A client that comes from another hub would take its sessions for gone.
        view.wait_until_read()
        with advertised(settings):
            server = _server(Server, listener, app, Connections(), **tls)
            _serve_until_signal((server,), app, settings)
    finally:
        _close(runtime)
        if fleet:
            _leave(fleet)
    server.stop(timeout=CLIENT_SECONDS)
    return 0


def _log_to_stderr(settings: Settings) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(_LogLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler])
    gevent.get_hub().exception_stream = FailureReports()


class _LogLines(logging.Formatter):
    """Lines that a terminal only shows: a path or an address may hold what it would obey."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return a message; what it has of further lines is indented, as no line of its own."""
        return super().formatMessage(record).replace("\n", "\n  ")

    def format(self, record: logging.LogRecord) -> str:
        """Return a record with its traceback, control characters spelled out."""
        return exact(super().format(record))


class FailureReports:
    """Where gevent prints what ended a greenlet or a native thread: stderr, as far as it takes it.

    What this raised, gevent would raise in the main greenlet: a full disk would end the server.
    """

    def write(self, text: str) -> None:
        """Write, or lose the text: `logging` does so, too."""
        # A process that was started without stderr has None.
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(text)


def join_fleet(
    settings: Settings, runtime: Runtime
) -> tuple[Fleet | None, Callable[[Actor], Transport]]:
    """Return this machine's part in its fleet, if it has one, and what makes transports."""
    if not settings.in_fleet:
        return None, runtime.transport
    # Imported here only: a machine alone needs neither Redis nor its client.
    from clawtap_core.fleet.fleet_transport import FleetTransport
    from clawtap_core.fleet.key_file import key_at_start
    from clawtap_core.fleet.service import Fleet

    fleet = Fleet(settings, key_at_start(settings), runtime)
    fleet.start()
    return fleet, lambda actor: FleetTransport(fleet, runtime.transport(actor), actor)


def _leave(fleet: FleetView) -> None:
    with gevent.Timeout(FLEET_SECONDS, False):
        fleet.close(FLEET_SECONDS)


def open_lan(settings: Settings) -> Lan | None:
    """Return the certificate for local networks, if the settings want one."""
    if not settings.lan:
        return None
    # Imported here only: nothing else needs cryptography.
    from clawtap_core.server.lan.service import Lan

    return Lan(Path(settings.data_dir))


def _server(
    kind: type[Server],
    listener: socket.socket,
    app: Flask,
    connections: Connections,
    **options: Any,
) -> Server:
    return kind(
        listener,
        app,
        connections=connections,
        spawn=Pool(),
        # Requests are logged at debug level only.
        log=pywsgi.LoggingLogAdapter(access_log, logging.DEBUG),
        error_log=log,
        **options,
    )


def _serve_until_signal(servers: Sequence[Server], app: Flask, settings: Settings) -> None:
    ended = Flag()
    watchers = [gevent.signal_handler(sign, ended.set) for sign in (signal.SIGINT, signal.SIGTERM)]
    try:
        for server in servers:
            server.start()
        state = server_of(app)
        shown = announce(settings, state.phones, state.pairing, sys.stdout)
        state.arrivals.subscribe(_report_arrival)
        with closing_overdue(servers[0].connections), following_network(state, shown):
            ended.wait()
    finally:
        for watcher in watchers:
            watcher.cancel()
        for server in servers:
            server.close()


@contextmanager
def following_network(state: context.Server, shown: str | None) -> Iterator[None]:
    """Keep the certificate right while addresses change, and announce those not yet `shown`."""
    if state.phones.lan:
        follower = gevent.spawn(_follow_lan, state)
    else:
        follower = gevent.spawn(_await_tailscale, state, shown)
    try:
        yield
    finally:
        follower.kill()


def _follow_lan(state: context.Server) -> None:
    while lan := state.phones.lan:
        gevent.sleep(NETWORK_SECONDS)
        try:
            if lan.refresh():
                _report_address(state)
        except (ClawTapError, OSError) as error:
            log.warning("the certificate was not renewed: %s", error)


def _await_tailscale(state: context.Server, shown: str | None) -> None:
    # Somebody at the terminal does what it advises, and then needs the code.
    if shown or not sys.stdout.isatty() or not state.phones.may_be_served():
        return
    with gevent.Timeout(ADVICE_SECONDS, False):
        while state.phones.address().url is None:
            gevent.sleep(NETWORK_SECONDS)
        _report_address(state)


def _report_address(state: context.Server) -> None:
    address = state.phones.address()
    log.info("the address changed: %s", address.url or address.advice)
    if sys.stdout.isatty():
        announce_phone(state.phones, state.pairing, sys.stdout)


def _report_arrival(arrival: Arrival) -> None:
    if sys.stdout.isatty():
        print(f"\a{arrival.sentence}", flush=True)
    else:
        log.info("%s", arrival.sentence)


def _close(runtime: Runtime) -> None:
    # This ends the event streams too, without which the server could not stop.
    with gevent.Timeout(RUNTIME_SECONDS, False):
        runtime.close()
        return
    log.warning("the runtime did not end within %s s", RUNTIME_SECONDS)
