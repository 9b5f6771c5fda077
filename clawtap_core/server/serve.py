"""Run the server with gevent: open the socket, then the runtime; stop both within 3 s."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from dataclasses import replace
from typing import Any, Protocol

import gevent
from flask import Flask
from gevent import pywsgi
from gevent.event import Event as Flag
from gevent.pool import Pool

from clawtap_core.cli_hooks.endpoint import door, opened, secret
from clawtap_core.config import Settings
from clawtap_core.host import Host
from clawtap_core.model import Actor
from clawtap_core.server.announcement import advertised, announce
from clawtap_core.server.app import create_app
from clawtap_core.server.connections import Connections
from clawtap_core.server.context import pairing_codes
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.hook_timeout import GreenletLimit
from clawtap_core.server.listener import listen, tls_arguments
from clawtap_core.server.owner import open_devices
from clawtap_core.server.wsgi_server import Server, closing_overdue
from clawtap_core.transport import HookSink, Transport

log = logging.getLogger(__name__)
access_log = logging.getLogger("clawtap_core.server.access")
AGENT_SECONDS = 1.5
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
    agent = _open_runtime(settings, host)
    try:
        app = create_app(
            agent.transport,
            settings,
            devices=devices,
            extend=host.register_routes,
            hooks=HookReceiver(agent.hooks, secret(settings.data_dir)),
        )
        server = _server(listener, app, tls)
        way = door(settings.host, settings.port, settings.tls_cert, settings.tls_key)
        with advertised(settings), opened(settings.data_dir, way):
            _serve_until_signal(server, app, settings)
    finally:
        _end(agent)
    server.stop(timeout=CLIENT_SECONDS)
    return 0


def _open_runtime(settings: Settings, host: Host) -> Runtime:
    # Imported here only: the server itself depends on `Transport` alone.
    from clawtap_core.runtime import open_runtime

    agent: Runtime = open_runtime(settings, host)
    return agent


def _server(listener: socket.socket, app: Flask, tls: dict[str, Any]) -> Server:
    return Server(
        listener,
        app,
        connections=Connections(),
        spawn=Pool(),
        # Requests are logged at debug level only.
        log=pywsgi.LoggingLogAdapter(access_log, logging.DEBUG),
        error_log=log,
        **tls,
    )


def _serve_until_signal(server: Server, app: Flask, settings: Settings) -> None:
    ended = Flag()
    watchers = [gevent.signal_handler(sign, ended.set) for sign in (signal.SIGINT, signal.SIGTERM)]
    server.start()
    try:
        announce(settings, pairing_codes(app).issue().code, sys.stdout)
        with closing_overdue(server.connections):
            ended.wait()
    finally:
        for watcher in watchers:
            watcher.cancel()
        server.close()


def _end(agent: Runtime) -> None:
    """Close the runtime, which ends the event streams, within a time limit."""
    with gevent.Timeout(AGENT_SECONDS, False):
        agent.close()
        return
    log.warning("the runtime did not end within %s s", AGENT_SECONDS)
