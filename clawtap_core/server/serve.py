"""Serving with gevent: the socket first, then the agent side, and both ended within 3 s."""

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
    """The agent side, as the process entry needs it."""

    def transport(self, actor: Actor) -> Transport:
        """The agent side on behalf of an actor."""

    @property
    def hooks(self) -> HookSink:
        """Where CLIs report by their hooks."""

    def close(self) -> None:
        """Let go of everything and end every event stream."""


def serve(settings: Settings) -> int:
    """Serve until a signal comes; the exit code."""
    _log_to_stderr(settings)
    devices = open_devices(settings)
    tls = tls_arguments(settings)
    listener = listen(settings)
    settings = replace(settings, port=listener.getsockname()[1])
    host = _host(settings)
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


def _log_to_stderr(settings: Settings) -> None:
    logging.basicConfig(
        level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s"
    )


def _host(settings: Settings) -> Host:
    return Host.installed(
        only=settings.load_plugins, blocked=settings.block_plugins, limit=GreenletLimit()
    )


def _open_runtime(settings: Settings, host: Host) -> Runtime:
    # Late, and the only step towards the agent side: the server itself stands on `Transport`.
    from clawtap_core.runtime import open_runtime

    agent: Runtime = open_runtime(settings, host)
    return agent


def _server(listener: socket.socket, app: Flask, tls: dict[str, Any]) -> Server:
    return Server(
        listener,
        app,
        connections=Connections(),
        spawn=Pool(),
        # Quiet by default: every request is a line at debug level only.
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
    """Close the agent side, which ends the event streams; not longer than it may take."""
    with gevent.Timeout(AGENT_SECONDS, False):
        agent.close()
        return
    log.warning("the agent side did not end within %s s", AGENT_SECONDS)
