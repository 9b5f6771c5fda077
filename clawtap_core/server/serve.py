"""Run the server with gevent: open the socket, then the runtime; stop both within 3 s."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import gevent
from flask import Flask
from gevent import pywsgi
from gevent.event import Event as Flag
from gevent.pool import Pool

from clawtap_core.cli_hooks.endpoint import listening
from clawtap_core.config import Settings
from clawtap_core.host import Host
from clawtap_core.model import Actor
from clawtap_core.server.announcement import advertised, announce
from clawtap_core.server.app import create_app
from clawtap_core.server.connections import PRIVATE, Connections
from clawtap_core.server.context import pairing_codes
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.hook_timeout import GreenletLimit
from clawtap_core.server.listener import listen, tls_arguments
from clawtap_core.server.owner import open_devices
from clawtap_core.server.wsgi_server import Server, closing_overdue
from clawtap_core.transport import HookSink, Transport

log = logging.getLogger(__name__)
access_log = logging.getLogger("clawtap_core.server.access")
# Together below the three seconds that a service manager may grant.
RUNTIME_SECONDS = 1.5
CLIENT_SECONDS = 0.5


class Runtime(Protocol):
    """The runtime, as the process entry needs it."""

    def transport(self, actor: Actor) -> Transport:
        """Return a transport on behalf of an actor."""

    @property
    def hooks(self) -> HookSink:
        """Return the receiver of CLI hooks."""

    def close(self) -> None:
        """Release everything and end every event stream."""


def serve(settings: Settings) -> int:
    """Serve until a signal arrives and return the exit code."""
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )
    devices = open_devices(settings)
    tls = tls_arguments(settings)
    listener = listen(settings)
    settings = replace(settings, port=listener.getsockname()[1])
    host = Host.installed(
        only=settings.load_plugins, blocked=settings.block_plugins, limit=GreenletLimit()
    )
    # Imported here only: the server itself depends on `Transport` alone.
    from clawtap_core.runtime import open_runtime

    runtime: Runtime = open_runtime(settings, host)
    try:
        app = create_app(
            runtime.transport,
            settings,
            devices=devices,
            extend=host.register_routes,
            hooks=HookReceiver(runtime.hooks),
        )
        connections = Connections()
        with advertised(settings), listening(settings.data_dir) as hook_listener:
            servers = (
                _server(listener, app, connections, **tls),
                _server(hook_listener, app, connections, environ={PRIVATE: True}),
            )
            _serve_until_signal(servers, app, settings)
    finally:
        _close(runtime)
    for server in servers:
        server.stop(timeout=CLIENT_SECONDS)
    return 0


def _server(
    listener: socket.socket, app: Flask, connections: Connections, **options: Any
) -> Server:
    return Server(
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
        announce(settings, pairing_codes(app).issue().code, sys.stdout)
        with closing_overdue(servers[0].connections):
            ended.wait()
    finally:
        for watcher in watchers:
            watcher.cancel()
        for server in servers:
            server.close()


def _close(runtime: Runtime) -> None:
    # This ends the event streams too, without which the server could not stop.
    with gevent.Timeout(RUNTIME_SECONDS, False):
        runtime.close()
        return
    log.warning("the runtime did not end within %s s", RUNTIME_SECONDS)
